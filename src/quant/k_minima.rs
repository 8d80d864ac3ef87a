//! What Q2_K, Q4_K and Q5_K share: super-blocks of 256 numbers in sub-blocks, each of which has a whole number `scale` times the
//! super-block's `d` and a whole number `minimum` times its `dmin`. Number `i` is `(d * scale) * q[i] - dmin * minimum`.
//!
//! Both products and their product with a quant are exact in f32, so a number has one rounding, in the subtraction.

use super::f16_at;
use half::f16;

/// `d` and `dmin` of a super-block, which stand one after the other.
pub(super) fn d_dmin(bytes: &[u8]) -> (f32, f32) {
    (f16_at(bytes).to_f32(), f16_at(&bytes[2..]).to_f32())
}

/// Whether both are numbers.
pub(super) fn are_finite(bytes: &[u8]) -> bool {
    f16_at(bytes).is_finite() && f16_at(&bytes[2..]).is_finite()
}

/// A super-block rounded to integers.
pub(super) struct Rounded {
    /// `d`, then `dmin`, as f16.
    pub(super) d_dmin: [u8; 4],
    /// Scale and minimum of each sub-block.
    pub(super) scales: Vec<[u8; 2]>,
    /// 256 quants.
    pub(super) quants: Vec<u8>,
}

/// Sub-blocks of `sub_len` numbers. The smallest number of one (or zero, if all are above it) becomes 0 and the largest `largest_quant`.
/// `d` and `dmin` are such that the largest scale and minimum reach `largest_scale`. Each step is rounded to the nearest of what is
/// stored of the steps before.
pub(super) fn round(values: &[f32], sub_len: usize, largest_quant: u8, largest_scale: u8) -> Rounded {
    let ends: Vec<(f32, f32)> = values
        .chunks_exact(sub_len)
        .map(|values| {
            let minimum = values.iter().copied().fold(0.0, f32::min);
            let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            ((largest - minimum) / f32::from(largest_quant), -minimum)
        })
        .collect();
    let step = |largest: f32| f16::from_f32(largest / f32::from(largest_scale));
    let d = step(ends.iter().fold(0.0, |largest, (scale, _)| largest.max(*scale)));
    let dmin = step(ends.iter().fold(0.0, |largest, (_, minimum)| largest.max(*minimum)));
    let nearest = |value: f32, step: f32, largest: u8| {
        if step == 0.0 { 0 } else { (value / step).round().clamp(0.0, largest.into()) as u8 }
    };
    let (scale_step, minimum_step) = (d.to_f32(), dmin.to_f32());
    let scales: Vec<[u8; 2]> = ends
        .iter()
        .map(|(scale, minimum)| {
            [nearest(*scale, scale_step, largest_scale), nearest(*minimum, minimum_step, largest_scale)]
        })
        .collect();
    let quants = values
        .iter()
        .enumerate()
        .map(|(i, value)| {
            let [scale, minimum] = scales[i / sub_len].map(f32::from);
            nearest(value + minimum_step * minimum, scale_step * scale, largest_quant)
        })
        .collect();
    let [[a, b], [c, e]] = [d, dmin].map(f16::to_le_bytes);
    Rounded { d_dmin: [a, b, c, e], scales, quants }
}

/// Scale and minimum of sub-block `j` (0 to 7), six bits each, from the twelve bytes in which Q4_K and Q5_K pack them.
pub(super) fn six_bits(packed: &[u8], j: usize) -> [u8; 2] {
    match j {
        0..4 => [packed[j] & 63, packed[j + 4] & 63],
        _ => [packed[j + 4] & 15 | packed[j - 4] >> 6 << 4, packed[j + 4] >> 4 | packed[j] >> 6 << 4],
    }
}

/// The twelve bytes of eight scales and minima.
pub(super) fn pack_six_bits(scales: &[[u8; 2]], packed: &mut [u8]) {
    for j in 0..4 {
        let ([scale, minimum], [later_scale, later_minimum]) = (scales[j], scales[j + 4]);
        packed[j] = scale | later_scale >> 4 << 6;
        packed[j + 4] = minimum | later_minimum >> 4 << 6;
        packed[j + 8] = later_scale & 15 | (later_minimum & 15) << 4;
    }
}

/// Takes a super-block of eight sub-blocks of 32 apart: `d` and `dmin`, then for each sub-block scale, minimum and its packed quants.
pub(super) fn arrange(block: &[u8], arranged: &mut [u8], pack: impl Fn(usize, &mut [u8])) {
    let (head, sub_blocks) = arranged.split_at_mut(4);
    head.copy_from_slice(&block[..4]);
    let len = sub_blocks.len() / 8;
    for (j, sub_block) in sub_blocks.chunks_exact_mut(len).enumerate() {
        sub_block[..2].copy_from_slice(&six_bits(&block[4..16], j));
        pack(j, &mut sub_block[2..]);
    }
}
