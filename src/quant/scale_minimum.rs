//! What q3_32 and q2_32 share: f16 scale and minimum in front, and numbers rounded to the nearest step of what is stored.

use super::f16_at;
use half::f16;

/// `d * q + m` of every block; `quants` takes a block's bytes behind scale and minimum.
pub(super) fn dequantize(bytes: &[u8], block_len: usize, quants: fn(&[u8]) -> [u8; 32], out: &mut [f32]) {
    for (values, block) in out.chunks_exact_mut(32).zip(bytes.chunks_exact(block_len)) {
        let scale = f16_at(block).to_f32();
        let minimum = f16_at(&block[2..]).to_f32();
        for (value, quant) in values.iter_mut().zip(quants(&block[4..])) {
            *value = f32::from(quant) * scale + minimum;
        }
    }
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
