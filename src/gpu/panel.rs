//! Weights as kernels read them: panels of 32 output rows, interleaved in units of 16 bytes (8 where a block has no more).
//!
//! `panel → block of 32 → unit → row in panel`, quants and scales in planes of their own. The values are exactly the file's;
//! only their places change. Rows beyond the tensor's last are zero.

use std::ops::Range;

use crate::quant::TensorType;

/// Rows of one panel.
pub const PANEL_ROWS: usize = 32;

/// One matrix (or several stacked ones) in panels.
#[derive(Debug, Clone, PartialEq)]
pub struct Panels {
    /// Weight format.
    pub tensor_type: TensorType,
    /// Row length.
    pub k: usize,
    /// Rows, without padding.
    pub n_rows: usize,
    /// Quants or values, in units.
    pub weights: Vec<u8>,
    /// Scales; empty for formats that have none apart.
    pub scales: Vec<u8>,
}

/// Bytes of 32 weights of a row: `(scales in front, which get a plane of their own; quants or values)`.
pub fn block_bytes(tensor_type: TensorType) -> (usize, usize) {
    match tensor_type {
        TensorType::Q4_0 => (2, 16),
        TensorType::Q4_1 => (4, 16),
        TensorType::Q8_0 => (2, 32),
        // Scale and minimum fill up the quants' unit.
        TensorType::Q3_32 => (0, 16),
        TensorType::Q2_32 => (4, 8),
        TensorType::F16 => (0, 64),
        TensorType::F32 => (0, 128),
    }
}

/// Where the pieces of a matrix's blocks lie in their planes.
struct Places {
    n_blocks: usize,
    scale_len: usize,
    unit_len: usize,
    n_units: usize,
}

impl Places {
    fn new(tensor_type: TensorType, k: usize) -> Self {
        let (scale_len, quant_len) = block_bytes(tensor_type);
        let unit_len = quant_len.min(16);
        Self { n_blocks: k / 32, scale_len, unit_len, n_units: quant_len / unit_len }
    }

    fn block_len(&self) -> usize {
        self.scale_len + self.n_units * self.unit_len
    }

    fn scale(&self, row: usize, block: usize) -> Range<usize> {
        let at = self.panel_block(row, block) * PANEL_ROWS + row % PANEL_ROWS;
        at * self.scale_len..(at + 1) * self.scale_len
    }

    fn unit(&self, row: usize, block: usize, unit: usize) -> Range<usize> {
        let at = (self.panel_block(row, block) * self.n_units + unit) * PANEL_ROWS + row % PANEL_ROWS;
        at * self.unit_len..(at + 1) * self.unit_len
    }

    fn panel_block(&self, row: usize, block: usize) -> usize {
        row / PANEL_ROWS * self.n_blocks + block
    }
}

/// Lays rows out in panels. `bytes` holds rows of `k` values (`k` a multiple of 32) in the format's own order.
pub fn from_rows(tensor_type: TensorType, k: usize, bytes: &[u8]) -> Panels {
    let places = Places::new(tensor_type, k);
    let row_len = places.n_blocks * places.block_len();
    let n_rows = bytes.len() / row_len;
    let n_panel_blocks = n_rows.div_ceil(PANEL_ROWS) * places.n_blocks;
    let mut weights = vec![0; n_panel_blocks * PANEL_ROWS * places.n_units * places.unit_len];
    let mut scales = vec![0; n_panel_blocks * PANEL_ROWS * places.scale_len];
    for (row, blocks) in bytes.chunks_exact(row_len).enumerate() {
        for (b, block) in blocks.chunks_exact(places.block_len()).enumerate() {
            let (scale, quants) = block.split_at(places.scale_len);
            scales[places.scale(row, b)].copy_from_slice(scale);
            for (j, unit) in quants.chunks_exact(places.unit_len).enumerate() {
                weights[places.unit(row, b, j)].copy_from_slice(unit);
            }
        }
    }
    Panels { tensor_type, k, n_rows, weights, scales }
}

impl Panels {
    /// The rows again, in the format's own order: what [`from_rows`] was given.
    pub fn to_rows(&self) -> Vec<u8> {
        let places = Places::new(self.tensor_type, self.k);
        let mut bytes = Vec::with_capacity(self.n_rows * places.n_blocks * places.block_len());
        for row in 0..self.n_rows {
            for block in 0..places.n_blocks {
                bytes.extend_from_slice(&self.scales[places.scale(row, block)]);
                for unit in 0..places.n_units {
                    bytes.extend_from_slice(&self.weights[places.unit(row, block, unit)]);
                }
            }
        }
        bytes
    }

    /// Panels of this matrix.
    pub fn n_panels(&self) -> usize {
        self.n_rows.div_ceil(PANEL_ROWS)
    }

    /// Stacks another matrix of the same format and row length below this one; both must fill their last panel.
    pub fn stack(mut self, below: &Self) -> Self {
        self.weights.extend_from_slice(&below.weights);
        self.scales.extend_from_slice(&below.scales);
        self.n_rows += below.n_rows;
        self
    }

    /// Alternates the panels of two equal-shaped matrices: first of `self`, first of `other`, second of `self`, …
    pub fn interleave(&self, other: &Self) -> Self {
        let n_panels = self.n_panels();
        let mix = |a: &[u8], b: &[u8]| -> Vec<u8> {
            let len = (a.len() / n_panels).max(1);
            a.chunks(len).zip(b.chunks(len)).flat_map(|(a, b)| [a, b]).flatten().copied().collect()
        };
        Self {
            weights: mix(&self.weights, &other.weights),
            scales: mix(&self.scales, &other.scales),
            n_rows: self.n_rows + other.n_rows,
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_and_rows_are_the_same_bytes_in_other_places() {
        for tensor_type in TensorType::all() {
            let (scale_len, quant_len) = block_bytes(tensor_type);
            assert_eq!(tensor_type.len_bytes(32), Some((scale_len + quant_len) as u64), "{tensor_type}");
            for (n_rows, k) in [(1, 32), (32, 64), (33, 96), (70, 64)] {
                let len = n_rows * k / 32 * (scale_len + quant_len);
                let bytes: Vec<u8> = (0..len).map(|i| (i * 151 % 253) as u8 + 1).collect();
                let panels = from_rows(tensor_type, k, &bytes);
                assert_eq!((panels.n_rows, panels.to_rows()), (n_rows, bytes), "{tensor_type}: {n_rows} rows of {k}");
                let zeros = panels.weights.iter().chain(&panels.scales).filter(|byte| **byte == 0).count();
                let padding = (panels.n_panels() * PANEL_ROWS - n_rows) * k / 32 * (scale_len + quant_len);
                assert_eq!(zeros, padding, "{tensor_type}: rows beyond the last are zero");
            }
        }
    }
}
