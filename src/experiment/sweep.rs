//! One answer in every shape: chunks, reuse lengths and neighbours, each swept alone, then all of them together; and the same with
//! products split over several devices, which is another answer.

use serde::{Deserialize, Serialize};

use super::case::{Case, Sizes, Work};
use super::runs::{encode, hex_digits};
use super::setting::Setting;
use crate::compare::replay::{Lane, Schedule};
use crate::generate::{Engine, GenerateError};
use crate::model::Outputs;
use crate::numerics::Order;
use crate::tokenizer::TokenId;

/// Rows of one step: the whole prompt with its neighbours.
pub(super) const MOST_ROWS: u32 = 128;

/// The prompt: more than 66 tokens, so that reuse crosses every boundary of interest.
const PROMPT: usize = 2;

/// Rows of a prefill step; 0 for as many as fit.
const CHUNKS: [usize; 5] = [1, 7, 16, 64, 0];

/// Reuse lengths around the edges of blocks (16) and of attention tiles (64).
const EDGES: [usize; 10] = [1, 15, 16, 17, 31, 32, 33, 63, 64, 65];

/// Rows of other sequences in every step.
const NEIGHBOURS: [u32; 4] = [1, 2, 4, 8];

/// The shape that all others are compared with.
pub(super) const PLAIN: (usize, usize, u32) = (64, 0, 0);

/// Which reuse lengths a sweep goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// From nothing to all but the last token.
    Every,
    /// Those around the edges of blocks and tiles, and all but the last token.
    Edges,
}

/// The logits of one answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepOutcome {
    /// The tokens.
    pub ids: Vec<TokenId>,
    /// Hash of the logits of each step.
    pub hashes: Vec<String>,
}

/// The cases of a sweep in one order.
pub(super) fn cases(sizes: &Sizes, order: Order) -> Vec<Case> {
    let mut cases = Vec::new();
    let max_tokens = sizes.few_tokens.min(8);
    let mut add = |setting, shards, (chunk_rows, reused, neighbours)| {
        let case = Case { setting, order, work: Work::Sweep { chunk_rows, reused, neighbours, shards, max_tokens } };
        if !cases.contains(&case) {
            cases.push(case);
        }
    };
    let most_reused = sizes.n_sweep_prompt.saturating_sub(1);
    let reuse: Vec<usize> = match sizes.reuse {
        Reuse::Every => (1..=most_reused).collect(),
        Reuse::Edges => EDGES.into_iter().filter(|n| *n < most_reused).chain([most_reused]).collect(),
    };
    let settings: Vec<Setting> = sizes.settings_in(order).collect();
    let mixed = (16, most_reused.min(33), 4);
    for &setting in &settings {
        add(setting, 1, PLAIN);
        add(setting, 1, mixed);
    }
    CHUNKS.into_iter().for_each(|chunk_rows| add(Setting::Int8, 1, (chunk_rows, 0, 0)));
    reuse.iter().for_each(|&reused| add(Setting::Int8, 1, (64, reused, 0)));
    NEIGHBOURS.into_iter().for_each(|neighbours| add(Setting::Int8, 1, (64, 0, neighbours)));
    for &shards in sizes.shards {
        add(Setting::Int8, shards, PLAIN);
        add(Setting::Int8, shards, mixed);
    }
    let mut random = Random { state: 1 };
    for _ in 0..sizes.combinations {
        let setting = settings[random.below(settings.len())];
        let chunk_rows = CHUNKS[random.below(CHUNKS.len())];
        let reused = reuse[random.below(reuse.len())];
        let shards = sizes.shards[random.below(sizes.shards.len())];
        add(setting, shards, PLAIN);
        add(setting, shards, (chunk_rows, reused, NEIGHBOURS[random.below(NEIGHBOURS.len())]));
    }
    cases
}

/// The prompt's ids.
pub(super) async fn prompt(engine: &Engine) -> Result<Vec<TokenId>, GenerateError> {
    encode(engine, PROMPT).await
}

pub(super) async fn measure(
    engine: &mut Engine,
    chunk_rows: usize,
    reused: usize,
    neighbours: u32,
    max_tokens: usize,
) -> Result<SweepOutcome, GenerateError> {
    let ids = prompt(engine).await?;
    let lanes = Lane::all(engine, neighbours + 1)?;
    let most_positions = lanes[0].most_positions();
    if ids.len() + max_tokens > most_positions {
        let context_len = u32::try_from(most_positions).unwrap_or(u32::MAX);
        return Err(GenerateError::PromptTooLong { n_tokens: ids.len(), context_len });
    }
    let most_rows = engine.chunk_rows() - neighbours as usize;
    let chunk_rows = if chunk_rows == 0 { most_rows } else { chunk_rows.min(most_rows) };
    let schedule = match reused {
        0 => Schedule::cold(ids.len(), chunk_rows),
        _ => Schedule::warm(ids.len(), reused, chunk_rows),
    };
    let mut step = Step { lanes: &lanes, n_done: 0 };
    let mut outcome = SweepOutcome { ids: Vec::new(), hashes: Vec::new() };
    let mut fed = ids.len();
    let mut all = ids;
    for positions in schedule.steps() {
        let choice = step.forward(engine, positions.start, &all[positions.clone()]).await?;
        if positions.end == fed {
            outcome.ids = vec![choice.0];
            outcome.hashes = vec![choice.1];
        }
    }
    while outcome.ids.len() < max_tokens {
        all.push(outcome.ids[outcome.ids.len() - 1]);
        let (id, hash) = step.forward(engine, fed, &all[fed..]).await?;
        fed += 1;
        outcome.ids.push(id);
        outcome.hashes.push(hash);
    }
    Ok(outcome)
}

/// Steps of one sequence with a row of each other sequence in front.
struct Step<'a> {
    lanes: &'a [Lane],
    n_done: usize,
}

impl Step<'_> {
    /// The choice after the last of `ids`, and the hash of its logits.
    async fn forward(
        &mut self,
        engine: &mut Engine,
        from: usize,
        ids: &[TokenId],
    ) -> Result<(TokenId, String), GenerateError> {
        let (own, others) = self.lanes.split_first().expect("at least the sequence itself");
        let mut rows = Vec::new();
        for (i, other) in others.iter().enumerate() {
            // Any ids of the vocabulary will do; the others go on by one position a step, and begin again when they are full.
            let token = u32::try_from(3 + (self.n_done * 7 + i * 31) % 250).expect("a small number");
            rows.extend(other.rows(self.n_done % other.most_positions(), &[token]));
        }
        rows.extend(own.rows(from, ids));
        self.n_done += 1;
        let top = engine.pass().forward(&rows, Outputs::Last).await?[0];
        Ok((top.ids[0], hex_digits(top.hash)))
    }
}

/// SplitMix64, so that every machine sweeps the same combinations.
struct Random {
    state: u64,
}

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((bits ^ (bits >> 31)) % n as u64).expect("less than n")
    }
}
