//! The output head: the last norm and the matmul over the vocabulary.

use super::matmul::{Summation, matmul};
use super::rms_norm::{Norm, NormInput, scale_rows};
use super::weights::Matrix;

/// Logits of the rows of `input`; `[row, vocab_size]`.
pub fn output(head: &Matrix<'_>, input: &NormInput, summation: Summation, norm: Norm) -> Vec<f32> {
    let mut logits = matmul(head, &input.weighted, summation);
    scale_rows(&mut logits, &input.inverse_rms(norm));
    logits
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
        let mut seeded = Seeded::new(51);
        let bytes = seeded.weight_bytes(TensorType::Q8_0, 70 * 160);
        let head = Matrix { tensor_type: TensorType::Q8_0, n_rows: 70, row_len: 160, bytes: &bytes };
        let norm_weight = seeded.normals(160);
        let rows = [seeded.normals(160), seeded.normals(160)];
        let mut input = NormInput::new(ActivationFormat::F32, 160);
        for row in &rows {
            input.push_row(row, &norm_weight);
        }
        let truth: Vec<f64> = rows
            .iter()
            .flat_map(|row| {
                let normed = rms_norm_truth(row, &norm_weight, NORM.epsilon);
                (0..70).map(move |token| (token, normed.clone()))
            })
            .map(|(token, normed)| head.row_values(token).iter().zip(&normed).map(|(w, x)| f64::from(*w) * x).sum())
            .collect();
        let error = normalised_error(&output(&head, &input, Summation::f32(5), NORM), &truth);
        assert!(error <= 1e-11, "{error:e}");
    }
}
