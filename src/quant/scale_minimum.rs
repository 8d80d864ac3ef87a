//! What formats of one scale and one minimum per block of 32 share: the two as f16 in front. The quantiser is that of q3_32 and q2_32,
//! whose numbers are rounded to the nearest step of what is stored.

use super::{Block, Minima, f16_at};
use half::f16;

/// `d * q + m`; `d * q` is exact, so a number has one rounding, in the addition.
pub(super) fn numbers(scale: &[u8], quant: impl Fn(usize) -> u8) -> Block {
    let (d, m) = (f16_at(scale).to_f32(), f16_at(&scale[2..]).to_f32());
    Block::quants(d, |i| quant(i).cast_signed(), Minima::Block(m))
}

/// The smallest number becomes 0 and the largest `largest_quant`. Scale and minimum are rounded to f16 first and the numbers to the
/// nearest step of those, so what is lost is half a step, and at the ends what the rounding of scale and minimum costs.
pub(super) fn quantize(
    values: &[f32],
    block_len: usize,
    largest_quant: u8,
    bytes: &mut [u8],
    pack: impl Fn(&[u8; 32], &mut [u8]),
) {
    for (values, block) in values.chunks_exact(32).zip(bytes.chunks_exact_mut(block_len)) {
        let smallest = values.iter().copied().fold(f32::INFINITY, f32::min);
        let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let minimum = f16::from_f32(smallest);
        let scale = f16::from_f32((largest - minimum.to_f32()) / f32::from(largest_quant));
        block[..2].copy_from_slice(&scale.to_le_bytes());
        block[2..4].copy_from_slice(&minimum.to_le_bytes());
        let (scale, minimum) = (scale.to_f32(), minimum.to_f32());
        let inverse = if scale == 0.0 { 0.0 } else { 1.0 / scale };
        let quant = |i: usize| ((values[i] - minimum) * inverse).round().clamp(0.0, largest_quant.into()) as u8;
        pack(&std::array::from_fn(quant), &mut block[4..]);
    }
}

pub(super) fn block_is_finite(block: &[u8]) -> bool {
    f16_at(block).is_finite() && f16_at(&block[2..]).is_finite()
}
