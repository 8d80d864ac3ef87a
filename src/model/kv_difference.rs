//! How far the cached K and V of two sequences are apart, compared on the GPU over all layers and positions.

use serde::Serialize;

use super::taps::{self, TapTensor};
use super::{ForwardPass, ModelError};
use crate::gpu::step::{KvPair, KvRowDifference, TapShape};
use crate::gpu::{Bindings, Buffer, Kernel, Recorder};
use crate::numerics::ulp::Difference;

/// How far K or V of one position is apart in two sequences.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct KvPositionDifference {
    /// Bit by bit.
    pub row: Difference,
    /// Length of the difference, as a vector, over the length of the first sequence's row: 0 where every value is equal, infinite where
    /// only the first row is all zeros.
    pub relative_l2: f32,
    /// Most steps between two values, each to the next number of the cache's format; of f32 where blocks have scales of their own.
    pub largest_steps: u32,
}

impl KvPositionDifference {
    fn new(words: KvRowDifference) -> Self {
        let relative_l2 = match (words.difference_squares, words.first_squares) {
            (0.0, _) => 0.0,
            (_, 0.0) => f32::INFINITY,
            (of_difference, of_first) => (of_difference / of_first).sqrt(),
        };
        Self { row: taps::difference(words.row), relative_l2, largest_steps: words.largest_steps }
    }
}

/// How far K and V of one layer are apart in two sequences.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct KvLayerDifferences {
    /// Keys. // [position]
    pub k: Vec<KvPositionDifference>,
    /// Values. // [position]
    pub v: Vec<KvPositionDifference>,
}

/// Everything that the comparison needs.
#[derive(Debug)]
pub(super) struct KvDifference {
    k: Kernel,
    v: Kernel,
    sites: Vec<[Bindings; 2]>, // [layer][K, V]
    pair: Buffer,              // KvPair
    differences: Buffer,       // [layer, K and V, context_len] KvRowDifference
}

impl KvDifference {
    async fn new(pass: &ForwardPass) -> Result<Self, ModelError> {
        let (device, config, target) = (&pass.device, &pass.config, pass.kernels.target.vector);
        let compile = async |format| Kernel::new(device, "kv_difference", &target.kv_difference(format)).await;
        let k = compile(target.k).await?;
        let v = if target.v == target.k { k.clone() } else { compile(target.v).await? };
        let len_bytes =
            u64::from(2 * config.n_blocks * pass.capacity.context_len) * size_of::<KvRowDifference>() as u64;
        let pair = device.uniform("K/V pair", bytemuck::bytes_of(&KvPair::default())).await?;
        let differences = device.storage("K/V differences", len_bytes).await?;
        let mut sites = Vec::new();
        for (layer, buffers) in (0..).zip(pass.kv.k.layers.iter().zip(&pass.kv.v.layers)) {
            let bind = async |kernel: &Kernel, buffer: &Buffer, tensor: TapTensor| -> Result<Bindings, ModelError> {
                let record = 2 * layer + u32::from(tensor == TapTensor::V);
                let shape = TapShape { record, ..taps::shape(config, tensor, layer, 0) };
                let shape = device.uniform("K/V shape", bytemuck::bytes_of(&shape)).await?;
                let bound = [(0, &pair), (1, &shape), (2, buffer), (4, &pass.block_table), (5, &differences)];
                Ok(kernel.bind(device, &bound))
            };
            sites.push([bind(&k, buffers.0, TapTensor::K).await?, bind(&v, buffers.1, TapTensor::V).await?]);
        }
        Ok(Self { k, v, sites, pair, differences })
    }
}

impl ForwardPass {
    /// How far K and V are apart in two sequences of the block table, in every layer and position below `n_positions`. // [layer]
    ///
    /// # Errors
    /// [`ModelError::Position`] for more positions than a sequence has; GPU errors.
    pub async fn kv_difference(
        &mut self,
        sequences: [u32; 2],
        n_positions: u32,
    ) -> Result<Vec<KvLayerDifferences>, ModelError> {
        let context_len = self.capacity.context_len;
        if n_positions > context_len {
            return Err(ModelError::Position { position: n_positions - 1, context_len });
        }
        if self.kv_difference.is_none() {
            self.kv_difference = Some(KvDifference::new(self).await?);
        }
        let kernels = self.kv_difference.as_ref().expect("it was just made");
        let max_blocks = self.max_blocks();
        let pair = KvPair { sequences, n_positions, max_blocks, max_positions: context_len, unused: [0; 3] };
        self.device.write(&kernels.pair, 0, bytemuck::bytes_of(&pair));
        let mut record = Recorder::default();
        for [k, v] in &kernels.sites {
            let grid = (n_positions.div_ceil(8), 1, 1);
            record.dispatch(&kernels.k, k, grid);
            record.dispatch(&kernels.v, v, grid);
        }
        record.submit(&self.device);
        let len_bytes = kernels.differences.size();
        let bytes = self.device.read_back_from("K/V differences", &kernels.differences, 0, len_bytes).await?;
        let words: Vec<KvRowDifference> = bytemuck::pod_collect_to_vec(&bytes);
        let mut sites = words.chunks_exact(context_len as usize).map(|site| {
            site[..n_positions as usize].iter().map(|words| KvPositionDifference::new(*words)).collect::<Vec<_>>()
        });
        let mut layers = Vec::new();
        while let Some((k, v)) = sites.next().zip(sites.next()) {
            layers.push(KvLayerDifferences { k, v });
        }
        Ok(layers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_told_as_a_share_of_the_first_row() {
        let of = |difference_squares, first_squares| {
            let words = KvRowDifference { difference_squares, first_squares, ..KvRowDifference::default() };
            KvPositionDifference::new(words).relative_l2
        };
        assert_eq!([of(0.0, 4.0), of(0.0, 0.0), of(1.0, 4.0), of(9.0, 1.0)], [0.0, 0.0, 0.5, 3.0]);
        assert!(of(1.0, 0.0).is_infinite());
    }
}
