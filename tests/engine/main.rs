//! The engine on the tiny model: its forward pass against the CPU twin's, invariance over chunks, reuse and neighbours, and every way
//! in which a run or a file can go wrong.
#![cfg(not(target_arch = "wasm32"))]

#[path = "../support/mod.rs"]
mod support;

mod ablation;
mod architectures;
mod comparisons;
mod corruption;
mod dissection;
mod dot_product;
mod fit;
mod invariance;
mod orders;
mod origin;
mod overflow;
mod parts;
mod refusals;
mod replay;
mod report;
mod runs;
mod shapes;
mod shards;
mod taps;
mod twin;
mod twin_engine;
mod unusual_weights;
mod weights;

use lastbit::generate::{Engine, EngineOptions};
use lastbit::model::Row;
use lastbit::numerics::{Accumulation, ActivationFormat, Arithmetic, Formats, KvFormat, Numerics, Order};
use lastbit::tiny_model::TinyModel;
use lastbit::tokenizer::UnknownPreTokenizer;

/// A tiny model whose products show their order in every format. In `half` a block is one term, so slices of one block, which the plain tiny
/// model has, are added like one slice of all; here a row is nine blocks, and slices are of three.
fn wide_model() -> Vec<u8> {
    TinyModel { n_heads: 9, n_kv_heads: 3, ..TinyModel::default() }.gguf_bytes()
}

/// The named formats, and all that has no name: every format of K and of V, of activations and of sums.
fn all_numerics(order: Order) -> Vec<Numerics> {
    let named = |formats| Numerics::new(formats, order, 128);
    let float = named(Formats::Float);
    let with = |arithmetic, k, v| Numerics { decode: arithmetic, prefill: arithmetic, k, v, ..float };
    let int8 = Arithmetic::of(ActivationFormat::Int8);
    let in_f16 = |activations| Arithmetic { activations, accumulation: Accumulation::F16 };
    let mut all: Vec<Numerics> = Formats::ALL.map(named).into();
    all.extend([
        with(int8, KvFormat::Q8_0, KvFormat::Q8_0),
        with(float.decode, KvFormat::Q4_0, KvFormat::Q8_0),
        with(Arithmetic::of(ActivationFormat::F16), KvFormat::Q8_0, KvFormat::Q4_0),
        with(in_f16(ActivationFormat::Int8), KvFormat::F32, KvFormat::Q4_0),
        with(in_f16(ActivationFormat::F32), KvFormat::F16, KvFormat::F32),
        with(int8, KvFormat::Q4_0, KvFormat::Q4_0),
    ]);
    all
}

/// Steps of many rows in another arithmetic than steps of few, as some engines have it.
fn two_arithmetics() -> [Numerics; 3] {
    let named = |formats| Numerics::new(formats, Order::ByShape, 128);
    let float = named(Formats::Float);
    let in_f16 = Arithmetic { accumulation: Accumulation::F16, ..float.prefill };
    [
        Numerics { prefill: Arithmetic::of(ActivationFormat::Int8), ..float },
        Numerics { prefill: in_f16, ..float },
        Numerics { decode: Arithmetic::of(ActivationFormat::Int8), ..named(Formats::Half) },
    ]
}

/// Room for four sequences.
const OPTIONS: EngineOptions = EngineOptions {
    context_len: 256,
    n_cache_blocks: 96,
    n_sequences: 4,
    unknown_pre_tokenizer: UnknownPreTokenizer::Refuse,
};

/// An engine with the tiny model of these bytes, for up to four sequences at once.
async fn engine(bytes: &[u8], formats: Formats, order: Order) -> Engine {
    engine_under(bytes, Numerics::new(formats, order, 128)).await
}

/// The same under any numerics.
async fn engine_under(bytes: &[u8], numerics: Numerics) -> Engine {
    let device = support::device().await;
    let model = support::load(&device, bytes).await;
    Engine::new(&device, model, numerics, OPTIONS).await.expect("the engine starts")
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
