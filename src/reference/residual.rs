//! A matmul that adds its totals to the residual stream and weighs the sum for the next norm: attn_output and ffn_down.

use super::activations::Activations;
use super::matmul::{Summation, matmul};
use super::rms_norm::NormInput;
use super::weights::Matrix;
use crate::numerics::ActivationFormat;

/// x + weights * input, weighed by `norm_weight`, the weight of the norm that comes next, in the format of `input`.
///
/// `x` is the residual stream so far; `[row, embedding_dim]`.
pub fn residual(
    weights: &Matrix<'_>,
    input: &Activations,
    summation: Summation,
    x: &[f32],
    norm_weight: &[f32],
) -> NormInput {
    onto_stream(input.format(), x, &matmul(weights, input, summation), norm_weight)
}

/// x + totals, weighed by `norm_weight` in `format`.
pub(super) fn onto_stream(format: ActivationFormat, x: &[f32], totals: &[f32], norm_weight: &[f32]) -> NormInput {
    let mut rows = NormInput::new(format, norm_weight.len());
    for (x, totals) in x.chunks_exact(norm_weight.len()).zip(totals.chunks_exact(norm_weight.len())) {
        let sum: Vec<f32> = x.iter().zip(totals).map(|(x, total)| x + total).collect();
        rows.push_row(&sum, norm_weight);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quant::TensorType;
    use crate::reference::matmul::matmul_truth;
    use crate::reference::test_data::{Seeded, normalised_error};

    #[test]
    fn adds_the_product_to_the_stream() {
        for format in [ActivationFormat::F32, ActivationFormat::Int8] {
            let mut seeded = Seeded::new(21);
            let bytes = seeded.weight_bytes(TensorType::Q4_1, 64 * 96);
            let weights = Matrix { tensor_type: TensorType::Q4_1, n_rows: 64, row_len: 96, bytes: &bytes };
            let input = Activations::from_rows(format, 96, &seeded.normals(2 * 96));
            let x = seeded.normals(2 * 64);
            let rows = residual(&weights, &input, Summation::f32(3), &x, &[1.0; 64]);
            let truth: Vec<f64> =
                matmul_truth(&weights, &input).iter().zip(&x).map(|(total, x)| total + f64::from(*x)).collect();
            let error = normalised_error(&rows.x, &truth);
            assert!(error <= 1e-12, "{format:?}: {error:e}");
            assert_eq!(rows.weighted.format(), format);
            assert_eq!(rows.n_rows(), 2);
        }
    }
}
