//! The engine on the tiny model: its forward pass against the CPU twin's, invariance over chunks, reuse and neighbours, and every way
//! in which a run or a file can go wrong.
#![cfg(not(target_arch = "wasm32"))]

#[path = "../support/mod.rs"]
mod support;

mod ablation;
mod comparisons;
mod invariance;
mod orders;
mod origin;
mod overflow;
mod refusals;
mod replay;
mod report;
mod runs;
mod taps;
mod twin;
mod twin_engine;
mod weights;

use lastbit::generate::{Engine, EngineOptions};
use lastbit::model::Row;
use lastbit::numerics::{Formats, KvFormat, Numerics, Order};

const ALL_FORMATS: [Formats; 3] = [Formats::Int8, Formats::Float, Formats::F32];

/// The named formats, and those of K and V that have no name.
fn all_numerics(order: Order) -> Vec<Numerics> {
    let named = |formats| Numerics::new(formats, order, 128);
    let cached = |formats, k, v| Numerics { k, v, ..named(formats) };
    let mut all: Vec<Numerics> = ALL_FORMATS.map(named).into();
    all.extend([
        cached(Formats::Int8, KvFormat::Q8_0, KvFormat::Q8_0),
        cached(Formats::Float, KvFormat::Q4_0, KvFormat::Q8_0),
        cached(Formats::Int8, KvFormat::F32, KvFormat::Q4_0),
        cached(Formats::Float, KvFormat::Q4_0, KvFormat::Q4_0),
    ]);
    all
}

/// An engine with the tiny model of these bytes, for up to four sequences at once.
async fn engine(bytes: &[u8], formats: Formats, order: Order) -> Engine {
    engine_under(bytes, Numerics::new(formats, order, 128)).await
}

/// The same under any numerics.
async fn engine_under(bytes: &[u8], numerics: Numerics) -> Engine {
    let device = support::device().await;
    let model = support::load(&device, bytes).await;
    let options = EngineOptions { context_len: 256, n_cache_blocks: 96, n_sequences: 4, ..EngineOptions::default() };
    Engine::new(&device, model, numerics, options).await.expect("the engine starts")
}

/// Seeded token ids of the tiny model's vocabulary, special tokens left out.
fn ids(n: usize, seed: u32) -> Vec<u32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        3 + (state >> 16) % 300
    };
    (0..n).map(|_| next()).collect()
}

/// Rows of one sequence, whose cache blocks follow each other from `first_block`.
fn rows(sequence: u32, first_position: usize, tokens: &[u32], first_block: u32) -> Vec<Row> {
    let row = |(i, &token): (usize, &u32)| {
        let position = (first_position + i) as u32;
        Row { sequence, position, token, block: first_block + position / 16 }
    };
    tokens.iter().enumerate().map(row).collect()
}
