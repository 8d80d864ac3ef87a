//! The K/V cache's memory: per layer one buffer of K and one of V, both cut into blocks of 16 positions.

use super::{ModelConfig, ModelError};
use crate::gpu::{Buffer, Device, Recorder};
use crate::numerics::KvFormat;

/// Positions of one cache block.
pub(super) const BLOCK_POSITIONS: u32 = 16;

/// One side of the cache, K or V.
#[derive(Debug)]
pub(super) struct KvSide {
    pub(super) layers: Vec<Buffer>, // each: [n_cache_blocks, n_kv_heads, 16, head_dim] in the side's format
    block_len: u64,                 // bytes of one block
    between: Buffer,                // [block_len]: WebGPU copies only between different buffers
}

impl KvSide {
    async fn new(
        device: &Device,
        config: &ModelConfig,
        side: &str,
        format: KvFormat,
        n_cache_blocks: u32,
    ) -> Result<Self, ModelError> {
        let block_len = u64::from(BLOCK_POSITIONS * config.kv_dim() / 32) * 4 * format.block_words() as u64;
        let mut layers = Vec::new();
        for layer in 0..config.n_blocks {
            let what = format!("{side} of layer {layer}");
            layers.push(device.storage(&what, block_len * u64::from(n_cache_blocks)).await?);
        }
        let between = device.storage(&format!("{side} block in transit"), block_len).await?;
        Ok(Self { layers, block_len, between })
    }

    fn copy_block<'a>(&'a self, record: &mut Recorder<'a>, from: u32, to: u32) {
        let at = |block: u32| u64::from(block) * self.block_len;
        for layer in &self.layers {
            record.copy(layer, at(from), &self.between, 0, self.block_len);
            record.copy(&self.between, 0, layer, at(to), self.block_len);
        }
    }
}

/// K and V of every layer.
#[derive(Debug)]
pub(super) struct KvPool {
    pub(super) k: KvSide,
    pub(super) v: KvSide,
}

impl KvPool {
    pub(super) async fn new(
        device: &Device,
        config: &ModelConfig,
        (k, v): (KvFormat, KvFormat),
        n_cache_blocks: u32,
    ) -> Result<Self, ModelError> {
        Ok(Self {
            k: KvSide::new(device, config, "K", k, n_cache_blocks).await?,
            v: KvSide::new(device, config, "V", v, n_cache_blocks).await?,
        })
    }

    /// Copies one block to another in every layer.
    pub(super) fn copy_block<'a>(&'a self, record: &mut Recorder<'a>, from: u32, to: u32) {
        self.k.copy_block(record, from, to);
        self.v.copy_block(record, from, to);
    }
}
