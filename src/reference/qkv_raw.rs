//! Queries, keys and values of a step where the heads of queries and keys have norms: norm, three matmuls and biases, and the rounding of
//! the values, which go into the cache. Queries and keys wait for `head_norm`.

use super::kv_cache::cached;
use super::matmul::Summation;
use super::qkv::QkvWeights;
use super::rms_norm::{Norm, NormInput};
use crate::numerics::KvFormat;

/// A step's queries, keys and values before the norms of their heads.
#[derive(Clone, Debug, PartialEq)]
pub struct QkvRaw {
    /// Queries as projected; `[row, n_heads * head_dim]`.
    pub q: Vec<f32>,
    /// Keys as projected; `[row, n_kv_heads * head_dim]`.
    pub k: Vec<f32>,
    /// Values as the cache returns them; `[row, n_kv_heads * head_dim]`.
    pub v: Vec<f32>,
}

/// Projects the rows and rounds the values as a cache of format `v_format` does.
pub fn qkv_raw(
    weights: &QkvWeights<'_>,
    input: &NormInput,
    summation: Summation,
    norm: Norm,
    v_format: KvFormat,
) -> QkvRaw {
    let [q, k, v] = weights.projected(input, summation, norm);
    QkvRaw { q, k, v: cached(v_format, &v) }
}
