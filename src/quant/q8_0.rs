//! Q8_0: 32 signed bytes times one f16 scale.
//!
//! | bytes | what |
//! |---|---|
//! | 0-1 | scale `d`, f16 |
//! | 2-33 | `q[0..32]`, i8; number `i` is `d * q[i]` |

use super::{Block, BlockGeometry, Format, Minima, Parts, TensorType, as_in_file, f16_at};
use half::f16;

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::Q8_0,
    name: "Q8_0",
    ggml_id: Some(8),
    block: BlockGeometry { elements: 32, bytes: 34 },
    parts: Parts { head: 0, scale: 2, quants: 32 },
    arrange: as_in_file,
    numbers,
    quantize,
    block_is_finite: |block| f16_at(block).is_finite(),
};

fn numbers(_: &[u8], scale: &[u8], quants: &[u8]) -> Block {
    Block::quants(f16_at(scale).to_f32(), |i| quants[i].cast_signed(), Minima::None)
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
