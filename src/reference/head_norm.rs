//! The norms of the heads of queries and keys, their rotation, and the rounding of the keys for the cache.

use super::exact_math::exact_inverse_sqrt;
use super::kv_cache::cached;
use super::qkv::{Qkv, rotate_rows};
use super::qkv_raw::QkvRaw;
use super::reduction::reduce;
use super::rms_norm::block_sum_of_squares;
use super::rope_table::RopeTable;
use crate::numerics::{KvFormat, Reduction};

/// Norms of the heads of queries and keys.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadNorms {
    /// Weight of every head of the queries; `[head_dim]`.
    pub q: Vec<f32>,
    /// Weight of every head of the keys; `[head_dim]`.
    pub k: Vec<f32>,
    /// What is added to the mean of squares.
    pub epsilon: f32,
}

/// Norms the heads of queries and keys, turns them to their rows' `positions`, and rounds the keys as a cache of format `k_format` does.
pub fn head_norm(raw: QkvRaw, norms: &HeadNorms, rope: &RopeTable, positions: &[usize], k_format: KvFormat) -> Qkv {
    let QkvRaw { mut q, mut k, v } = raw;
    for (values, weight) in [(&mut q, &norms.q), (&mut k, &norms.k)] {
        values.chunks_exact_mut(weight.len()).for_each(|head| norm_head(head, weight, norms.epsilon));
        rotate_rows(values, rope, positions);
    }
    Qkv { q, k: cached(k_format, &k), v }
}

/// RMSNorm of one head: its blocks' sums of squares are added one after another, whatever the order of the norms of rows.
fn norm_head(head: &mut [f32], weight: &[f32], epsilon: f32) {
    let sums: Vec<f32> = head.as_chunks().0.iter().map(block_sum_of_squares).collect();
    let inverse_dim = 1.0 / head.len() as f32;
    let factor = exact_inverse_sqrt(reduce(Reduction::Sequential, &sums) * inverse_dim + epsilon);
    head.iter_mut().zip(weight).for_each(|(value, weight)| *value = (*value * factor) * weight);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::rms_norm::rms_norm_truth;
    use crate::reference::rope_table::RopeSettings;
    use crate::reference::test_data::{Seeded, normalised_error};

    #[test]
    fn twin_is_close_to_the_truth() {
        for head_dim in [32, 96, 256] {
            let mut seeded = Seeded::new(head_dim as u64);
            let raw = QkvRaw { q: seeded.normals(2 * head_dim), k: seeded.normals(head_dim), v: vec![1.0] };
            let [q, k] = [(); 2].map(|()| seeded.normals(head_dim));
            let norms = HeadNorms { q, k, epsilon: 1e-6 };
            let settings =
                RopeSettings { base: 1e4, head_dim, rope_dim: head_dim, linear_factor: 1.0, frequency_factors: None };
            // At position 0 nothing turns.
            let found = head_norm(raw.clone(), &norms, &RopeTable::new(&settings, 1), &[0], KvFormat::F32);
            let truth: Vec<f64> =
                raw.q.chunks(head_dim).flat_map(|head| rms_norm_truth(head, &norms.q, 1e-6)).collect();
            assert!(normalised_error(&found.q, &truth) <= 1e-12, "{head_dim}");
            assert!(normalised_error(&found.k, &rms_norm_truth(&raw.k, &norms.k, 1e-6)) <= 1e-12, "{head_dim}");
            assert_eq!(found.v, raw.v);
        }
    }
}
