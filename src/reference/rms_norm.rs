//! RMSNorm, folded into its neighbours: whoever writes the residual stream weighs it, whoever reads it scales the result.
//!
//! RMSNorm(x) = x * weight * inverse_rms, and inverse_rms is one number per row. So the kernel that writes x also writes
//! x * weight in the format of the activations and the sum of squares of each block of 32, and the next matmul multiplies
//! its totals by inverse_rms. The sums of squares are of x itself, before the weights.

use super::activations::Activations;
use super::exact_math::exact_inverse_sqrt;
use super::reduction::reduce;
use super::weights::BLOCK_LEN;
use crate::numerics::{ActivationFormat, Reduction};

/// Rows of the residual stream, with what the next norm and its matmul need of them.
#[derive(Clone, Debug, PartialEq)]
pub struct NormInput {
    /// The residual stream; `[row, embedding_dim]`.
    pub x: Vec<f32>,
    /// x * norm weight, not yet divided by the root mean square; `[row, embedding_dim]`.
    pub weighted: Activations,
    /// Sum of squares of every block of 32 of x; `[row, embedding_dim / 32]`.
    pub sums_of_squares: Vec<f32>,
}

/// Sum of the squares of 32 values: 8 lanes of 4 neighbours, added one after another in a lane, and the lanes in pairs.
pub fn block_sum_of_squares(x: &[f32; BLOCK_LEN]) -> f32 {
    let mut s = [0.0_f32; 8];
    for (lane, v) in s.iter_mut().zip(x.as_chunks::<4>().0) {
        *lane = ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]) + v[3] * v[3];
    }
    ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))
}

/// How a norm is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Norm {
    /// What is added to the mean of squares.
    pub epsilon: f32,
    /// The order in which a row's blocks are added.
    pub reduction: Reduction,
}

/// 1 / sqrt(mean of squares + epsilon) from the blocks' sums of one row.
pub fn inverse_rms(sums_of_squares: &[f32], norm: Norm) -> f32 {
    let inverse_dim = 1.0 / (sums_of_squares.len() * BLOCK_LEN) as f32;
    exact_inverse_sqrt(reduce(norm.reduction, sums_of_squares) * inverse_dim + norm.epsilon)
}

/// RMSNorm of one row in f64.
pub fn rms_norm_truth(x: &[f32], norm_weight: &[f32], norm_epsilon: f32) -> Vec<f64> {
    let mean = x.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() / x.len() as f64;
    let inverse_rms = 1.0 / (mean + f64::from(norm_epsilon)).sqrt();
    x.iter().zip(norm_weight).map(|(x, w)| f64::from(*x) * f64::from(*w) * inverse_rms).collect()
}

impl NormInput {
    /// No rows yet.
    pub fn new(format: ActivationFormat, embedding_dim: usize) -> Self {
        Self { x: Vec::new(), weighted: Activations::new(format, embedding_dim), sums_of_squares: Vec::new() }
    }

    /// Appends one row of the residual stream, weighed for the norm that comes next.
    pub fn push_row(&mut self, x: &[f32], norm_weight: &[f32]) {
        assert_eq!(x.len(), norm_weight.len(), "row length and norm weights");
        let weighted: Vec<f32> = x.iter().zip(norm_weight).map(|(x, w)| x * w).collect();
        self.weighted.push_row(&weighted);
        self.sums_of_squares.extend(x.as_chunks().0.iter().map(block_sum_of_squares));
        self.x.extend_from_slice(x);
    }

    /// Rows so far.
    pub fn n_rows(&self) -> usize {
        self.weighted.n_rows()
    }

    /// [`inverse_rms`] of every row.
    pub fn inverse_rms(&self, norm: Norm) -> Vec<f32> {
        let n_blocks = self.weighted.row_len() / BLOCK_LEN;
        self.sums_of_squares.chunks_exact(n_blocks).map(|row| inverse_rms(row, norm)).collect()
    }

    /// A copy of some of the rows, in the given order.
    pub fn select_rows(&self, rows: impl Iterator<Item = usize> + Clone) -> Self {
        let embedding_dim = self.weighted.row_len();
        let n_blocks = embedding_dim / BLOCK_LEN;
        Self {
            x: rows.clone().flat_map(|row| self.x[row * embedding_dim..][..embedding_dim].to_vec()).collect(),
            weighted: self.weighted.select_rows(rows.clone()),
            sums_of_squares: rows.flat_map(|row| self.sums_of_squares[row * n_blocks..][..n_blocks].to_vec()).collect(),
        }
    }
}

/// Multiplies the totals of a matmul by their rows' inverse_rms, in place; `[row, len / n_rows]`.
pub fn scale_rows(totals: &mut [f32], inverse_rms: &[f32]) {
    let row_len = totals.len() / inverse_rms.len().max(1);
    for (row, scale) in totals.chunks_exact_mut(row_len.max(1)).zip(inverse_rms) {
        for total in row {
            *total *= scale;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::test_data::{Seeded, normalised_error};

    #[test]
    fn sum_of_squares_by_hand() {
        let mut x = [0.0; 32];
        (x[0], x[5], x[31]) = (3.0, -4.0, 12.0);
        assert_eq!(block_sum_of_squares(&x), 169.0);
        // 256 over 64 values: a mean of 4, and one ulp for the Newton steps.
        assert!(
            (inverse_rms(&[169.0, 87.0], Norm { epsilon: 0.0, reduction: Reduction::Sequential }) - 0.5).abs()
                <= f32::EPSILON / 2.0
        );
    }

    #[test]
    fn lanes_are_added_in_pairs() {
        // 2^24 in lane 0 swallows a 1 from lane 1, but not 1 + 1 from lanes 2 and 3.
        let mut x = [0.0; 32];
        (x[0], x[4]) = (4096.0, 1.0);
        assert_eq!(block_sum_of_squares(&x), 16_777_216.0);
        (x[4], x[8], x[12]) = (0.0, 1.0, 1.0);
        assert_eq!(block_sum_of_squares(&x), 16_777_218.0);
    }

    #[test]
    fn the_folded_norm_is_close_to_the_truth() {
        let mut seeded = Seeded::new(3);
        for dim in [32, 64, 576] {
            let (x, weight) = (seeded.normals(dim), seeded.normals(dim));
            let mut input = NormInput::new(ActivationFormat::F32, dim);
            input.push_row(&x, &weight);
            let Activations::F32 { mut values, .. } = input.weighted.clone() else { panic!("asked for f32") };
            scale_rows(&mut values, &input.inverse_rms(Norm { epsilon: 1e-5, reduction: Reduction::Pairwise }));
            let error = normalised_error(&values, &rms_norm_truth(&x, &weight, 1e-5));
            assert!(error <= 1e-13, "{dim}: {error:e}");
        }
    }
}
