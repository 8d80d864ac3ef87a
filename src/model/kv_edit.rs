//! Changing what the cache holds, for experiments: keys and values of one sequence given to another, and single rows overwritten.

use super::kv_pool::{BLOCK_POSITIONS, KvSide};
use super::taps::{TapRun, TapTensor};
use super::{ForwardPass, ModelError};
use crate::gpu::Recorder;
use crate::numerics::KvFormat;
use crate::reference::kv_cache::kv_store;

/// Where the cache holds one position of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KvSlot {
    /// Cache block.
    pub block: u32,
    /// Position within the block, below 16.
    pub offset: u32,
}

impl KvSlot {
    /// The slot of a position whose cache block this is.
    pub fn new(block: u32, position: u32) -> Self {
        Self { block, offset: position % BLOCK_POSITIONS }
    }
}

impl ForwardPass {
    /// Copies K and V of `n_positions` positions in these layers, from the slots that begin at `from` to those at `to`, before the next
    /// step.
    ///
    /// # Errors
    /// [`ModelError::CacheSlot`] where a range leaves its block or the cache, or there is no such layer: nothing is copied.
    pub fn copy_kv(&self, layers: &[u32], copies: &[(KvSlot, KvSlot, u32)]) -> Result<(), ModelError> {
        for layer in layers {
            for (from, to, n_positions) in copies {
                self.check_slot(*layer, *from, *n_positions)?;
                self.check_slot(*layer, *to, *n_positions)?;
            }
        }
        let mut record = Recorder::default();
        for &layer in layers {
            for &(from, to, n_positions) in copies {
                self.kv.k.copy_positions(&mut record, layer, from, to, n_positions);
                self.kv.v.copy_positions(&mut record, layer, from, to, n_positions);
            }
        }
        record.submit(&self.device);
        Ok(())
    }

    /// Overwrites K or V of one position in one layer, as the cache rounds the values. // [kv_dim]
    ///
    /// # Errors
    /// [`ModelError::CacheSlot`] as for [`ForwardPass::copy_kv`], and where `tensor` is neither K nor V or `values` are not a row of it.
    pub fn write_kv(&self, layer: u32, tensor: TapTensor, slot: KvSlot, values: &[f32]) -> Result<(), ModelError> {
        self.check_slot(layer, slot, 1)?;
        let (side, format): (&KvSide, KvFormat) = match tensor {
            TapTensor::K => (&self.kv.k, self.numerics.k),
            TapTensor::V => (&self.kv.v, self.numerics.v),
            _ => return Err(self.no_slot(layer, slot, 1)),
        };
        if values.len() != self.config.kv_dim() as usize {
            return Err(self.no_slot(layer, slot, 1));
        }
        for (head, values) in (0..).zip(values.chunks_exact(self.config.head_dim as usize)) {
            let words: Vec<u32> = values.as_chunks().0.iter().flat_map(|block| kv_store(format, block)).collect();
            self.device.write(&side.layers[layer as usize], side.at(slot, head), bytemuck::cast_slice(&words));
        }
        Ok(())
    }

    /// Gives one value of K or V of a position another one, as the cache rounds it.
    ///
    /// # Errors
    /// [`ModelError::CacheSlot`] as for [`ForwardPass::write_kv`], and where the row has no such index; GPU errors.
    pub async fn alter_kv(
        &mut self,
        layer: u32,
        tensor: TapTensor,
        slot: KvSlot,
        index: u32,
        value: f32,
    ) -> Result<(), ModelError> {
        if layer >= self.config.n_blocks || index >= self.config.kv_dim() {
            return Err(self.no_slot(layer, slot, 1));
        }
        self.tap_cached(slot, TapRun::First).await?;
        let [mut row, _] = self.tapped_values(Some(layer), tensor).await?;
        row[index as usize] = value;
        self.write_kv(layer, tensor, slot, &row)
    }

    pub(super) fn check_slot(&self, layer: u32, slot: KvSlot, n_positions: u32) -> Result<(), ModelError> {
        let in_block = slot.offset < BLOCK_POSITIONS && n_positions <= BLOCK_POSITIONS - slot.offset;
        let there = layer < self.config.n_blocks && slot.block < self.capacity.n_cache_blocks && in_block;
        if there { Ok(()) } else { Err(self.no_slot(layer, slot, n_positions)) }
    }

    fn no_slot(&self, layer: u32, slot: KvSlot, n_positions: u32) -> ModelError {
        ModelError::CacheSlot { layer, block: slot.block, offset: slot.offset, n_positions }
    }
}
