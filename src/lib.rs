//! lastbit runs one prompt on a small language model twice, cold and warm, and finds the last bit at which the two differ.

pub mod cache;
#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
pub mod compare;
pub mod error;
pub mod experiment;
pub mod generate;
pub mod gguf;
pub mod gpu;
pub mod model;
pub mod numerics;
pub mod quant;
pub mod reference;
pub mod tiny_model;
pub mod tokenizer;
#[cfg(target_arch = "wasm32")]
pub mod web;
