//! The K/V cache's memory: one buffer per layer, cut into blocks of 16 positions, K in the first half and V in the second.

use super::{ModelConfig, ModelError};
use crate::gpu::{Buffer, Device, Recorder};
use crate::numerics::KvFormat;

/// Positions of one cache block.
pub(super) const BLOCK_POSITIONS: u32 = 16;

/// K and V of every layer. A layer's buffer: K then V, each `[n_cache_blocks, n_kv_heads, 16, head_dim]`.
#[derive(Debug)]
pub(super) struct KvPool {
    pub(super) layers: Vec<Buffer>,
    pub(super) n_cache_blocks: u32,
    half_len: u64,   // bytes of K (and of V) of one layer
    block_len: u64,  // bytes of K (and of V) of one block
    between: Buffer, // [2, block_len]: WebGPU copies only between different buffers
}

impl KvPool {
    pub(super) async fn new(
        device: &Device,
        config: &ModelConfig,
        format: KvFormat,
        n_cache_blocks: u32,
    ) -> Result<Self, ModelError> {
        let value_len = match format {
            KvFormat::F32 => 4,
            KvFormat::F16 => 2,
        };
        let block_len = u64::from(BLOCK_POSITIONS * config.kv_dim()) * value_len;
        let half_len = block_len * u64::from(n_cache_blocks);
        let mut layers = Vec::new();
        for layer in 0..config.n_blocks {
            layers.push(device.storage(&format!("K and V of layer {layer}"), 2 * half_len).await?);
        }
        let between = device.storage("block in transit", 2 * block_len).await?;
        Ok(Self { layers, n_cache_blocks, half_len, block_len, between })
    }

    /// Quads before V in a layer's buffer.
    pub(super) fn v_offset(&self, config: &ModelConfig) -> u32 {
        self.n_cache_blocks * BLOCK_POSITIONS * config.kv_dim() / 4
    }

    /// Copies one block to another in every layer.
    pub(super) fn copy_block<'a>(&'a self, record: &mut Recorder<'a>, from: u32, to: u32) {
        let at = |block: u32| u64::from(block) * self.block_len;
        for layer in &self.layers {
            record.copy(layer, at(from), &self.between, 0, self.block_len);
            record.copy(layer, self.half_len + at(from), &self.between, self.block_len, self.block_len);
            record.copy(&self.between, 0, layer, at(to), self.block_len);
            record.copy(&self.between, self.block_len, layer, self.half_len + at(to), self.block_len);
        }
    }
}
