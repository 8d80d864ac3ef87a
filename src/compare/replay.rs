//! A cold and a warm run side by side, fed the same tokens: what [`Engine::run`] does twice, with both runs' logits in hand.
//!
//! A [`Schedule`] says which positions a run computed together. A [`Pair`] computes two sequences of one forward pass by two
//! schedules, then decodes both. As both are fed the same token at every step, the first step at which their choices differ is
//! the fork of the free runs, and the steps behind it still measure noise. The two are never rows of one step: in order `by-shape`
//! that would be another result.

use std::ops::Range;

use crate::cache::BLOCK_TOKENS;
use crate::generate::{Engine, GenerateError};
use crate::gpu::step::Top;
use crate::model::{Capacity, Outputs, Row};
use crate::tokenizer::TokenId;

/// Which positions of a prompt are computed together, in order of execution. A later step may compute positions again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    steps: Vec<Range<usize>>,
}

impl Schedule {
    /// A cold run: the whole prompt in steps of `chunk_rows` rows, at least 1 (see [`Engine::chunk_rows`]).
    pub fn cold(n_prompt: usize, chunk_rows: usize) -> Self {
        Self { steps: chunks(0..n_prompt, chunk_rows) }
    }

    /// The same prompt sent again: the cold run's steps, then everything behind the first `n_reused` tokens, at most all but the last.
    pub fn warm(n_prompt: usize, n_reused: usize, chunk_rows: usize) -> Self {
        let mut steps = chunks(0..n_prompt, chunk_rows);
        steps.extend(chunks(n_reused.min(n_prompt.saturating_sub(1))..n_prompt, chunk_rows));
        Self { steps }
    }

    /// The same prompt sent again with all the reuse there is (S1): the cold run's steps, then the last position alone.
    pub fn warm_same_prompt(n_prompt: usize, chunk_rows: usize) -> Self {
        Self::warm(n_prompt, n_prompt, chunk_rows)
    }

    /// The second turn of a chat (S2): the first turn's prompt, its answer as far as it is reused, one position a step, then the rest of
    /// the prompt. The first turn's prompt must be no longer than the second's.
    ///
    /// Where the second prompt leaves the first turn's ids, its own are computed in the first turn's place: rows of one step do not
    /// look at each other's later positions, so those before have the same bits, and the others are computed again.
    pub fn warm_second_turn(n_first_prompt: usize, n_reused: usize, n_prompt: usize, chunk_rows: usize) -> Self {
        let n_reused = n_reused.min(n_prompt.saturating_sub(1));
        let mut steps = chunks(0..n_first_prompt, chunk_rows);
        steps.extend(chunks(n_first_prompt..n_reused, 1));
        steps.extend(chunks(n_reused..n_prompt, chunk_rows));
        Self { steps }
    }

    /// The steps, in order of execution.
    pub fn steps(&self) -> &[Range<usize>] {
        &self.steps
    }

    /// Positions that are computed.
    pub fn n_positions(&self) -> usize {
        self.steps.iter().map(|step| step.end).max().unwrap_or(0)
    }
}

fn chunks(positions: Range<usize>, chunk_rows: usize) -> Vec<Range<usize>> {
    let end = positions.end;
    positions.step_by(chunk_rows).map(|from| from..end.min(from + chunk_rows)).collect()
}

/// How the warm run's logits of one step differ from the cold run's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogitChange {
    /// The largest absolute change of a logit, over the whole vocabulary.
    pub largest: f64,
    /// Logits of which some bit differs.
    pub n_differing: usize,
    /// Change of the gap between the cold run's two largest logits: the same two in the warm run, minus in the cold run.
    pub gap: f64,
    /// The two runs choose different tokens.
    pub flipped: bool,
}

