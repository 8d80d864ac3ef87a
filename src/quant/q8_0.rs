//! Q8_0: 32 signed bytes times one f16 scale.
//!
//! | bytes | what |
//! |---|---|
//! | 0-1 | scale `d`, f16 |
//! | 2-33 | `q[0..32]`, i8; number `i` is `d * q[i]` |

use super::{BlockGeometry, Format, TensorType, f16_at};
use half::f16;

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::Q8_0,
    name: "Q8_0",
    ggml_id: Some(8),
    block: BlockGeometry { elements: 32, bytes: 34 },
    dequantize,
    quantize,
    block_is_finite,
};

fn dequantize(bytes: &[u8], out: &mut [f32]) {
    for (values, block) in out.chunks_exact_mut(32).zip(bytes.chunks_exact(34)) {
        let scale = f16_at(block).to_f32();
        for (value, quant) in values.iter_mut().zip(&block[2..]) {
            *value = scale * f32::from(quant.cast_signed());
        }
    }
}

/// The largest magnitude becomes 127; the numbers are rounded against the scale before it is rounded to f16.
fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (values, block) in values.chunks_exact(32).zip(bytes.chunks_exact_mut(34)) {
        let largest = values.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
        let scale = largest / 127.0;
        let inverse = if scale == 0.0 { 0.0 } else { 1.0 / scale };
        block[..2].copy_from_slice(&f16::from_f32(scale).to_le_bytes());
        for (quant, value) in block[2..].iter_mut().zip(values) {
            *quant = ((value * inverse).round() as i8).cast_unsigned();
        }
    }
}

fn block_is_finite(block: &[u8]) -> bool {
    f16_at(block).is_finite()
}
