//! One answer in every shape: chunks, reuse lengths and neighbours, each swept alone, then all of them together; and the same with
//! products split over several devices, which is another answer.

use serde::{Deserialize, Serialize};

use super::case::{Case, Sizes, Work};
use super::runs::{encode, hex_digits};
use super::setting::Setting;
use crate::compare::shapes::{NEIGHBOURS, REUSE_EDGES, Shape, answer_in_shape};
use crate::generate::{Engine, GenerateError};
use crate::numerics::Order;
use crate::tokenizer::TokenId;

/// Rows of one step: the whole prompt with its neighbours.
pub(super) const MOST_ROWS: u32 = 128;

/// The prompt: more than 66 tokens, so that reuse crosses every boundary of interest.
const PROMPT: usize = 2;

/// Rows of a prefill step; 0 for as many as fit.
const CHUNKS: [usize; 5] = [1, 7, 16, 64, 0];

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
        Reuse::Edges => REUSE_EDGES.into_iter().filter(|n| *n < most_reused).chain([most_reused]).collect(),
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
    reused_tokens: usize,
    n_neighbours: u32,
    max_tokens: usize,
) -> Result<SweepOutcome, GenerateError> {
    let chunk_rows = if chunk_rows == 0 { engine.chunk_rows() } else { chunk_rows };
    let ids = prompt(engine).await?;
    let answer = answer_in_shape(engine, &ids, Shape { chunk_rows, reused_tokens, n_neighbours }, max_tokens).await?;
    Ok(SweepOutcome { ids: answer.ids, hashes: answer.hashes.into_iter().map(hex_digits).collect() })
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
