//! The forward pass: rows of (sequence, position, token) in, logits' top five and hash out.
//!
//! A prefill chunk, one decode step and a batch of neighbours are all just rows. K and V are written into the cache before
//! attention reads every key from it, so fresh and cached keys have one layout, and nothing depends on where a row came from.

use super::kv_pool::BLOCK_POSITIONS;
use super::pass::check_rows;
use super::plan::BlockPlan;
use super::product::Product;
use super::taps::{TapTensor, Tapped};
use super::{ForwardPass, ModelError, Outputs, Row};
use crate::gpu::Recorder;
use crate::gpu::select::{self, step_shape};
use crate::gpu::step::{StepHeader, StepRow, Top};
use crate::numerics::Site;

impl ForwardPass {
    /// Runs `rows` and returns the top five, hash and finiteness of each output row.
    ///
    /// # Errors
    /// [`ModelError::Rows`], [`ModelError::TokenId`], [`ModelError::Position`] before anything runs;
    /// [`ModelError::LogitsNotFinite`] and GPU errors after.
    pub async fn forward(&mut self, rows: &[Row], outputs: Outputs) -> Result<Vec<Top>, ModelError> {
        let n_rows = self.write_step(rows, outputs)?;
        let n_outputs = outputs.count(n_rows);
        self.record(rows, n_rows, n_outputs, None).submit(&self.device);
        self.read_tops(rows, n_outputs).await
    }

    /// What the step that was just submitted says of its last `n_outputs` rows.
    pub(super) async fn read_tops(&self, rows: &[Row], n_outputs: u32) -> Result<Vec<Top>, ModelError> {
        if n_outputs == 0 {
            self.device.finished().await?;
            return Ok(Vec::new());
        }
        let top_len = u64::from(n_outputs) * size_of::<Top>() as u64;
        let bytes = self.device.read_staging("logits' top five", &self.activations.staging, top_len).await?;
        let tops: Vec<Top> = bytemuck::pod_collect_to_vec(&bytes);
        let first_output = rows.len() - n_outputs as usize;
        if let Some(bad) = tops.iter().position(|top| top.not_finite != 0) {
            return Err(ModelError::LogitsNotFinite { position: rows[first_output + bad].position });
        }
        Ok(tops)
    }

