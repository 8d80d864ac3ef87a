//! Weight matrices as the file holds them, read a block of 32 at a time.

use std::array;

use super::exact_math::f32_from_f16_bits;
use crate::quant::{TensorType, q2_32_quants, q3_32_quants};

/// Weights per block: every format and every order of addition counts along a row in blocks of 32.
pub const BLOCK_LEN: usize = 32;

/// A weight matrix in the bytes of a GGUF file.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    /// Block format of the bytes.
    pub tensor_type: TensorType,
    /// Output values of a product with this matrix.
    pub n_rows: usize,
    /// Weights in a row (K), a multiple of 32.
    pub row_len: usize,
    /// Row after row, without gaps.
    pub bytes: &'a [u8],
}

/// 32 weights of one row.
#[derive(Clone, Debug)]
pub enum WeightBlock {
    /// Q4_1, q3_32 and q2_32: value = d * quant + m, quants from 0 to 15, 7 or 3.
    ScaleMinimum {
        /// Scale.
        d: f32,
        /// Minimum.
        m: f32,
        /// The quants in the order of the row.
        quants: [i8; BLOCK_LEN],
    },
    /// Q8_0 and Q4_0: value = d * quant, quants from -128 to 127 or -8 to 7.
    Scale {
        /// Scale.
        d: f32,
        /// The quants in the order of the row.
        quants: [i8; BLOCK_LEN],
    },
    /// F16 and F32 weights, both as f32.
    Float {
        /// The weights in the order of the row.
        values: [f32; BLOCK_LEN],
    },
}

impl Matrix<'_> {
    /// The blocks of one row, in order.
    pub fn row_blocks(&self, row: usize) -> Vec<WeightBlock> {
        let len_bytes =
            self.tensor_type.len_bytes(BLOCK_LEN as u64).expect("every format's block divides 32 weights") as usize;
        let row_len_bytes = self.row_len / BLOCK_LEN * len_bytes;
        self.bytes[row * row_len_bytes..][..row_len_bytes]
            .chunks_exact(len_bytes)
            .map(|bytes| WeightBlock::from_bytes(self.tensor_type, bytes))
            .collect()
    }

    /// The weights of one row as f32, each with the roundings of the `embed` kernel.
    pub fn row_values(&self, row: usize) -> Vec<f32> {
        self.row_blocks(row).iter().flat_map(WeightBlock::values).collect()
    }
}

impl WeightBlock {
    fn from_bytes(tensor_type: TensorType, bytes: &[u8]) -> Self {
        let half = |at: usize| f32_from_f16_bits(u32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]])));
        let scale_minimum = |quants: [u8; BLOCK_LEN]| WeightBlock::ScaleMinimum {
            d: half(0),
            m: half(2),
            quants: quants.map(|q| q as i8),
        };
        match tensor_type {
            TensorType::Q4_0 => {
                WeightBlock::Scale { d: half(0), quants: nibbles(&bytes[2..]).map(|nibble| nibble as i8 - 8) }
            }
            TensorType::Q4_1 => scale_minimum(nibbles(&bytes[4..])),
            TensorType::Q3_32 => scale_minimum(q3_32_quants(&bytes[4..])),
            TensorType::Q2_32 => scale_minimum(q2_32_quants(&bytes[4..])),
            TensorType::Q8_0 => WeightBlock::Scale { d: half(0), quants: array::from_fn(|i| bytes[2 + i] as i8) },
            TensorType::F16 => WeightBlock::Float { values: array::from_fn(|i| half(2 * i)) },
            TensorType::F32 => WeightBlock::Float {
                values: array::from_fn(|i| {
                    f32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]])
                }),
            },
        }
    }

    /// The 32 weights as f32.
    pub fn values(&self) -> [f32; BLOCK_LEN] {
        match self {
            WeightBlock::ScaleMinimum { d, m, quants } => quants.map(|q| d * f32::from(q) + m),
            WeightBlock::Scale { d, quants } => quants.map(|q| d * f32::from(q)),
            WeightBlock::Float { values } => *values,
        }
    }

    /// The 32 weights without a rounding.
    pub fn exact_values(&self) -> [f64; BLOCK_LEN] {
        match self {
            WeightBlock::ScaleMinimum { d, m, quants } => quants.map(|q| f64::from(*d) * f64::from(q) + f64::from(*m)),
            WeightBlock::Scale { d, quants } => quants.map(|q| f64::from(*d) * f64::from(q)),
            WeightBlock::Float { values } => values.map(f64::from),
        }
    }
}

