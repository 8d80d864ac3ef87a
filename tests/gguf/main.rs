//! The GGUF reader at its limits and in pieces; files that are wrong in one place or at random are in `tests/reliability`.
#![cfg(not(target_arch = "wasm32"))]

mod accepted;
mod limits;
mod parts;
#[path = "../support/raw.rs"]
mod raw;
mod splits;
mod tiny_model;

use lastbit::gguf::{GgufError, GgufFile, GgufStream};

/// The verdict of a stream that does not know the file's length.
fn stream_verdict(file: &[u8]) -> Result<GgufFile, GgufError> {
    let mut stream = GgufStream::new(None);
    stream.push(file)?;
    let header = stream.header().map(|header| GgufFile::clone(header));
    stream.finish()?;
    Ok(header.expect("a stream that finishes has a header"))
}
