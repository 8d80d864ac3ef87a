//! Experiments: many comparisons under one protocol, counted.

pub mod forks;
pub mod prompts;
mod summary;
pub mod wilson;

pub use summary::{Summary, summarise};
