//! The dot products of attn_output and ffn_down where a norm stands between them and the residual stream.

use super::activations::Activations;
use super::matmul::{Summation, matmul};
use super::weights::Matrix;

/// weights * input, for `post_norm` to take on; `[row, embedding_dim]`.
pub fn total(weights: &Matrix<'_>, input: &Activations, summation: Summation) -> Vec<f32> {
    matmul(weights, input, summation)
}
