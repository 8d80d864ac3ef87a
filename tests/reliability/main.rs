//! The project's list of bad inputs, rows B001 to B110: each a test of that name with the expected code. `rows.tsv` says where each row is
//! tested, also those whose test lies elsewhere: on a GPU, on wasm32, in the page.
#![cfg(not(target_arch = "wasm32"))]

#[path = "../support/bad_files.rs"]
mod bad_files;
#[path = "../support/changed.rs"]
mod changed;
#[path = "../../fuzz/src/targets/mod.rs"]
mod fuzz_targets;
#[path = "../support/raw.rs"]
mod raw;
#[path = "../support/mod.rs"]
mod support;

mod canary;
mod description;
mod errors;
mod fuzz;
mod header_size;
mod input;
mod parser;
mod properties;
mod rows;
mod template;
mod tokenizer;
mod weights;

use std::sync::Arc;

use lastbit::error::explain;
use lastbit::generate::{CancelToken, Engine, EngineOptions, GenerateError, RunOptions, RunTrace};
use lastbit::model::{Model, TwinPass, TwinWeights};
use lastbit::numerics::{Formats, Numerics, Order};
use lastbit::tokenizer::TokenId;

/// A small engine on the CPU twin, which takes files under the checks that a GPU's loader has.
fn engine(bytes: &[u8]) -> Result<Engine<TwinPass>, GenerateError> {
    let model: Model<Arc<TwinWeights>> = Model::read(bytes, Some(bytes.len() as u64))?;
    let options = EngineOptions { context_len: 128, n_cache_blocks: 8, ..EngineOptions::default() };
    Engine::on_twin(model, Numerics::new(Formats::Int8, Order::Invariant, 32), options)
}

/// The code that a person is shown, and that the words around it are whole sentences without the file's own markup or length.
fn code_shown(error: &GenerateError) -> String {
    let explained = explain(error);
    assert!(explained.what_to_do.ends_with('.') && explained.message.len() < 500, "{explained}");
    let (_, code) = explained.message.rsplit_once('(').unwrap_or_else(|| panic!("{explained} shows no code"));
    code.trim_end_matches(')').to_owned()
}

/// Runs these tokens, and up to so many more.
fn run(engine: &mut Engine<TwinPass>, ids: &[TokenId], max_tokens: usize) -> RunTrace {
    let run = async { engine.run(ids, RunOptions::tokens(max_tokens), &CancelToken::default(), |_| ()).await };
    pollster::block_on(run).unwrap_or_else(|error| panic!("{error}"))
}
