//! Weight matrices as the file holds them, read a block of 32 at a time.

use crate::quant::{self, TensorType};
pub use crate::quant::{BLOCK_LEN, Block, Minima};

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

impl Matrix<'_> {
    /// The blocks of one row, in order.
    pub fn row_blocks(&self, row: usize) -> Vec<Block> {
        let row_bytes = self.tensor_type.len_bytes(self.row_len as u64).expect("a row is whole blocks") as usize;
        quant::blocks(self.tensor_type, &self.bytes[row * row_bytes..][..row_bytes]).collect()
    }

    /// The weights of one row as f32, each with the roundings of the `embed` kernel.
    pub fn row_values(&self, row: usize) -> Vec<f32> {
        self.row_blocks(row).iter().flat_map(Block::values).collect()
    }
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
            let bytes = Seeded::new(17).weight_bytes(tensor_type, 512 * 3);
            let matrix = Matrix { tensor_type, n_rows: 3, row_len: 512, bytes: &bytes };
            let mut expected = vec![0.0; 512 * 3];
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
