//! Q4_1: 32 numbers of 4 bits times one f16 scale, plus one f16 minimum.
//!
//! | bytes | what |
//! |---|---|
//! | 0-1 | scale `d`, f16 |
//! | 2-3 | minimum `m`, f16 |
//! | 4-19 | byte `j` holds `q[j]` in its low half and `q[j + 16]` in its high half; number `i` is `d * q[i] + m` |

use super::packing::nibble;
use super::{BlockGeometry, Format, Parts, TensorType, as_in_file, scale_minimum};
use half::f16;

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::Q4_1,
    name: "Q4_1",
    ggml_id: Some(3),
    block: BlockGeometry { elements: 32, bytes: 20 },
    parts: Parts { head: 0, scale: 4, quants: 16 },
    arrange: as_in_file,
    numbers: |_, scale, quants| scale_minimum::numbers(scale, |i| nibble(quants, i)),
    quantize,
    block_is_finite: scale_minimum::block_is_finite,
};

/// The smallest number becomes 0 and the largest 15; rounded against the scale before it is rounded to f16.
fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (values, block) in values.chunks_exact(32).zip(bytes.chunks_exact_mut(20)) {
        let smallest = values.iter().copied().fold(f32::INFINITY, f32::min);
        let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let scale = (largest - smallest) / 15.0;
        let inverse = if scale == 0.0 { 0.0 } else { 1.0 / scale };
        block[..2].copy_from_slice(&f16::from_f32(scale).to_le_bytes());
        block[2..4].copy_from_slice(&f16::from_f32(smallest).to_le_bytes());
        let quant = |value: f32| ((value - smallest) * inverse + 0.5).min(15.0) as u8;
        let (first_half, second_half) = values.split_at(16);
        for (j, quants) in block[4..].iter_mut().enumerate() {
            *quants = quant(first_half[j]) | quant(second_half[j]) << 4;
        }
    }
}
