//! Weights as kernels read them: panels of 32 output rows, interleaved in units of 16 bytes (8 or 4 where no more is left of a block).
//!
//! Quants: `panel → block of 32 → unit → row in panel`. Scales in a plane of their own: `panel → run → the run's heads by row, then the
//! scales of each of its blocks by row`; most formats have runs of one block and no head. The values are exactly the file's; only their
//! places change. Rows beyond the tensor's last are zero.

use std::ops::Range;

use crate::quant::{self, BLOCK_LEN, Parts, TensorType};

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

/// Bytes of `n` weights, a multiple of the format's run: `(quants or values, scales)`.
pub fn len_bytes(tensor_type: TensorType, n: u64) -> (u64, u64) {
    let Parts { head, scale, quants } = tensor_type.parts();
    let (n_blocks, n_runs) = (n / BLOCK_LEN as u64, n / tensor_type.run_len() as u64);
    (n_blocks * quants as u64, n_blocks * scale as u64 + n_runs * head as u64)
}

/// The stretches of panels that a matrix lies in, where a buffer may have no more than `most_bytes` bytes: as few as can be, of about
/// equal length.
pub fn parts(tensor_type: TensorType, k: usize, n_panels: usize, most_bytes: u64) -> Vec<Range<usize>> {
    let (values, scales) = len_bytes(tensor_type, (k * PANEL_ROWS) as u64);
    let most = usize::try_from(most_bytes / values.max(scales)).unwrap_or(usize::MAX).max(1);
    let len = n_panels.div_ceil(n_panels.div_ceil(most).max(1)).max(1);
    (0..n_panels).step_by(len).map(|first| first..(first + len).min(n_panels)).collect()
}

/// Where the parts of a matrix's runs lie in their planes.
struct Places {
    parts: Parts,
    blocks_of_run: usize,
    runs_of_row: usize,
    /// Where each unit begins within a block's quants, and how long it is.
    units: Vec<(usize, usize)>,
}

impl Places {
    fn new(tensor_type: TensorType, k: usize) -> Self {
        let parts = tensor_type.parts();
        let mut units = Vec::new();
        let mut at = 0;
        for len in [16, 8, 4] {
            while parts.quants - at >= len {
                units.push((at, len));
                at += len;
            }
        }
        Self { parts, blocks_of_run: tensor_type.run_len() / BLOCK_LEN, runs_of_row: k / tensor_type.run_len(), units }
    }

    fn panel_run(&self, row: usize, run: usize) -> usize {
        row / PANEL_ROWS * self.runs_of_row + run
    }

    /// Bytes of a run: head, then scale and quants of each block.
    fn arranged_len(&self) -> usize {
        self.parts.head + self.blocks_of_run * (self.parts.scale + self.parts.quants)
    }

    /// Bytes of the scale plane from one run of a panel to the next.
    fn scales_len(&self) -> usize {
        PANEL_ROWS * (self.parts.head + self.blocks_of_run * self.parts.scale)
    }

    fn head(&self, row: usize, run: usize) -> Range<usize> {
        let at = self.panel_run(row, run) * self.scales_len() + row % PANEL_ROWS * self.parts.head;
        at..at + self.parts.head
    }

    fn scale(&self, row: usize, run: usize, block: usize) -> Range<usize> {
        let first = self.panel_run(row, run) * self.scales_len() + PANEL_ROWS * self.parts.head;
        let at = first + (block * PANEL_ROWS + row % PANEL_ROWS) * self.parts.scale;
        at..at + self.parts.scale
    }

    fn unit(&self, row: usize, run: usize, block: usize, (at, len): (usize, usize)) -> Range<usize> {
        let panel_block = self.panel_run(row, run) * self.blocks_of_run + block;
        let at = PANEL_ROWS * (panel_block * self.parts.quants + at) + row % PANEL_ROWS * len;
        at..at + len
    }
}

/// Lays rows out in panels. `bytes` holds rows of `k` values (`k` a multiple of the format's run) in the format's own order.
pub fn from_rows(tensor_type: TensorType, k: usize, bytes: &[u8]) -> Panels {
    let places = Places::new(tensor_type, k);
    let Parts { head, scale, quants } = places.parts;
    let run_len = tensor_type.len_bytes(tensor_type.run_len() as u64).expect("a run is whole blocks") as usize;
    let n_rows = bytes.len() / (places.runs_of_row * run_len);
    let n_runs = n_rows.div_ceil(PANEL_ROWS) * places.runs_of_row;
    let mut weights = vec![0; n_runs * places.blocks_of_run * PANEL_ROWS * quants];
    let mut scales = vec![0; n_runs * places.scales_len()];
    let mut arranged = vec![0; places.arranged_len()];
    for (i, bytes) in bytes.chunks_exact(run_len).enumerate() {
        let (row, run) = (i / places.runs_of_row, i % places.runs_of_row);
        quant::arrange(tensor_type, bytes, &mut arranged);
        let (run_head, blocks) = arranged.split_at(head);
        scales[places.head(row, run)].copy_from_slice(run_head);
        for (b, block) in blocks.chunks_exact(scale + quants).enumerate() {
            let (block_scale, block_quants) = block.split_at(scale);
            scales[places.scale(row, run, b)].copy_from_slice(block_scale);
            for &(at, len) in &places.units {
                weights[places.unit(row, run, b, (at, len))].copy_from_slice(&block_quants[at..at + len]);
            }
        }
    }
    Panels { tensor_type, k, n_rows, weights, scales }
}