impl LogitChange {
    /// Of two rows of logits with their top five. // [vocab_size] each
    fn between(cold: (&Top, &[f32]), warm: (&Top, &[f32])) -> Self {
        let pairs = || cold.1.iter().zip(warm.1);
        let changes = pairs().map(|(cold, warm)| (f64::from(*warm) - f64::from(*cold)).abs());
        let gap = |logits: &[f32]| {
            let [first, second] = [cold.0.ids[0], cold.0.ids[1]].map(|id| f64::from(logits[id as usize]));
            first - second
        };
        Self {
            largest: changes.fold(0.0, f64::max),
            n_differing: pairs().filter(|(cold, warm)| cold.to_bits() != warm.to_bits()).count(),
            gap: gap(warm.1) - gap(cold.1),
            flipped: cold.0.ids[0] != warm.0.ids[0],
        }
    }
}

/// One step of both runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairStep {
    /// The cold run's largest logits and hash.
    pub cold: Top,
    /// The warm run's.
    pub warm: Top,
    /// Between the two.
    pub change: LogitChange,
}

impl PairStep {
    /// Largest minus second largest logit of the cold run.
    pub fn cold_gap(&self) -> f64 {
        f64::from(self.cold.values[0]) - f64::from(self.cold.values[1])
    }
}

/// One sequence of a forward pass, in cache blocks of its own, driven step by step past the cache index.
#[derive(Debug, Clone, Copy)]
pub struct Lane {
    sequence: u32,
    first_block: u32,
    most_positions: usize,
}

impl Lane {
    /// The first `n_lanes` sequences of an engine's forward pass, each with an equal share of the cache. The cache index is emptied:
    /// it and the lanes use the same blocks in turn.
    ///
    /// # Errors
    /// [`GenerateError::Sequences`] where the engine was set up for fewer; cache bookkeeping.
    pub fn all(engine: &mut Engine, n_lanes: u32) -> Result<Vec<Self>, GenerateError> {
        let capacity = engine.pass().capacity();
        if n_lanes > capacity.n_sequences {
            return Err(GenerateError::Sequences { needed: n_lanes, found: capacity.n_sequences });
        }
        engine.reset()?;
        let (n_blocks, most_positions) = Self::room(capacity, n_lanes);
        let lane = |sequence| {
            let first_block = sequence * n_blocks;
            engine.pass().set_block_table(sequence, 0, &(first_block..first_block + n_blocks).collect::<Vec<_>>());
            Self { sequence, first_block, most_positions }
        };
        Ok((0..n_lanes).map(lane).collect())
    }

    /// Blocks, and with them positions, that each of so many lanes gets.
    pub(super) fn room(capacity: Capacity, n_lanes: u32) -> (u32, usize) {
        let whole_blocks = capacity.context_len.div_ceil(BLOCK_TOKENS as u32);
        let n_blocks = whole_blocks.min(capacity.n_cache_blocks / n_lanes);
        (n_blocks, (n_blocks as usize * BLOCK_TOKENS).min(capacity.context_len as usize))
    }

    /// Positions that it has room for.
    pub fn most_positions(&self) -> usize {
        self.most_positions
    }

    /// Rows of this sequence from position `from` on. // [ids]
    pub fn rows(&self, from: usize, ids: &[TokenId]) -> Vec<Row> {
        let row = |(i, &token): (usize, &TokenId)| {
            let position = u32::try_from(from + i).expect("a sequence is shorter than the context");
            Row { sequence: self.sequence, position, token, block: self.first_block + position / BLOCK_TOKENS as u32 }
        };
        ids.iter().enumerate().map(row).collect()
    }

