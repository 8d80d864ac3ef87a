//! The K/V cache's memory: per layer one buffer of K and one of V, both cut into blocks of 16 positions.

use super::kv_edit::KvSlot;
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
    head_len: u64,                  // bytes of one head of one position
    n_heads: u32,                   // key and value heads
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
        let head_len = block_len / u64::from(BLOCK_POSITIONS * config.n_kv_heads);
        Ok(Self { layers, block_len, head_len, n_heads: config.n_kv_heads, between })
    }

    /// Where a head of a position lies in its layer's buffer, in bytes.
    pub(super) fn at(&self, slot: KvSlot, head: u32) -> u64 {
        u64::from(slot.block) * self.block_len + u64::from(head * BLOCK_POSITIONS + slot.offset) * self.head_len
    }

    /// Copies the positions from one slot on to those from another on, in one layer; each range lies within its block.
    pub(super) fn copy_positions<'a>(
        &'a self,
        record: &mut Recorder<'a>,
        layer: u32,
        from: KvSlot,
        to: KvSlot,
        n_positions: u32,
    ) {
        let layer = &self.layers[layer as usize];
        // Positions of one head follow each other; those of the next head follow behind the block's 16.
        let (n_parts, len) = match n_positions {
            BLOCK_POSITIONS => (1, self.block_len),
            _ => (self.n_heads, u64::from(n_positions) * self.head_len),
        };
        for head in 0..n_parts {
            record.copy(layer, self.at(from, head), &self.between, 0, len);
            record.copy(&self.between, 0, layer, self.at(to, head), len);
        }
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
