//! What Q3_K, Q6_K and IQ4_XS share: super-blocks of 256 numbers in sub-blocks, each of which has a signed whole number times the
//! super-block's `d` as its scale. Number `i` is `(d * scale) * q[i]`.
//!
//! `d * scale` is exact in f32, so a number has one rounding, in the product with the quant; and it is `d * (scale * q[i])` as well.

use super::{Block, Minima, f16_at};
use half::f16;

/// 32 numbers in two sub-blocks of 16.
pub(super) fn numbers(head: &[u8], scale: &[u8], quant: impl Fn(usize) -> i8) -> Block {
    let halves = [scale[0], scale[1]].map(u8::cast_signed);
    Block::Quants { d: f16_at(head).to_f32(), halves, quants: std::array::from_fn(quant), minima: Minima::None }
}

/// Scales of sub-blocks rounded to integers.
pub(super) struct Rounded {
    /// What they are times.
    pub(super) d: f16,
    /// The scale of each sub-block.
    pub(super) scales: Vec<i8>,
}

impl Rounded {
    /// The scale of one sub-block as the format has it.
    pub(super) fn scale(&self, sub_block: usize) -> f32 {
        self.d.to_f32() * f32::from(self.scales[sub_block])
    }
}

/// Sub-blocks of `sub_len` numbers. The number of a sub-block's largest magnitude becomes `end`, a negative quant, so its scale has the
/// opposite sign; `d` is such that the scale of the largest magnitude reaches `largest_scale`.
pub(super) fn round(values: &[f32], sub_len: usize, end: i8, largest_scale: i8) -> Rounded {
    let largest_of = |values: &[f32]| {
        values.iter().copied().fold(0.0f32, |largest, v| if v.abs() > largest.abs() { v } else { largest })
    };
    let scales: Vec<f32> = values.chunks_exact(sub_len).map(|values| largest_of(values) / f32::from(end)).collect();
    let d = f16::from_f32(largest_of(&scales).abs() / f32::from(largest_scale));
    let step = d.to_f32();
    let nearest = |scale: &f32| {
        let largest = f32::from(largest_scale);
        if step == 0.0 { 0 } else { (scale / step).round().clamp(-largest, largest) as i8 }
    };
    let scales = scales.iter().map(nearest).collect();
    Rounded { d, scales }
}

/// 256 quants, to the nearest step of the scales as they are stored, from `end` to `-end - 1`; counted from `end`.
pub(super) fn quants(values: &[f32], sub_len: usize, end: i8, rounded: &Rounded) -> Vec<u8> {
    let quant = |(i, value): (usize, &f32)| {
        let scale = rounded.scale(i / sub_len);
        let end = f32::from(end);
        let nearest = if scale == 0.0 { 0.0 } else { (value / scale).round().clamp(end, -end - 1.0) };
        (nearest - end) as u8
    };
    values.iter().enumerate().map(quant).collect()
}
