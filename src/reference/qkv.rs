//! Queries, keys and values of a step: norm, three matmuls, biases, RoPE, and the rounding of what goes into the cache.

use super::kv_cache::cached;
use super::matmul::{Summation, matmul};
use super::rms_norm::{Norm, NormInput, scale_rows};
use super::rope_table::RopeTable;
use super::weights::Matrix;
use crate::numerics::KvFormat;

/// The three projections of a layer's attention.
#[derive(Clone, Debug)]
pub struct QkvWeights<'a> {
    /// Queries; `[n_heads * head_dim, embedding_dim]`.
    pub q: Matrix<'a>,
    /// Keys; `[n_kv_heads * head_dim, embedding_dim]`.
    pub k: Matrix<'a>,
    /// Values; `[n_kv_heads * head_dim, embedding_dim]`.
    pub v: Matrix<'a>,
    /// What is added to the three, of some architectures; `[n_heads * head_dim]`, `[n_kv_heads * head_dim]` twice.
    pub bias: Option<[Vec<f32>; 3]>,
}

impl QkvWeights<'_> {
    /// The three projections of the rows, normed in front, biases added behind: neither turned nor rounded.
    pub(super) fn projected(&self, input: &NormInput, summation: Summation, norm: Norm) -> [Vec<f32>; 3] {
        let inverse_rms = input.inverse_rms(norm);
        let mut i = 0;
        [&self.q, &self.k, &self.v].map(|matrix| {
            let mut totals = matmul(matrix, &input.weighted, summation);
            scale_rows(&mut totals, &inverse_rms);
            if let Some(biases) = &self.bias {
                for row in totals.chunks_exact_mut(matrix.n_rows) {
                    row.iter_mut().zip(&biases[i]).for_each(|(total, bias)| *total += bias);
                }
            }
            i += 1;
            totals
        })
    }
}

/// What a step's rows ask, offer and carry.
#[derive(Clone, Debug, PartialEq)]
pub struct Qkv {
    /// Rotated queries, always f32; `[row, n_heads * head_dim]`.
    pub q: Vec<f32>,
    /// Rotated keys as the cache returns them; `[row, n_kv_heads * head_dim]`.
    pub k: Vec<f32>,
    /// Values as the cache returns them; `[row, n_kv_heads * head_dim]`.
    pub v: Vec<f32>,
}

/// Projects the rows, turns queries and keys to their rows' `positions`, and rounds keys and values as a cache of formats
/// `kv_formats`, K's and V's, does.
pub fn qkv(
    weights: &QkvWeights<'_>,
    input: &NormInput,
    summation: Summation,
    norm: Norm,
    rope: &RopeTable,
    positions: &[usize],
    kv_formats: (KvFormat, KvFormat),
) -> Qkv {
    let [mut q, mut k, v] = weights.projected(input, summation, norm);
    for values in [&mut q, &mut k] {
        rotate_rows(values, rope, positions);
    }
    Qkv { q, k: cached(kv_formats.0, &k), v: cached(kv_formats.1, &v) }
}

/// Turns every row to its position; `[row, len / rows]`.
pub(super) fn rotate_rows(values: &mut [f32], rope: &RopeTable, positions: &[usize]) {
    let row_len = values.len() / positions.len().max(1);
    for (row, &position) in values.chunks_exact_mut(row_len.max(1)).zip(positions) {
        rotate(row, rope.row(position));
    }
}