    /// The forward pass of `rows`, as commands; with taps behind what writes each tensor.
    pub(super) fn record<'a>(
        &'a self,
        rows: &[Row],
        n_rows: u32,
        n_outputs: u32,
        tapped: Option<Tapped<'a>>,
    ) -> Recorder<'a> {
        let mut record = Recorder::default();
        let r = &mut record;
        self.embed(r, n_rows);
        let tap = |r: &mut Recorder<'a>, layer, tensors: &[TapTensor]| {
            if let Some(tapped) = &tapped {
                tapped.taps.record(r, tapped.step, layer, tensors);
            }
        };
        for (layer, block) in (0..).zip(&self.plan.blocks) {
            if self.dispatches(layer, Site::AttnQkv) {
                self.attn_qkv(r, block, n_rows);
            }
            tap(r, layer, &[TapTensor::Q, TapTensor::K, TapTensor::V]);
            if self.dispatches(layer, Site::Attention) {
                self.attention(r, layer, block, rows);
            }
            tap(r, layer, &[TapTensor::AttentionOutput]);
            if self.dispatches(layer, Site::AttnOutput) {
                self.product(r, &block.attn_output, n_rows);
            }
            tap(r, layer, &[TapTensor::ResidualAfterAttention]);
            if self.dispatches(layer, Site::FfnGateUp) {
                self.product(r, &block.ffn_gate_up, n_rows);
            }
            tap(r, layer, &[TapTensor::FfnHidden]);
            if self.dispatches(layer, Site::FfnDown) {
                self.product(r, &block.ffn_down, n_rows);
            }
            tap(r, layer, &[TapTensor::ResidualAfterFfn]);
        }
        if n_outputs > 0 {
            for part in self.plan.output(step_shape(n_rows)) {
                self.product(r, part, n_outputs);
            }
            if tapped.as_ref().is_some_and(|tapped| tapped.logits) {
                tap(r, self.config.n_blocks, &[TapTensor::Logits]);
            }
            self.top_k(r, n_outputs);
            let top_len = u64::from(n_outputs) * size_of::<Top>() as u64;
            r.copy(&self.activations.top, 0, &self.activations.staging, 0, top_len);
        }
        if let Some(tapped) = tapped {
            tapped.taps.record_copy(r);
        }
        record
    }

    /// The dispatches of a step of `rows`, kernel by kernel, to be timed; to submit them leaves activations unusable.
    ///
    /// # Errors
    /// As [`ForwardPass::forward`] before anything runs.
    pub fn by_kernel(&mut self, rows: &[Row], outputs: Outputs) -> Result<Vec<(&str, Recorder<'_>)>, ModelError> {
        let n_rows = self.write_step(rows, outputs)?;
        Ok(self.record(rows, n_rows, outputs.count(n_rows), None).by_kernel())
    }

    /// Token ids to rows of the residual stream.
    fn embed<'a>(&'a self, record: &mut Recorder<'a>, n_rows: u32) {
        let n_workgroups = (self.config.embedding_dim / 32).div_ceil(self.kernels.lanes().tasks());
        let shape = step_shape(n_rows);
        for part in &self.plan.embed {
            record.dispatch(self.kernels.embed.get(shape), part.get(shape), (n_workgroups, n_rows, 1));
        }
    }

    /// Q to its buffer, K and V into the cache, Q and K rotated.
    fn attn_qkv<'a>(&'a self, record: &mut Recorder<'a>, block: &'a BlockPlan, n_rows: u32) {
        for product in &block.attn_qkv {
            self.product(record, product, n_rows);
        }
    }

    /// One matrix product of `n_rows` rows, in the kernel that its site's order chooses for so many.
    fn product<'a>(&'a self, record: &mut Recorder<'a>, product: &'a Product, n_rows: u32) {
        product.record(record, self.kernel_shape(product.site, n_rows), n_rows);
    }

    /// Softmax(Q K^T) V over every key that the row may see, split by split, then folded.
    fn attention<'a>(&'a self, record: &mut Recorder<'a>, layer: u32, block: &'a BlockPlan, rows: &[Row]) {
        let n_rows = rows.len() as u32;
        let (fixed, most) = self.splits(n_rows);
        let window = self.config.window_of(layer as usize);
        let n_splits = rows.iter().map(|row| select::n_splits(fixed, most, row.position + 1, window));
        let n_splits = n_splits.max().unwrap_or(1) - self.lost_splits(layer);
        let tasks = self.kernels.lanes().tasks();
        let heads = self.config.n_heads.div_ceil(tasks);
        record.dispatch(&self.kernels.attention_split, &block.attention_split, (heads, n_rows, n_splits));
        let blocks = (self.config.q_dim() / 32).div_ceil(tasks);
        let (kernels, bindings) = (&self.kernels.attention_fold, &block.attention_fold);
        let shape = step_shape(n_rows);
        record.dispatch(kernels.get(shape), bindings.get(shape), (blocks, n_rows, 1));
    }

    /// The five largest logits and the hash of all, on the GPU.
    fn top_k<'a>(&'a self, record: &mut Recorder<'a>, n_outputs: u32) {
        let n_workgroups = self.plan.n_top_parts.div_ceil(8);
        record.dispatch(&self.kernels.top_k_parts, &self.plan.top_k_parts, (n_workgroups, n_outputs, 1));
        record.dispatch(&self.kernels.top_k_merge, &self.plan.top_k_merge, (n_outputs, 1, 1));
    }

    /// Checks the rows and tells the kernels of them.
    pub(super) fn write_step(&self, rows: &[Row], outputs: Outputs) -> Result<u32, ModelError> {
        let n_rows = check_rows(rows, self.activations.n_rows, &self.config, self.capacity)?;
        let (fixed, most) = self.splits(n_rows);
        let n_outputs = outputs.count(n_rows);
        let header = StepHeader {
            n_rows,
            first_output_row: n_rows - n_outputs,
            n_output_rows: n_outputs,
            fixed_splits: u32::from(fixed),
            max_splits: most,
            max_blocks: self.max_blocks(),
            unused: [0; 2],
        };
        let mut bytes = bytemuck::bytes_of(&header).to_vec();
        for row in rows {
            let slot = row.block * BLOCK_POSITIONS + row.position % BLOCK_POSITIONS;
            let position = row.position + self.position_off();
            let row = StepRow { sequence: row.sequence, position, token: row.token, slot };
            bytes.extend_from_slice(bytemuck::bytes_of(&row));
        }
        self.device.write(&self.activations.step, 0, &bytes);
        Ok(n_rows)
    }
}
