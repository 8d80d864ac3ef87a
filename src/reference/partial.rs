//! One shard's part of the dot products of attn_output and ffn_down.

use std::ops::Range;

use super::activations::Activations;
use super::matmul::{Summation, matmul_of};
use super::weights::Matrix;

/// weights * input over some of the blocks of 32 terms of every product; `[row, embedding_dim]`.
pub fn partial(weights: &Matrix<'_>, input: &Activations, blocks: Range<usize>, summation: Summation) -> Vec<f32> {
    matmul_of(weights, input, blocks, summation)
}
