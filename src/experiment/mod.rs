//! Experiments: many comparisons under one protocol, counted.

pub mod forks;
pub mod prompts;
pub mod statistics;
mod summary;

pub use summary::{Summary, summarise};
