//! Transplants: one run is given the other's K and V for chosen layers and positions, and goes on. Whose path does it follow?

use std::ops::Range;

use serde::Serialize;

use super::origin::slot;
use super::replay::{Lane, Pair};
use crate::cache::BLOCK_TOKENS;
use crate::generate::GenerateError;
use crate::gpu::step::Top;
use crate::model::{KvSlot, TapTensor};
use crate::tokenizer::TokenId;

/// A run of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The cold run.
    Cold,
    /// The warm run.
    Warm,
}

/// What is given to whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct Transplant {
    /// The run that is given the other's K and V.
    pub into: Side,
    /// In these layers.
    pub layers: Range<u32>,
    /// At these positions.
    pub positions: Range<usize>,
}

/// One value of K or V in the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct CachedValue {
    /// Layer, from 0.
    pub layer: u32,
    /// K or V.
    pub tensor: TapTensor,
    /// Position in the sequence.
    pub position: usize,
    /// Index in the row.
    pub index: u32,
}

/// How a run went on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct Continuation {
    /// The tokens it chose.
    pub ids: Vec<TokenId>,
    /// 128-bit hash of all logits of every step.
    pub logits_hashes: Vec<[u32; 4]>,
}

/// Whose tokens a run chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trajectory {
    /// The cold and the warm run's, which are the same.
    Both,
    /// The cold run's.
    Cold,
    /// The warm run's.
    Warm,
    /// Neither's.
    Neither,
}

/// How both runs went on without a transplant, and the recipient with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct Followed {
    /// Whose tokens the recipient chose.
    pub follows: Trajectory,
    /// Number of its first token that is not the cold run's.
    pub leaves_cold: Option<usize>,
    /// Number of its first token that is not the warm run's.
    pub leaves_warm: Option<usize>,
    /// The cold run by itself.
    pub cold: Continuation,
    /// The warm run by itself.
    pub warm: Continuation,
    /// The recipient with what it was given.
    pub transplanted: Continuation,
}

impl Pair<'_> {
    /// Lets both runs go on from here, each by itself, then gives one of them the other's K and V and lets it go on again. All are fed
    /// `id` first and then choose for themselves, up to `n_tokens` tokens or the end of the turn. The recipient keeps what it was given.
    ///
    /// # Errors
    /// [`GenerateError::Transplant`] before anything runs where the pair has not computed those positions;
    /// [`CacheSlot`](crate::model::ModelError::CacheSlot) where there are no such layers; [`GenerateError::PromptTooLong`]; GPU errors.
    pub async fn transplant(
        &mut self,
        transplant: &Transplant,
        id: TokenId,
        n_tokens: usize,
    ) -> Result<Followed, GenerateError> {
        let positions = transplant.positions.clone();
        self.check_computed(positions.end)?;
        let cold = self.continuation(self.cold, id, n_tokens).await?;
        let warm = self.continuation(self.warm, id, n_tokens).await?;
        let (donor, recipient) = match transplant.into {
            Side::Cold => (self.warm, self.cold),
            Side::Warm => (self.cold, self.warm),
        };
        let layers: Vec<u32> = transplant.layers.clone().collect();
        self.engine.pass().copy_kv(&layers, &copies(&donor, &recipient, positions))?;
        let transplanted = self.continuation(recipient, id, n_tokens).await?;
        Ok(Followed::new(cold, warm, transplanted))
    }

    /// Gives one cached value of a run another one, as the cache rounds it.
    ///
    /// # Errors
    /// [`GenerateError::Transplant`] where the pair has not computed that position;
    /// [`CacheSlot`](crate::model::ModelError::CacheSlot) where there is no such layer, tensor or index; GPU errors.
    pub async fn alter(&mut self, run: Side, at: &CachedValue, value: f32) -> Result<(), GenerateError> {
        let CachedValue { layer, tensor, position, index } = *at;
        self.check_computed(position + 1)?;
        let slot = match run {
            Side::Cold => slot(&self.cold, position),
            Side::Warm => slot(&self.warm, position),
        };
        Ok(self.engine.pass().alter_kv(layer, tensor, slot, index, value).await?)
    }

    fn check_computed(&self, end: usize) -> Result<(), GenerateError> {
        let computed = end <= self.n_positions;
        if computed { Ok(()) } else { Err(GenerateError::Transplant { end, n_positions: self.n_positions }) }
    }

    /// A run's own choices from the next position on.
    async fn continuation(&mut self, lane: Lane, id: TokenId, n_tokens: usize) -> Result<Continuation, GenerateError> {
        let mut continuation = Continuation { ids: Vec::new(), logits_hashes: Vec::new() };
        let mut next = id;
        for i in 0..n_tokens {
            let Top { ids, hash, .. } = lane.forward(self.engine, self.n_positions + i, &[next]).await?;
            next = ids[0];
            continuation.ids.push(next);
            continuation.logits_hashes.push(hash);
            if self.engine.tokenizer().is_end_of_turn(next) {
                break;
            }
        }
        Ok(continuation)
    }
}

/// Positions of one sequence and the same of another, cut where cache blocks end.
fn copies(from: &Lane, to: &Lane, positions: Range<usize>) -> Vec<(KvSlot, KvSlot, u32)> {
    let mut copies = Vec::new();
    let mut position = positions.start;
    while position < positions.end {
        let end = positions.end.min((position / BLOCK_TOKENS + 1) * BLOCK_TOKENS);
        let n_positions = u32::try_from(end - position).expect("at most a block");
        copies.push((slot(from, position), slot(to, position), n_positions));
        position = end;
    }
    copies
}

impl Followed {
    fn new(cold: Continuation, warm: Continuation, transplanted: Continuation) -> Self {
        let [leaves_cold, leaves_warm] = [&cold, &warm].map(|other| transplanted.leaves(other));
        let follows = match (leaves_cold, leaves_warm) {
            (None, None) => Trajectory::Both,
            (None, Some(_)) => Trajectory::Cold,
            (Some(_), None) => Trajectory::Warm,
            (Some(_), Some(_)) => Trajectory::Neither,
        };
        Self { follows, leaves_cold, leaves_warm, cold, warm, transplanted }
    }
}

impl Continuation {
    /// Number of the first token that is not the other's.
    fn leaves(&self, other: &Self) -> Option<usize> {
        let longest = self.ids.len().max(other.ids.len());
        (0..longest).find(|&i| self.ids.get(i) != other.ids.get(i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_follows_the_one_whose_tokens_it_chose() {
        let run = |ids: &[u32]| Continuation { ids: ids.to_vec(), logits_hashes: vec![[0; 4]; ids.len()] };
        let cases = [
            (&[1, 2, 3][..], &[1, 2, 3][..], &[1, 2, 3][..], Trajectory::Both, None, None),
            (&[1, 2, 3], &[1, 4, 3], &[1, 2, 3], Trajectory::Cold, None, Some(1)),
            (&[1, 2, 3], &[1, 4, 3], &[1, 4, 3], Trajectory::Warm, Some(1), None),
            (&[1, 2, 3], &[1, 4, 3], &[1, 2, 5], Trajectory::Neither, Some(2), Some(1)),
            (&[1, 2], &[1, 2, 3], &[1, 2], Trajectory::Cold, None, Some(2)),
        ];
        for (cold, warm, transplanted, follows, leaves_cold, leaves_warm) in cases {
            let found = Followed::new(run(cold), run(warm), run(transplanted));
            assert_eq!((found.follows, found.leaves_cold, found.leaves_warm), (follows, leaves_cold, leaves_warm));
        }
    }
}
