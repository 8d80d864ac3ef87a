//! lastbit runs one prompt on a small language model cold, cold and warm, and finds the last bit at which the answers differ.
//!
//! Data flows one way: bytes of a GGUF file ([`gguf`], [`quant`]) become weights on the GPU ([`model`]), rows go through the
//! forward pass ([`model::ForwardPass`], [`gpu`]), logits become tokens and a trace ([`generate`]), traces a comparison and a
//! verdict ([`mod@compare`]). Arrows between modules point down only; `tests/tidy.rs` holds them.
//!
//! - Each shader has a twin of its name in [`reference`] that adds in the same order; nothing runs on a device before they agree.
//! - Only [`gpu`] knows wgpu, only `web` knows JavaScript, only [`gpu::select`] looks at a row count to choose a kernel.
//! - The forward pass has no hidden state: the same weights, rows, cache and kernels give the same bits.

pub mod architecture;
#[cfg(not(target_arch = "wasm32"))]
pub mod bench;
pub mod cache;
#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
pub mod compare;
pub mod error;
pub mod experiment;
pub mod generate;
pub mod gguf;
pub mod gpu;
pub mod lesson;
pub mod model;
pub mod numerics;
#[cfg(any(target_arch = "wasm32", test))]
pub mod page;
pub mod quant;
pub mod reference;
pub mod tiny_model;
pub mod tokenizer;
#[cfg(target_arch = "wasm32")]
pub mod web;