impl Panels {
    /// The numbers of all rows. // [n_rows, k]
    pub fn values(&self) -> Vec<f32> {
        let places = Places::new(self.tensor_type, self.k);
        let mut values = Vec::with_capacity(self.n_rows * self.k);
        let mut quants = vec![0; places.parts.quants];
        for row in 0..self.n_rows {
            for (run, b) in (0..self.k / BLOCK_LEN).map(|b| (b / places.blocks_of_run, b % places.blocks_of_run)) {
                for &(at, len) in &places.units {
                    quants[at..at + len].copy_from_slice(&self.weights[places.unit(row, run, b, (at, len))]);
                }
                let (head, scale) = (&self.scales[places.head(row, run)], &self.scales[places.scale(row, run, b)]);
                values.extend(quant::numbers(self.tensor_type, head, scale, &quants).values());
            }
        }
        values
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
    fn panels_hold_the_numbers_of_the_rows_and_zeros_beyond() {
        for tensor_type in TensorType::all() {
            let run_len = tensor_type.run_len();
            for (n_rows, k) in [(1, run_len), (32, 2 * run_len), (33, 3 * run_len), (70, 2 * run_len)] {
                let numbers: Vec<f32> = (0..n_rows * k).map(|i| ((i * 151 % 253) as f32 - 126.5) / 64.0).collect();
                let bytes = quant::quantize(tensor_type, &numbers);
                let panels = from_rows(tensor_type, k, &bytes);
                let mut expected = vec![0.0; numbers.len()];
                quant::dequantize(tensor_type, &bytes, &mut expected);
                assert_eq!(panels.n_rows, n_rows);
                assert_eq!(panels.values(), expected, "{tensor_type}: {n_rows} rows of {k}");
                let padded = (panels.n_panels() * PANEL_ROWS * k) as u64;
                let len = (panels.weights.len() as u64, panels.scales.len() as u64);
                assert_eq!(len, len_bytes(tensor_type, padded), "{tensor_type}");
                let all = Panels { n_rows: panels.n_panels() * PANEL_ROWS, ..panels };
                assert!(all.values()[numbers.len()..].iter().all(|v| v.abs() < 1e-30), "{tensor_type}: {n_rows} rows");
            }
        }
    }

    #[test]
    fn a_matrix_beyond_the_limit_of_a_buffer_has_as_few_parts_as_can_be() {
        // Gemma 3 270M's embedding: 262,144 rows of 640, 167,772,160 bytes of quants.
        let gemma = |most| parts(TensorType::Q8_0, 640, 8192, most);
        assert_eq!(gemma(128 << 20), [0..4096, 4096..8192]);
        assert_eq!(gemma(167_772_160).len(), 1);
        assert_eq!(gemma(167_772_159).len(), 2);
        assert_eq!(parts(TensorType::F32, 32, 7, 3 * 4096), [0..3, 3..6, 6..7]);
        assert_eq!(parts(TensorType::F32, 32, 2, 1), [0..1, 1..2], "what cannot fit is refused with its size later");
    }

    #[test]
    fn units_by_hand() {
        // Row 33 is the second of panel 1. Q6_K: 16 bytes of nibbles, then 8 of upper bits; a head and two scales of a byte.
        let places = Places::new(TensorType::Q6K, 512);
        assert_eq!(places.units, [(0, 16), (16, 8)]);
        assert_eq!(places.unit(33, 1, 2, (0, 16)).start, 32 * 24 * (16 + 8 + 2) + 16);
        assert_eq!(places.unit(33, 1, 2, (16, 8)).start, 32 * 24 * (16 + 8 + 2) + 32 * 16 + 8);
        assert_eq!(places.head(33, 1), 3 * 576 + 2..3 * 576 + 4);
        assert_eq!(places.scale(33, 1, 2).start, 3 * 576 + 64 + 2 * 64 + 2);
        assert_eq!(Places::new(TensorType::Q3K, 256).units, [(0, 8), (8, 4)]);
        assert_eq!(Places::new(TensorType::Q8_0, 32).units, [(0, 16), (16, 16)]);
    }
}
