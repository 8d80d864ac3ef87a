//! What an engine asks of a forward pass, wherever it runs.

use super::{Capacity, ForwardPass, ModelError, ModelWeights, Outputs, Row};
use crate::gpu::select::KernelShape;
use crate::gpu::step::Top;
use crate::numerics::{Numerics, Site};

/// A model under one numerics, ready to run steps of rows: on a GPU ([`ForwardPass`]) or on the CPU twin ([`super::TwinPass`]).
pub trait Pass {
    /// The model's weights as this pass reads them.
    type Weights: std::fmt::Debug;

    /// Runs `rows` and returns the top five, hash and finiteness of each output row.
    fn forward(&mut self, rows: &[Row], outputs: Outputs) -> impl Future<Output = Result<Vec<Top>, ModelError>>;

    /// Sets where `sequence`'s positions lie: its cache blocks in order, from block `first` on.
    fn set_block_table(&mut self, sequence: u32, first: u32, blocks: &[u32]);

    /// Copies cache blocks `(from, to)` in every layer, before the next step.
    fn copy_blocks(&mut self, copies: &[(u32, u32)]);

    /// The kernel of a site for `n_rows` rows.
    fn kernel_shape(&self, site: Site, n_rows: u32) -> KernelShape;

    /// Names of the kernels that a step of `n_rows` rows runs, in order of first use.
    fn kernel_names(&self, n_rows: u32) -> Vec<String>;

    /// The numerics it was made for.
    fn numerics(&self) -> &Numerics;

    /// Its memory's sizes.
    fn capacity(&self) -> Capacity;

    /// Most rows of one step.
    fn max_rows(&self) -> u32;
}

impl Pass for ForwardPass {
    type Weights = ModelWeights;

    async fn forward(&mut self, rows: &[Row], outputs: Outputs) -> Result<Vec<Top>, ModelError> {
        self.forward(rows, outputs).await
    }

    fn set_block_table(&mut self, sequence: u32, first: u32, blocks: &[u32]) {
        Self::set_block_table(self, sequence, first, blocks);
    }

    fn copy_blocks(&mut self, copies: &[(u32, u32)]) {
        Self::copy_blocks(self, copies);
    }

    fn kernel_shape(&self, site: Site, n_rows: u32) -> KernelShape {
        self.kernel_shape(site, n_rows)
    }

    fn kernel_names(&self, n_rows: u32) -> Vec<String> {
        self.kernel_names(n_rows)
    }

    fn numerics(&self) -> &Numerics {
        self.numerics()
    }

    fn capacity(&self) -> Capacity {
        self.capacity()
    }

    fn max_rows(&self) -> u32 {
        self.max_rows()
    }
}