    /// Computes a prompt by a schedule and returns what follows its last token.
    ///
    /// # Errors
    /// [`GenerateError::EmptyPrompt`]; [`GenerateError::PromptTooLong`]; [`GenerateError::Schedule`] where it is that of a prompt of
    /// another length; GPU errors.
    pub async fn prefill(
        &self,
        engine: &mut Engine,
        ids: &[TokenId],
        schedule: &Schedule,
    ) -> Result<Top, GenerateError> {
        self.check_room(ids.len() + 1)?;
        let (last, before) = schedule.steps.split_last().ok_or(GenerateError::EmptyPrompt)?;
        if schedule.n_positions() != ids.len() {
            return Err(GenerateError::Schedule { n_positions: schedule.n_positions(), n_ids: ids.len() });
        }
        for step in before {
            engine.pass().forward(&self.rows(step.start, &ids[step.clone()]), Outputs::None).await?;
        }
        self.forward(engine, last.start, &ids[last.clone()]).await
    }

    /// Computes `ids` at positions `from..` in one step and returns what follows the last one.
    ///
    /// # Errors
    /// [`GenerateError::PromptTooLong`], GPU errors.
    pub async fn forward(&self, engine: &mut Engine, from: usize, ids: &[TokenId]) -> Result<Top, GenerateError> {
        self.check_room(from + ids.len())?;
        Ok(engine.pass().forward(&self.rows(from, ids), Outputs::Last).await?[0])
    }

    fn check_room(&self, n_positions: usize) -> Result<(), GenerateError> {
        if n_positions <= self.most_positions {
            return Ok(());
        }
        let context_len = u32::try_from(self.most_positions).unwrap_or(u32::MAX);
        Err(GenerateError::PromptTooLong { n_tokens: n_positions - 1, context_len })
    }
}

/// A cold and a warm run of one engine, fed the same tokens. While the engine is borrowed here, its cache index lends no block.
#[derive(Debug)]
pub struct Pair<'a> {
    pub(super) engine: &'a mut Engine,
    pub(super) cold: Lane,
    pub(super) warm: Lane,
    pub(super) n_positions: usize, // of which K and V are in the cache
}

impl<'a> Pair<'a> {
    /// Takes two sequences of an engine's forward pass, half of its cache for each; what was cached is forgotten.
    ///
    /// # Errors
    /// As [`Lane::all`]: an engine needs [`n_sequences`](crate::generate::EngineOptions::n_sequences) of 2 or more.
    pub fn new(engine: &'a mut Engine) -> Result<Self, GenerateError> {
        let lanes = Lane::all(engine, 2)?;
        Ok(Self { engine, cold: lanes[0], warm: lanes[1], n_positions: 0 })
    }

    /// The engine that computes both.
    pub fn engine(&self) -> &Engine {
        self.engine
    }

    /// Computes a prompt twice, by the cold run's schedule and by the warm run's.
    ///
    /// # Errors
    /// As [`Lane::prefill`].
    pub async fn prefill(
        &mut self,
        ids: &[TokenId],
        cold: &Schedule,
        warm: &Schedule,
    ) -> Result<PairStep, GenerateError> {
        self.engine.check_prompt(ids)?;
        let cold_top = self.cold.prefill(self.engine, ids, cold).await?;
        let cold_logits = self.read_logits().await?;
        let warm_top = self.warm.prefill(self.engine, ids, warm).await?;
        self.n_positions = ids.len();
        self.step_between(cold_top, cold_logits, warm_top).await
    }

    /// Feeds both runs the same token, one after the other.
    ///
    /// # Errors
    /// [`GenerateError::PromptTooLong`] where there is no room for another token; GPU errors.
    pub async fn step(&mut self, id: TokenId) -> Result<PairStep, GenerateError> {
        let cold_top = self.cold.forward(self.engine, self.n_positions, &[id]).await?;
        let cold_logits = self.read_logits().await?;
        let warm_top = self.warm.forward(self.engine, self.n_positions, &[id]).await?;
        self.n_positions += 1;
        self.step_between(cold_top, cold_logits, warm_top).await
    }

