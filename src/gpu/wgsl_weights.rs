//! How weights of each format are read: the files of a format, beside those that several share.

use super::wgsl::shader;
use crate::quant::TensorType;

/// Whether weights of this format are quants, whose products with int8 activations are integers.
pub(super) fn are_quants(weights: TensorType) -> bool {
    !matches!(weights, TensorType::F32 | TensorType::F16 | TensorType::BF16)
}

/// Everything that reads weights of a format.
pub(super) fn source(weights: TensorType) -> String {
    let mut files = files(weights);
    if are_quants(weights) {
        files.extend([shader!("shared/weights_quants"), shader!("shared/unpack")]);
    } else {
        files.push(shader!("shared/weights_float"));
    }
    files.concat()
}

/// The format's own file, and what it needs: how its quants lie in panels, how its scales do.
fn files(weights: TensorType) -> Vec<&'static str> {
    let (two_bits, four_bits, five_bits) =
        (shader!("shared/two_bits"), shader!("shared/four_bits"), shader!("shared/five_bits"));
    let (scale, minimum) = (shader!("shared/scale_f16"), shader!("shared/scale_minimum"));
    let (k_minima, k_block, k_halves) =
        (shader!("shared/scale_k_minima"), shader!("shared/scale_k_block"), shader!("shared/scale_k_halves"));
    let (table, iq4_nl) = (shader!("shared/table"), shader!("shared/weights_iq4_nl"));
    match weights {
        TensorType::F32 => vec![shader!("shared/weights_f32")],
        TensorType::F16 => vec![shader!("shared/weights_f16")],
        TensorType::BF16 => vec![shader!("shared/weights_bf16")],
        TensorType::Q8_0 => vec![shader!("shared/weights_q8_0"), scale],
        TensorType::Q5_0 => vec![shader!("shared/weights_q5_0"), five_bits, scale],
        TensorType::Q5_1 => vec![shader!("shared/weights_q5_1"), five_bits, minimum],
        TensorType::Q4_0 => vec![shader!("shared/weights_q4_0"), four_bits, scale],
        TensorType::Q4_1 => vec![shader!("shared/weights_q4_1"), four_bits, minimum],
        TensorType::Q6K => vec![shader!("shared/weights_q6_k"), k_halves],
        TensorType::Q5K => vec![shader!("shared/weights_q5_k"), five_bits, k_minima, k_block],
        TensorType::Q4K => vec![shader!("shared/weights_q4_k"), four_bits, k_minima, k_block],
        TensorType::Q3K => vec![shader!("shared/weights_q3_k"), k_halves],
        TensorType::Q2K => vec![shader!("shared/weights_q2_k"), two_bits, k_minima],
        TensorType::IQ4NL => vec![iq4_nl, four_bits, table, scale],
        TensorType::IQ4XS => vec![shader!("shared/weights_iq4_xs"), iq4_nl, four_bits, table],
        TensorType::MXFP4 => vec![shader!("shared/weights_mxfp4"), four_bits, table],
        TensorType::Q3_32 => vec![shader!("shared/weights_q3_32")],
        TensorType::Q2_32 => vec![shader!("shared/weights_q2_32"), two_bits, minimum],
    }
}
