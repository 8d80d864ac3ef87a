//! What IQ4_NL, IQ4_XS and MXFP4 share: quants of four bits that stand for the entries of a table.

use super::packing::{nibble, nibbles};
use super::{Block, Minima};

/// Entries times a scale.
pub(super) fn numbers(table: &[i8; 16], d: f32, quants: &[u8]) -> Block {
    Block::quants(d, |i| table[usize::from(nibble(quants, i))], Minima::None)
}

/// The quants whose entries times `d` are nearest to 32 numbers, the first of those equally near.
pub(super) fn nearest(table: &[i8; 16], d: f32, values: &[f32]) -> [u8; 16] {
    let inverse = if d == 0.0 { 0.0 } else { 1.0 / d };
    nibbles(&std::array::from_fn(|i| {
        let distance = |q: &u8| (values[i] * inverse - f32::from(table[usize::from(*q)])).abs();
        (0..16).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
    }))
}
