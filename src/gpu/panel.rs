//! Weights as kernels read them: panels of 32 output rows, interleaved in 16-byte units.
//!
//! `panel → block of 32 → unit → row in panel`, quants and scales in planes of their own. The values are exactly the file's;
//! only their places change. Rows beyond the tensor's last are zero.

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
    /// Quants or values, in 16-byte units.
    pub weights: Vec<u8>,
    /// Scales; empty for F16 and F32.
    pub scales: Vec<u8>,
}

/// Bytes of one block: `(scales in front, quants or values)`.
fn block_bytes(tensor_type: TensorType) -> (usize, usize) {
    match tensor_type {
        TensorType::Q4_1 => (4, 16),
        TensorType::Q8_0 => (2, 32),
        TensorType::F16 => (0, 64),
        TensorType::F32 => (0, 128),
    }
}

/// Lays GGUF rows out in panels. `bytes` holds `n_rows` rows of `k` values (`k` a multiple of 32) in the file's own order.
pub fn from_rows(tensor_type: TensorType, k: usize, bytes: &[u8]) -> Panels {
    let (scale_len, quant_len) = block_bytes(tensor_type);
    let n_blocks = k / 32;
    let row_len = n_blocks * (scale_len + quant_len);
    let n_rows = bytes.len() / row_len;
    let n_panels = n_rows.div_ceil(PANEL_ROWS);
    let units = quant_len / 16;
    let mut weights = vec![0; n_panels * PANEL_ROWS * n_blocks * quant_len];
    let mut scales = vec![0; n_panels * PANEL_ROWS * n_blocks * scale_len];
    for (row, blocks) in bytes.chunks_exact(row_len).enumerate() {
        let (panel, r) = (row / PANEL_ROWS, row % PANEL_ROWS);
        for (b, block) in blocks.chunks_exact(scale_len + quant_len).enumerate() {
            let (scale, quants) = block.split_at(scale_len);
            let panel_block = panel * n_blocks + b;
            let s = (panel_block * PANEL_ROWS + r) * scale_len;
            scales[s..s + scale_len].copy_from_slice(scale);
            for (j, unit) in quants.chunks_exact(16).enumerate() {
                let w = ((panel_block * units + j) * PANEL_ROWS + r) * 16;
                weights[w..w + 16].copy_from_slice(unit);
            }
        }
    }
    Panels { tensor_type, k, n_rows, weights, scales }
}

impl Panels {
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
