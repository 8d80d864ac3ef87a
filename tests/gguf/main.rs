//! The GGUF reader at its limits, in pieces, and against random files; files that are wrong in one place are rows of `tests/reliability`.
#![cfg(not(target_arch = "wasm32"))]

mod accepted;
mod limits;
mod parts;
mod properties;
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
