//! The GGUF reader against files that are wrong in one place, files at its limits, and random ones.
//!
//! Names B001 to B047 are the rows of the project's list of bad inputs.
#![cfg(not(target_arch = "wasm32"))]

mod accepted;
mod limits;
mod malformed;
mod parts;
mod properties;
mod raw;
mod splits;
mod tiny_model;
