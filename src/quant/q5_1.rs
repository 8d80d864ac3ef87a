//! Q5_1: 32 numbers of 5 bits times one f16 scale, plus one f16 minimum.
//!
//! | bytes | what |
//! |---|---|
//! | 0-1 | scale `d`, f16 |
//! | 2-3 | minimum `m`, f16 |
//! | 4-7 | bit `i` of this word is the upper bit of `q[i]` |
//! | 8-23 | byte `j` holds the lower four bits of `q[j]` in its low half and of `q[j + 16]` in its high half |
//!
//! Number `i` is `d * q[i] + m`. Kernels read the quants as those of Q5_0.

use super::{BlockGeometry, Format, Parts, TensorType, q5_0, scale_minimum};
use half::f16;

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::Q5_1,
    name: "Q5_1",
    ggml_id: Some(7),
    block: BlockGeometry { elements: 32, bytes: 24 },
    parts: Parts { head: 0, scale: 4, quants: 20 },
    arrange: |block, arranged| q5_0::arrange(4, block, arranged),
    numbers: |_, scale, quants| scale_minimum::numbers(scale, |i| q5_0::quant(quants, i)),
    quantize,
    block_is_finite: scale_minimum::block_is_finite,
};

/// The smallest number becomes 0 and the largest 31; rounded against the scale before it is rounded to f16.
fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (values, block) in values.chunks_exact(32).zip(bytes.chunks_exact_mut(24)) {
        let smallest = values.iter().copied().fold(f32::INFINITY, f32::min);
        let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let scale = (largest - smallest) / 31.0;
        let inverse = if scale == 0.0 { 0.0 } else { 1.0 / scale };
        block[..2].copy_from_slice(&f16::from_f32(scale).to_le_bytes());
        block[2..4].copy_from_slice(&f16::from_f32(smallest).to_le_bytes());
        let quant = |i: usize| ((values[i] - smallest) * inverse + 0.5).min(31.0) as u8;
        q5_0::pack(&std::array::from_fn(quant), &mut block[4..]);
    }
}
