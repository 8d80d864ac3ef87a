//! The first half of the feed-forward: norm, gate and up matmuls, the gate bent and multiplied.

use super::activations::Activations;
use super::exact_math::{exact_gelu_tanh, exact_silu};
use super::matmul::{Summation, matmul};
use super::rms_norm::{Norm, NormInput, scale_rows};
use super::weights::Matrix;
use crate::architecture::Activation;

/// activation(gate * norm(x)) * (up * norm(x)), stored in the format of `input`; `[row, ffn_dim]`.
pub fn gate_up(
    gate: &Matrix<'_>,
    up: &Matrix<'_>,
    input: &NormInput,
    summation: Summation,
    norm: Norm,
    activation: Activation,
) -> Activations {
    let activated = match activation {
        Activation::Silu => exact_silu,
        Activation::GeluTanh => exact_gelu_tanh,
    };
    let inverse_rms = input.inverse_rms(norm);
    let project = |matrix: &Matrix<'_>| {
        let mut totals = matmul(matrix, &input.weighted, summation);
        scale_rows(&mut totals, &inverse_rms);
        totals
    };
    let (gates, ups) = (project(gate), project(up));
    let hidden: Vec<f32> = gates.iter().zip(&ups).map(|(gate, up)| activated(*gate) * up).collect();
    Activations::from_rows(input.weighted.format(), gate.n_rows, &hidden)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::{ActivationFormat, Reduction};
    use crate::quant::TensorType;
    use crate::reference::rms_norm::rms_norm_truth;
    use crate::reference::test_data::{Seeded, normalised_error};

    const NORM: Norm = Norm { epsilon: 1e-5, reduction: Reduction::Sequential };

    #[test]
    fn twin_is_close_to_the_truth() {
        let (dim, ffn_dim) = (64, 96);
        let mut seeded = Seeded::new(41);
        // Eight times the usual spread, so that the SiLU bends.
        let (x, norm_weight) = (seeded.normals(dim), seeded.normals(dim).iter().map(|w| 8.0 * w).collect::<Vec<_>>());
        let bytes = [(); 2].map(|()| seeded.weight_bytes(TensorType::F16, ffn_dim * dim));
        let [gate, up] = [&bytes[0], &bytes[1]].map(|bytes| Matrix {
            tensor_type: TensorType::F16,
            n_rows: ffn_dim,
            row_len: dim,
            bytes,
        });
        let mut input = NormInput::new(ActivationFormat::F32, dim);
        input.push_row(&x, &norm_weight);
        let twin = |activation| match gate_up(&gate, &up, &input, Summation::f32(2), NORM, activation) {
            Activations::F32 { values, .. } => values,
            _ => panic!("asked for f32"),
        };
        let normed = rms_norm_truth(&x, &norm_weight, NORM.epsilon);
        let dot = |matrix: &Matrix<'_>, row| -> f64 {
            matrix.row_values(row).iter().zip(&normed).map(|(w, x)| f64::from(*w) * x).sum()
        };
        let gelu = |x: f64| 0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh());
        let silu = |x: f64| x / (1.0 + (-x).exp());
        for (activation, truth) in [(Activation::Silu, silu as fn(f64) -> f64), (Activation::GeluTanh, gelu)] {
            let truth: Vec<f64> = (0..ffn_dim).map(|row| truth(dot(&gate, row)) * dot(&up, row)).collect();
            let error = normalised_error(&twin(activation), &truth);
            assert!(error <= 1e-11, "{activation:?}: {error:e}");
        }
    }
}
