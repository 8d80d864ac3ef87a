//! The buffers of one forward pass: everything that lives between two kernels.

use super::{ModelConfig, ModelError};
use crate::gpu::step::{MAX_ROWS, StepHeader, StepRow, Top};
use crate::gpu::{Buffer, Device};
use crate::numerics::{ActivationFormat, Numerics};

/// Rows of activations with their blocks' info.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) values: Buffer, // [n_rows, dim], in the format of the step
    pub(super) info: Buffer,   // [n_rows, dim / 32] BlockInfo
}

impl Rows {
    /// Rows in f32, whatever the numerics.
    async fn in_f32(device: &Device, what: &str, n_rows: u32, dim: u32) -> Result<Self, ModelError> {
        Self::of_len(device, what, u64::from(n_rows) * u64::from(dim), 4).await
    }

    async fn new(device: &Device, what: &str, numerics: &Numerics, n_rows: u32, dim: u32) -> Result<Self, ModelError> {
        let value_len = |format| match format {
            ActivationFormat::F32 => 4,
            ActivationFormat::F16 => 2,
            ActivationFormat::Int8 => 1,
        };
        let value_len = value_len(numerics.decode.activations).max(value_len(numerics.prefill.activations));
        Self::of_len(device, what, u64::from(n_rows) * u64::from(dim), value_len).await
    }

    async fn of_len(device: &Device, what: &str, n: u64, value_len: u64) -> Result<Self, ModelError> {
        Ok(Self {
            values: device.storage(what, n * value_len).await?,
            info: device.storage(&format!("{what} info"), n / 32 * 16).await?,
        })
    }

    /// Its buffers, as a tap binds them.
    pub(super) fn tapped(&self) -> Vec<(u32, &Buffer)> {
        vec![(2, &self.values), (3, &self.info)]
    }
}

/// Everything that lives between two kernels of a step of up to `n_rows` rows.
#[derive(Debug)]
pub(super) struct Activations {
    pub(super) step: Buffer,             // Step
    pub(super) residual: Buffer,         // [n_rows, embedding_dim] f32
    pub(super) normed: Rows,             // [n_rows, embedding_dim], residual times norm weights
    pub(super) q: Buffer,                // [n_rows, q_dim] f32
    pub(super) parts: Buffer,            // [n_rows, n_heads, part_splits, head_dim + 4] f32
    pub(super) attended: Rows,           // [n_rows, q_dim]
    pub(super) hidden: Rows,             // [n_rows, feed_forward_dim]
    pub(super) partials: Option<Buffer>, // [shards, n_rows, embedding_dim] f32, where products are split
    pub(super) heads: Option<Rows>,      // [n_rows, q_dim + kv_dim] f32, where heads of Q and K have norms
    pub(super) totals: Option<Rows>, // [n_rows, embedding_dim] f32, where a norm stands in front of the residual stream
    pub(super) logits: Buffer,       // [n_rows, n_padded] f32
    pub(super) top_parts: Buffer,    // [n_rows, n_top_parts] Top
    pub(super) top: Buffer,          // [n_rows] Top
    pub(super) staging: Buffer,      // [n_rows] Top
    pub(super) n_rows: u32,
}

impl Activations {
    pub(super) async fn new(
        device: &Device,
        config: &ModelConfig,
        numerics: &Numerics,
        n_rows: u32,
        part_splits: u32,
        n_padded: u32,
        n_top_parts: u32,
    ) -> Result<Self, ModelError> {
        let rows = u64::from(n_rows);
        let dim = config.embedding_dim;
        let top_len = size_of::<Top>() as u64;
        let partials_len = u64::from(numerics.shards) * rows * u64::from(dim) * 4;
        let partials = match numerics.shards {
            1 => None,
            _ => Some(device.storage("partials", partials_len).await?),
        };
        let heads = match config.architecture.head_norms {
            true => Some(Rows::in_f32(device, "heads", n_rows, config.q_dim() + config.kv_dim()).await?),
            false => None,
        };
        let totals = match config.architecture.post_norms {
            true => Some(Rows::in_f32(device, "totals", n_rows, dim).await?),
            false => None,
        };
        let step_len = size_of::<StepHeader>() + MAX_ROWS as usize * size_of::<StepRow>();
        let part_len = u64::from(part_splits) * u64::from(config.head_dim + 4) * 4;
        Ok(Self {
            step: device.uniform("step", &vec![0; step_len]).await?,
            residual: device.storage("residual", rows * u64::from(dim) * 4).await?,
            normed: Rows::new(device, "normed", numerics, n_rows, dim).await?,
            q: device.storage("q", rows * u64::from(config.q_dim()) * 4).await?,
            parts: device.storage("attention parts", rows * u64::from(config.n_heads) * part_len).await?,
            attended: Rows::new(device, "attended", numerics, n_rows, config.q_dim()).await?,
            hidden: Rows::new(device, "hidden", numerics, n_rows, config.feed_forward_dim).await?,
            partials,
            heads,
            totals,
            logits: device.storage("logits", rows * u64::from(n_padded) * 4).await?,
            top_parts: device.storage("top parts", rows * u64::from(n_top_parts) * top_len).await?,
            top: device.storage("top", rows * top_len).await?,
            staging: device.staging("top staging", rows * top_len).await?,
            n_rows,
        })
    }
}
