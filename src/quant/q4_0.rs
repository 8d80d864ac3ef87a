//! Q4_0: 32 signed numbers of 4 bits times one f16 scale.
//!
//! | bytes | what |
//! |---|---|
//! | 0-1 | scale `d`, f16 |
//! | 2-17 | byte `j` holds `q[j]` in its low half and `q[j + 16]` in its high half; number `i` is `d * (q[i] - 8)` |

use super::packing::nibble;
use super::{Block, BlockGeometry, Format, Minima, Parts, TensorType, as_in_file, f16_at};
use half::f16;

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::Q4_0,
    name: "Q4_0",
    ggml_id: Some(2),
    block: BlockGeometry { elements: 32, bytes: 18 },
    parts: Parts { head: 0, scale: 2, quants: 16 },
    arrange: as_in_file,
    numbers,
    quantize,
    block_is_finite: |block| f16_at(block).is_finite(),
};

fn numbers(_: &[u8], scale: &[u8], quants: &[u8]) -> Block {
    Block::quants(f16_at(scale).to_f32(), |i| nibble(quants, i).cast_signed() - 8, Minima::None)
}

/// The number of the largest magnitude becomes -8, so the scale has the opposite of its sign; the numbers are rounded against the
/// scale before it is rounded to f16.
fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (values, block) in values.chunks_exact(32).zip(bytes.chunks_exact_mut(18)) {
        let largest =
            values.iter().copied().fold(0.0f32, |largest, v| if v.abs() > largest.abs() { v } else { largest });
        let scale = largest / -8.0;
        let inverse = if scale == 0.0 { 0.0 } else { 1.0 / scale };
        block[..2].copy_from_slice(&f16::from_f32(scale).to_le_bytes());
        let quant = |value: f32| (value * inverse + 8.5).min(15.0) as u8;
        let (first_half, second_half) = values.split_at(16);
        for (j, quants) in block[2..].iter_mut().enumerate() {
            *quants = quant(first_half[j]) | quant(second_half[j]) << 4;
        }
    }
}