/// Turns the neighbours (2i, 2i + 1) of every head in a row by the rotation of pair i.
pub fn rotate(row: &mut [f32], cos_sin: &[[f32; 2]]) {
    for head in row.chunks_exact_mut(2 * cos_sin.len()) {
        for ([a, b], [cos, sin]) in head.as_chunks_mut().0.iter_mut().zip(cos_sin) {
            (*a, *b) = (*a * cos - *b * sin, *a * sin + *b * cos);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::{ActivationFormat, Reduction};
    use crate::quant::TensorType;
    use crate::reference::rms_norm::rms_norm_truth;
    use crate::reference::rope_table::RopeSettings;
    use crate::reference::test_data::{Seeded, normalised_error};

    #[test]
    fn a_quarter_turn_by_hand() {
        let mut row = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        rotate(&mut row, &[[0.0, 1.0], [1.0, 0.0]]);
        assert_eq!(row, [-2.0, 1.0, 3.0, 4.0, -6.0, 5.0, 7.0, 8.0]);
    }

    const NORM: Norm = Norm { epsilon: 1e-5, reduction: Reduction::Sequential };

    #[test]
    fn twin_is_close_to_the_truth() {
        let (dim, head_dim, position) = (96, 32, 9);
        let mut seeded = Seeded::new(31);
        let bytes: Vec<Vec<u8>> = [64, 32, 32].map(|n| seeded.weight_bytes(TensorType::Q8_0, n * dim)).into();
        let matrix =
            |i: usize, n_rows| Matrix { tensor_type: TensorType::Q8_0, n_rows, row_len: dim, bytes: &bytes[i] };
        let plain = QkvWeights { q: matrix(0, 64), k: matrix(1, 32), v: matrix(2, 32), bias: None };
        let biases = [64, 32, 32].map(|n| seeded.normals(n));
        let weights = QkvWeights { bias: Some(biases.clone()), ..plain.clone() };
        let (x, norm_weight) = (seeded.normals(dim), seeded.normals(dim));
        let mut input = NormInput::new(ActivationFormat::F32, dim);
        input.push_row(&x, &norm_weight);
        let settings =
            RopeSettings { base: 1e4, head_dim, rope_dim: head_dim, linear_factor: 1.0, frequency_factors: None };
        let rope = RopeTable::new(&settings, position + 1);
        let found = qkv(&weights, &input, Summation::f32(3), NORM, &rope, &[position], (KvFormat::F32, KvFormat::F32));

        let normed = rms_norm_truth(&x, &norm_weight, NORM.epsilon);
        let project = |matrix: &Matrix<'_>, bias: &[f32]| -> Vec<f64> {
            let dot = |row| matrix.row_values(row).iter().zip(&normed).map(|(w, x)| f64::from(*w) * x).sum::<f64>();
            (0..matrix.n_rows).map(|row| dot(row) + f64::from(bias[row])).collect()
        };
        let turned = |values: Vec<f64>| -> Vec<f64> {
            (0..values.len())
                .map(|i| {
                    let angle = position as f64 * 1e4_f64.powf(-((i % head_dim / 2 * 2) as f64) / head_dim as f64);
                    let (sin, cos) = angle.sin_cos();
                    if i % 2 == 0 {
                        values[i] * cos - values[i + 1] * sin
                    } else {
                        values[i - 1] * sin + values[i] * cos
                    }
                })
                .collect()
        };
        assert!(normalised_error(&found.q, &turned(project(&weights.q, &biases[0]))) <= 1e-11);
        assert!(normalised_error(&found.k, &turned(project(&weights.k, &biases[1]))) <= 1e-11);
        assert!(normalised_error(&found.v, &project(&weights.v, &biases[2])) <= 1e-11);
        let without = qkv(&plain, &input, Summation::f32(3), NORM, &rope, &[position], (KvFormat::F32, KvFormat::F32));
        assert!(normalised_error(&without.v, &project(&weights.v, &[0.0; 32])) <= 1e-11);

        let rounded =
            qkv(&weights, &input, Summation::f32(3), NORM, &rope, &[position], (KvFormat::F16, KvFormat::F16));
        assert_eq!(rounded.q, found.q);
        assert!(rounded.k.iter().zip(&found.k).all(|(a, b)| *a == half::f16::from_f32(*b).to_f32()));
        assert_ne!(rounded.v, found.v);
    }
}
