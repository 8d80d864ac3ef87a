//! Rows of activations in the formats that the matmul kernels read, and the rounding to int8.

use super::exact_math::{exact_reciprocal, f16_bits_from_f32, round_f16};
use super::weights::BLOCK_LEN;
use crate::numerics::ActivationFormat;

/// 1/127 as f32: a product by it is exact in its order, where a division might round otherwise on a GPU.
const ONE_127TH: f32 = f32::from_bits(0x3C01_0204);
/// A block whose largest magnitude is smaller counts as zero, so that no scale has a reciprocal out of range.
pub(super) const SMALLEST_AMAX: f32 = 1e-30;

/// Rows of activations, all of one length.
#[derive(Clone, Debug, PartialEq)]
pub enum Activations {
    /// f32 activations.
    F32 {
        /// Values in a row (K), a multiple of 32.
        row_len: usize,
        /// The values; `[row, K]`.
        values: Vec<f32>,
    },
    /// f16 activations, as f32.
    F16 {
        /// Values in a row (K), a multiple of 32.
        row_len: usize,
        /// The values; `[row, K]`.
        values: Vec<f32>,
    },
    /// int8 activations: value = scale * quant.
    Int8 {
        /// Values in a row (K), a multiple of 32.
        row_len: usize,
        /// The quants, -127 to 127; `[row, K]`.
        quants: Vec<i8>,
        /// Scale and scale times the sum of the block's quants; `[row, K / 32]`.
        scales: Vec<[f32; 2]>,
    },
}

/// 32 activations of one row.
#[derive(Clone, Copy, Debug)]
pub enum ActivationBlock<'a> {
    /// f32 or f16 activations.
    Float(&'a [f32; BLOCK_LEN]),
    /// int8 activations.
    Int8 {
        /// The quants.
        quants: &'a [i8; BLOCK_LEN],
        /// The scale.
        scale: f32,
        /// The scale times the sum of the quants.
        scaled_sum: f32,
    },
}

/// The largest magnitude of a block, infinite if any value is infinite or no number.
pub(super) fn largest_magnitude(values: &[f32; BLOCK_LEN]) -> f32 {
    if values.iter().all(|v| v.is_finite()) {
        values.iter().fold(0.0_f32, |largest, v| largest.max(v.abs()))
    } else {
        f32::INFINITY
    }
}

/// Rounds 32 values to int8: the quants, then the scale and the scale times the quants' sum.
///
/// scale = largest magnitude / 127; quants are rounded to nearest, ties to even. If a value is not finite, neither is the scale.
pub fn quantise_block(values: &[f32; BLOCK_LEN]) -> ([i8; BLOCK_LEN], [f32; 2]) {
    let amax = largest_magnitude(values);
    if amax < SMALLEST_AMAX {
        return ([0; BLOCK_LEN], [0.0, 0.0]);
    }
    let scale = amax * ONE_127TH;
    let inverse = exact_reciprocal(scale);
    let quants = values.map(|v| (v * inverse).round_ties_even().clamp(-127.0, 127.0) as i8);
    let sum: i32 = quants.iter().map(|&q| i32::from(q)).sum();
    (quants, [scale, scale * sum as f32])
}

impl Activations {
    /// No rows yet, of `row_len` values each.
    pub fn new(format: ActivationFormat, row_len: usize) -> Self {
        assert!(row_len.is_multiple_of(BLOCK_LEN), "a row of {row_len} values is not a number of blocks of 32");
        match format {
            ActivationFormat::F32 => Activations::F32 { row_len, values: Vec::new() },
            ActivationFormat::F16 => Activations::F16 { row_len, values: Vec::new() },
            ActivationFormat::Int8 => Activations::Int8 { row_len, quants: Vec::new(), scales: Vec::new() },
        }
    }

    /// Stores `rows` (whole rows of `row_len` values, one after another) in `format`.
    pub fn from_rows(format: ActivationFormat, row_len: usize, rows: &[f32]) -> Self {
        let mut activations = Activations::new(format, row_len);
        for row in rows.chunks_exact(row_len) {
            activations.push_row(row);
        }
        activations
    }

    /// Stores one more row in this format.
    pub fn push_row(&mut self, row: &[f32]) {
        assert_eq!(row.len(), self.row_len(), "row length");
        match self {
            Activations::F32 { values, .. } => values.extend_from_slice(row),
            Activations::F16 { values, .. } => values.extend(row.iter().map(|v| round_f16(*v))),
            Activations::Int8 { quants, scales, .. } => {
                for block in row.as_chunks().0 {
                    let (block_quants, block_scales) = quantise_block(block);
                    quants.extend(block_quants);
                    scales.push(block_scales);
                }
            }
        }
    }

    /// The format of these rows.
    pub fn format(&self) -> ActivationFormat {
        match self {
            Activations::F32 { .. } => ActivationFormat::F32,
            Activations::F16 { .. } => ActivationFormat::F16,
            Activations::Int8 { .. } => ActivationFormat::Int8,
        }
    }

    /// Values in a row.
    pub fn row_len(&self) -> usize {
        match self {
            Activations::F32 { row_len, .. } | Activations::F16 { row_len, .. } | Activations::Int8 { row_len, .. } => {
                *row_len
            }
        }
    }

    /// Rows stored so far.
    pub fn n_rows(&self) -> usize {
        match self {
            Activations::F32 { row_len, values } | Activations::F16 { row_len, values } => values.len() / row_len,
            Activations::Int8 { row_len, quants, .. } => quants.len() / row_len,
        }
    }