    /// Runs a prompt cold and warm again, then the rest of `ids` one by one: logit of `a` minus logit of `b` behind the prompt and
    /// behind each of them, in the cold run and in the warm one. // [1 + tokens behind the prompt]
    ///
    /// # Errors
    /// As [`Lane::prefill`].
    pub async fn margins(
        &mut self,
        ids: &[TokenId],
        (cold, warm): (&Schedule, &Schedule),
        (a, b): (TokenId, TokenId),
    ) -> Result<Vec<[f64; 2]>, GenerateError> {
        let margin = |logits: &[f32]| f64::from(logits[a as usize]) - f64::from(logits[b as usize]);
        let mut margins = Vec::new();
        for end in cold.n_positions()..=ids.len() {
            let mut of_both = [0.0; 2];
            for ((lane, schedule), margin_of_run) in
                [(self.cold, cold), (self.warm, warm)].into_iter().zip(&mut of_both)
            {
                if margins.is_empty() {
                    lane.prefill(self.engine, &ids[..end], schedule).await?;
                } else {
                    lane.forward(self.engine, end - 1, &ids[end - 1..end]).await?;
                }
                *margin_of_run = margin(&self.read_logits().await?);
            }
            margins.push(of_both);
        }
        self.n_positions = ids.len();
        Ok(margins)
    }

    /// Whether this token ends the model's turn.
    pub fn ends_turn(&self, id: TokenId) -> bool {
        self.engine.tokenizer().is_end_of_turn(id)
    }

    async fn step_between(&mut self, cold: Top, cold_logits: Vec<f32>, warm: Top) -> Result<PairStep, GenerateError> {
        let warm_logits = self.read_logits().await?;
        Ok(PairStep { cold, warm, change: LogitChange::between((&cold, &cold_logits), (&warm, &warm_logits)) })
    }

    /// The last step's logits. // [vocab_size]
    async fn read_logits(&mut self) -> Result<Vec<f32>, GenerateError> {
        Ok(self.engine.pass().read_logits(1).await?.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_as_an_engine_runs() {
        let steps = |schedule: Schedule| schedule.steps;
        assert_eq!(steps(Schedule::cold(150, 64)), [0..64, 64..128, 128..150]);
        assert_eq!(steps(Schedule::warm_same_prompt(70, 64)), [0..64, 64..70, 69..70]);
        assert_eq!(steps(Schedule::warm(70, 16, 64)), [0..64, 64..70, 16..70]);
        // First turn of 40 tokens, three tokens of the answer reused, 80 tokens in all.
        let expected = [0..32, 32..40, 40..41, 41..42, 42..43, 43..75, 75..80];
        assert_eq!(steps(Schedule::warm_second_turn(40, 43, 80, 32)), expected);
        // The second prompt leaves the first turn's ids within its prompt: nothing of the answer is reused.
        assert_eq!(steps(Schedule::warm_second_turn(40, 38, 80, 64)), [0..40, 38..80]);
        assert!(steps(Schedule::cold(0, 8)).is_empty());
        assert_eq!((Schedule::warm(70, 16, 64).n_positions(), Schedule::cold(0, 8).n_positions()), (70, 0));
    }

    #[test]
    fn a_change_is_measured_over_all_logits_and_between_the_cold_runs_two() {
        let top = |ids, values| Top { ids, values, ..Top::default() };
        let cold_logits = [1.0, 4.0, 3.5, -2.0, 0.0, -0.0];
        let warm_logits = [1.0, 3.75, 4.0, -2.75, -0.0, -0.0];
        let cold = top([1, 2, 0, 4, 5], [4.0, 3.5, 1.0, 0.0, -0.0]);
        let warm = top([2, 1, 0, 4, 5], [4.0, 3.75, 1.0, -0.0, -0.0]);
        let change = LogitChange::between((&cold, &cold_logits), (&warm, &warm_logits));
        assert_eq!(change, LogitChange { largest: 0.75, n_differing: 4, gap: -0.75, flipped: true });
        let none = LogitChange::between((&cold, &cold_logits), (&cold, &cold_logits));
        assert_eq!(none, LogitChange { largest: 0.0, n_differing: 0, gap: 0.0, flipped: false });
    }
}