/// The low nibbles are weights 0 to 15, the high nibbles weights 16 to 31.
fn nibbles(bytes: &[u8]) -> [u8; BLOCK_LEN] {
    array::from_fn(|i| (bytes[i % 16] >> (4 * (i / 16))) & 15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quant;
    use crate::reference::test_data::Seeded;

    #[test]
    fn q4_1_low_nibbles_come_first() {
        let mut bytes = vec![0x00, 0x3C, 0x00, 0xC0]; // d = 1, m = -2
        bytes.extend((0..16).map(|i| i | ((15 - i) << 4)));
        let matrix = Matrix { tensor_type: TensorType::Q4_1, n_rows: 1, row_len: 32, bytes: &bytes };
        let values = matrix.row_values(0);
        assert_eq!(values[0], -2.0);
        assert_eq!(values[15], 13.0);
        assert_eq!(values[16], 13.0);
        assert_eq!(values[31], -2.0);
    }

    #[test]
    fn q4_0_nibbles_count_from_minus_eight() {
        let mut bytes = vec![0x00, 0x38]; // d = 0.5
        bytes.extend((0..16).map(|i| i | ((15 - i) << 4)));
        let matrix = Matrix { tensor_type: TensorType::Q4_0, n_rows: 1, row_len: 32, bytes: &bytes };
        let values = matrix.row_values(0);
        assert_eq!((values[0], values[8], values[15], values[16], values[31]), (-4.0, 0.0, 3.5, 3.5, -4.0));
    }

    #[test]
    fn every_format_has_the_values_of_its_definition() {
        for tensor_type in TensorType::all() {
            let bytes = Seeded::new(17).weight_bytes(tensor_type, 64 * 3);
            let matrix = Matrix { tensor_type, n_rows: 3, row_len: 64, bytes: &bytes };
            let mut expected = vec![0.0; 64 * 3];
            quant::dequantize(tensor_type, &bytes, &mut expected);
            let values: Vec<f32> = (0..3).flat_map(|row| matrix.row_values(row)).collect();
            assert_eq!(values, expected, "{tensor_type}");
        }
    }

    #[test]
    fn q8_0_quants_are_signed() {
        let mut bytes = vec![0x00, 0x38]; // d = 0.5
        bytes.extend((0..32_u8).map(|i| if i == 3 { 0x80 } else { i }));
        let matrix = Matrix { tensor_type: TensorType::Q8_0, n_rows: 1, row_len: 32, bytes: &bytes };
        let values = matrix.row_values(0);
        assert_eq!(values[3], -64.0);
        assert_eq!(values[31], 15.5);
    }

    #[test]
    fn float_rows_are_found_by_their_stride() {
        let values: Vec<f32> = (0..128).map(|i| i as f32).collect();
        let f32_bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let f16_bytes: Vec<u8> = values.iter().flat_map(|v| half::f16::from_f32(*v).to_le_bytes()).collect();
        for (tensor_type, bytes) in [(TensorType::F32, &f32_bytes), (TensorType::F16, &f16_bytes)] {
            let matrix = Matrix { tensor_type, n_rows: 2, row_len: 64, bytes };
            assert_eq!(matrix.row_values(1), values[64..]);
        }
    }
}