    /// One block of one row.
    pub fn block(&self, row: usize, block: usize) -> ActivationBlock<'_> {
        let i = row * (self.row_len() / BLOCK_LEN) + block;
        match self {
            Activations::F32 { values, .. } | Activations::F16 { values, .. } => {
                ActivationBlock::Float(&values.as_chunks().0[i])
            }
            Activations::Int8 { quants, scales, .. } => {
                let [scale, scaled_sum] = scales[i];
                ActivationBlock::Int8 { quants: &quants.as_chunks().0[i], scale, scaled_sum }
            }
        }
    }

    /// The values that one row stands for, without a rounding.
    pub fn exact_row(&self, row: usize) -> Vec<f64> {
        (0..self.row_len() / BLOCK_LEN)
            .flat_map(|block| match self.block(row, block) {
                ActivationBlock::Float(values) => values.map(f64::from),
                ActivationBlock::Int8 { quants, scale, .. } => quants.map(|q| f64::from(scale) * f64::from(q)),
            })
            .collect()
    }

    /// A copy of some of the rows, in the given order.
    pub fn select_rows(&self, rows: impl Iterator<Item = usize>) -> Self {
        let mut selected = Activations::new(self.format(), self.row_len());
        for row in rows {
            match (&mut selected, self) {
                (Activations::F32 { values: to, .. }, Activations::F32 { row_len, values })
                | (Activations::F16 { values: to, .. }, Activations::F16 { row_len, values }) => {
                    to.extend_from_slice(&values[row * row_len..][..*row_len]);
                }
                (
                    Activations::Int8 { quants: to, scales: to_scales, .. },
                    Activations::Int8 { row_len, quants, scales },
                ) => {
                    let n_blocks = row_len / BLOCK_LEN;
                    to.extend_from_slice(&quants[row * row_len..][..*row_len]);
                    to_scales.extend_from_slice(&scales[row * n_blocks..][..n_blocks]);
                }
                _ => unreachable!("the selection was made in the format of its source"),
            }
        }
        selected
    }

    /// The values, or int8 quants, as the GPU holds them: in f16 two and in int8 four to a word, the first in the lowest bits.
    pub fn words(&self) -> Vec<u32> {
        match self {
            Activations::F32 { values, .. } => values.iter().map(|v| v.to_bits()).collect(),
            Activations::F16 { values, .. } => {
                values.as_chunks().0.iter().map(|&[a, b]| f16_bits_from_f32(a) | f16_bits_from_f32(b) << 16).collect()
            }
            Activations::Int8 { quants, .. } => {
                quants.as_chunks().0.iter().map(|q: &[i8; 4]| u32::from_le_bytes(q.map(|b| b as u8))).collect()
            }
        }
    }

    /// Scale, and scale times the sum of the quants, of one block counted from the first row's first; none for floats.
    pub fn scales(&self, block: usize) -> Option<[f32; 2]> {
        match self {
            Activations::F32 { .. } | Activations::F16 { .. } => None,
            Activations::Int8 { scales, .. } => Some(scales[block]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::test_data::Seeded;

    #[test]
    fn a_block_by_hand() {
        let mut values = [0.0; 32];
        values[0] = -127.0;
        values[1] = 2.5; // a tie, if the scale were exactly 1
        values[2] = 3.4;
        let (quants, [scale, scaled_sum]) = quantise_block(&values);
        assert_eq!(scale, 1.0);
        assert_eq!(quants[..4], [-127, 2, 3, 0]);
        assert_eq!(scaled_sum, -122.0);
    }

    #[test]
    fn a_block_of_nothing_has_no_scale() {
        assert_eq!(quantise_block(&[0.0; 32]), ([0; 32], [0.0; 2]));
        assert_eq!(quantise_block(&[9e-31; 32]), ([0; 32], [0.0; 2]));
        assert_eq!(quantise_block(&[1.1e-30; 32]).0, [127; 32]);
    }

    #[test]
    fn a_value_that_is_not_finite_takes_its_whole_block_along() {
        for value in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut values = [1.0; 32];
            values[9] = value;
            assert_eq!(quantise_block(&values).1[0], f32::INFINITY);
        }
    }

    #[test]
    fn int8_is_within_half_a_step() {
        let mut seeded = Seeded::new(1);
        for scale in [1e-20, 1e-3, 1.0, 1e20] {
            let values: [f32; 32] = std::array::from_fn(|_| seeded.normal() * scale);
            let (quants, [step, _]) = quantise_block(&values);
            for (value, quant) in values.iter().zip(quants) {
                assert!((value - step * f32::from(quant)).abs() <= 0.5001 * step);
            }
        }
    }

    #[test]
    fn words_hold_the_first_quant_in_the_low_byte() {
        let mut row = [0.0; 32];
        row[0] = 127.0;
        row[1] = -1.0;
        let activations = Activations::from_rows(ActivationFormat::Int8, 32, &row);
        assert_eq!(activations.words()[0], 0x0000_FF7F);
    }

    #[test]
    fn f16_activations_are_rounded_and_infinite_beyond_their_range() {
        let mut row = [0.0; 32];
        row[..4].copy_from_slice(&[1.0 + 1.0 / 4096.0, 65519.0, 65520.0, -1e9]);
        let activations = Activations::from_rows(ActivationFormat::F16, 32, &row);
        assert_eq!(activations.words()[..2], [0x7BFF_3C00, 0xFC00_7C00]);
    }

    #[test]
    fn selected_rows_keep_their_bits() {
        let rows = Seeded::new(2).normals(4 * 64);
        for format in [ActivationFormat::F32, ActivationFormat::F16, ActivationFormat::Int8] {
            let all = Activations::from_rows(format, 64, &rows);
            let two = all.select_rows([3, 1].into_iter());
            assert_eq!(two.n_rows(), 2);
            assert_eq!(two.exact_row(0), all.exact_row(3));
            assert_eq!(two.exact_row(1), all.exact_row(1));
        }
    }
}
