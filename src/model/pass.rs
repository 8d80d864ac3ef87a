//! [`ForwardPass`]: a model under one numerics, made ready to run. The pass itself is in `forward.rs`.

use super::activations::Activations;
use super::injected_fault::InjectedFault;
use super::kv_difference::KvDifference;
use super::kv_pool::{BLOCK_POSITIONS, KvPool};
use super::plan::{Plan, PlanParts, Ropes, padded_vocab};
use super::product::Product;
use super::self_test::self_test;
use super::taps::{TapTensor, Taps};
use super::{ModelConfig, ModelError, ModelWeights, SelfTest};
use crate::gpu::select::{self, KernelShape, PerShape, step_shape};
use crate::gpu::step::MAX_ROWS;
use crate::gpu::wgsl::Target;
use crate::gpu::{Buffer, Device, Kernels, MatmulFormats, Recorder};
use crate::numerics::{Numerics, NumericsError, Order, Site};
use crate::reference::rope_table::RopeTables;

/// One token of one sequence in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Line of the block table.
    pub sequence: u32,
    /// Absolute position in the sequence.
    pub position: u32,
    /// Token id.
    pub token: u32,
    /// Cache block that takes this row's K and V.
    pub block: u32,
}

/// Which rows' logits a step computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outputs {
    /// None: a prefill chunk that is not the last.
    None,
    /// The last row's.
    Last,
    /// Every row's.
    All,
}

/// Sizes of a forward pass's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Positions of one sequence.
    pub context_len: u32,
    /// Cache blocks of 16 positions.
    pub n_cache_blocks: u32,
    /// Sequences at once.
    pub n_sequences: u32,
}

/// A model under one numerics, ready to run: kernels, their bindings, activations, and the K/V cache's memory.
#[derive(Debug)]
pub struct ForwardPass {
    pub(super) device: Device,
    pub(super) config: ModelConfig,
    pub(super) numerics: Numerics,
    pub(super) capacity: Capacity,
    pub(super) kernels: Kernels,
    pub(super) activations: Activations,
    pub(super) kv: KvPool,
    pub(super) block_table: Buffer, // [n_sequences, max_blocks]
    pub(super) plan: Plan,
    pub(super) fault: Option<InjectedFault>,
    pub(super) taps: Option<Taps>,                  // made when first asked for
    pub(super) kv_difference: Option<KvDifference>, // the same
    pipelines_agree: bool,                          // vector and tiled, in order invariant, as the self-test measured
}

impl ForwardPass {
    /// Compiles the kernels, allocates, binds.
    ///
    /// # Errors
    /// Numerics that this device or this model cannot have; GPU errors: a refused kernel by name, out of memory by buffer.
    pub async fn new(
        device: &Device,
        config: &ModelConfig,
        weights: &ModelWeights,
        numerics: Numerics,
        capacity: Capacity,
    ) -> Result<Self, ModelError> {
        config.check_numerics(&numerics)?;
        let report = device.report();
        let target = PerShape::of(&numerics).map(|arithmetic| Target {
            lanes: report.family.lanes(report.subgroup_size),
            head_dim: config.head_dim,
            arithmetic: *arithmetic,
            k: numerics.k,
            v: numerics.v,
            norm: numerics.norm,
            softmax: numerics.softmax,
            tie_rule: numerics.tie_rule,
            subgroup_size: report.subgroup_size,
            architecture: config.architecture,
        });
        if target.vector.lacks_subgroup_sum() {
            return Err(NumericsError::NoSubgroupSum.into());
        }
        let kernels = Kernels::new(device, target, &weights.formats(config.architecture, numerics.shards)).await?;
        let max_blocks = capacity.context_len.div_ceil(BLOCK_POSITIONS);
        let part_splits = capacity.context_len.div_ceil(64).max(8);
        let n_top_parts = config.vocab_size.div_ceil(crate::gpu::step::PART_LOGITS);
        let n_padded = padded_vocab(config);
        // A large vocabulary's logits of a whole step may be more than one buffer holds.
        let logits_rows = report.limits.max_storage_buffer_binding_size / (u64::from(n_padded) * 4);
        let most_rows = MAX_ROWS.min(u32::try_from(logits_rows).unwrap_or(MAX_ROWS));
        let n_rows = numerics.chunk_rows.max(capacity.n_sequences).min(most_rows);
        let activations =
            Activations::new(device, config, &numerics, n_rows, part_splits, n_padded, n_top_parts).await?;
        let kv = KvPool::new(device, config, (numerics.k, numerics.v), capacity.n_cache_blocks).await?;
        let settings = config.rope_settings(weights.rope_freqs.clone());
        let ropes = RopeTables::new(&settings, config.window, capacity.context_len as usize);
        let rope = Ropes {
            global: device.upload("RoPE table", bytemuck::cast_slice(&ropes.global.cos_sin)).await?,
            local: match &ropes.local {
                Some(local) => Some(device.upload("local RoPE table", bytemuck::cast_slice(&local.cos_sin)).await?),
                None => None,
            },
        };
        let table_len = u64::from(capacity.n_sequences) * u64::from(max_blocks) * 4;
        let block_table = device.storage("block table", table_len).await?;
        let plan = PlanParts {
            device,
            config,
            weights,
            numerics: &numerics,
            kernels: &kernels,
            activations: &activations,
            kv: &kv,
            rope: &rope,
            block_table: &block_table,
            part_splits,
        }
        .build()
        .await?;
        device.check()?;
        Ok(Self {
            device: device.clone(),
            config: config.clone(),
            numerics,
            capacity,
            kernels,
            activations,
            kv,
            block_table,
            plan,
            taps: None,
            fault: None,
            kv_difference: None,
            pipelines_agree: false,
        })
    }

    /// Compares every kernel with its CPU twin on this device, in every order, and learns whether order `invariant` must keep to one
    /// pipeline per product.
    ///
    /// # Errors
    /// The first kernel that fails, by name.
    pub async fn self_test(&mut self, formats: &MatmulFormats) -> Result<SelfTest, ModelError> {
        let found = self_test(&self.device, &self.kernels, formats).await?;
        self.pipelines_agree = found.invariant_pipelines_agree;
        Ok(found)
    }

    /// Takes other numerics from the next step on if no kernel and no buffer depends on what differs: orders, and fewer rows in a chunk.
    /// What is in the cache was written under the old ones. Whether it could.
    pub fn retune(&mut self, numerics: &Numerics) -> bool {
        let same = Numerics { orders: numerics.orders, chunk_rows: numerics.chunk_rows, ..self.numerics } == *numerics;
        if !same || numerics.chunk_rows > self.activations.n_rows {
            return false;
        }
        for product in self.plan.products() {
            product.set_order(&self.device, numerics.orders.of(product.site));
        }
        self.numerics = *numerics;
        true
    }

    /// The kernel of a site for `n_rows` rows. In order invariant, where this device failed to prove its two pipelines equal, the vector
    /// kernel serves them all.
    pub fn kernel_shape(&self, site: Site, n_rows: u32) -> KernelShape {
        match self.numerics.orders.of(site) {
            Order::Invariant if !self.pipelines_agree => KernelShape::Vector,
            order => KernelShape::for_rows(order, n_rows),
        }
    }

    pub(super) fn splits(&self, n_rows: u32) -> (bool, u32) {
        select::attention_splits(self.numerics.orders.of(Site::Attention), n_rows)
    }

    pub(super) fn max_blocks(&self) -> u32 {
        self.capacity.context_len.div_ceil(BLOCK_POSITIONS)
    }

    /// Sets where `sequence`'s positions lie: its cache blocks in order, from block `first` on.
    pub fn set_block_table(&self, sequence: u32, first: u32, blocks: &[u32]) {
        let at = u64::from(sequence * self.max_blocks() + first) * 4;
        self.device.write(&self.block_table, at, bytemuck::cast_slice(blocks));
    }

    /// Copies cache blocks `(from, to)` in every layer, before the next step.
    pub fn copy_blocks(&self, copies: &[(u32, u32)]) {
        if copies.is_empty() {
            return;
        }
        let mut record = Recorder::default();
        for &(from, to) in copies {
            self.kv.copy_block(&mut record, from, to);
        }
        record.submit(&self.device);
    }

    /// All logits of the last step's output rows. // [n_outputs, vocab_size]
    ///
    /// # Errors
    /// GPU errors.
    pub async fn read_logits(&self, n_outputs: u32) -> Result<Vec<Vec<f32>>, ModelError> {
        let n_padded = padded_vocab(&self.config) as usize;
        let len_bytes = u64::from(n_outputs) * n_padded as u64 * 4;
        let bytes = self.device.read_back("logits", &self.activations.logits, len_bytes).await?;
        let values: Vec<f32> = bytemuck::pod_collect_to_vec(&bytes);
        let vocab = self.config.vocab_size as usize;
        Ok(values.chunks_exact(n_padded).map(|row| row[..vocab].to_vec()).collect())
    }

    /// Name of the kernel that writes the row of `position` of a tensor (of the logits with no layer) in a step of `n_rows` rows.
    pub fn writer(&self, layer: Option<u32>, tensor: TapTensor, n_rows: usize, position: usize) -> String {
        let n_rows = u32::try_from(n_rows).unwrap_or(u32::MAX);
        let name = |product: &Product| product.writer(self.kernel_shape(product.site, n_rows));
        let Some(block) = layer.and_then(|layer| self.plan.blocks.get(layer as usize)) else {
            return self.plan.output(step_shape(n_rows))[0].writer(self.kernel_shape(Site::Output, 1));
        };
        let first_panel = match tensor {
            TapTensor::K => self.config.q_dim() / 32,
            TapTensor::V => (self.config.q_dim() + self.config.kv_dim()) / 32,
            _ => 0,
        };
        match tensor {
            TapTensor::Q | TapTensor::K | TapTensor::V => {
                // Q, K and V of different formats are products of their own.
                let of_tensor = block.attn_qkv.iter().find(|product| product.covers(first_panel));
                let written = of_tensor.map(|product| product.own_writer(self.kernel_shape(product.site, n_rows)));
                // The norm of heads stands behind the last of them and takes Q and K on.
                match (&self.kernels.head_norm, tensor) {
                    (Some(norm), TapTensor::Q | TapTensor::K) => {
                        format!("{} of {}", norm.name(), written.unwrap_or_default())
                    }
                    _ => written.unwrap_or_default(),
                }
            }
            TapTensor::AttentionOutput => {
                let (fixed, most) = self.splits(n_rows);
                let n_keys = u32::try_from(position + 1).unwrap_or(u32::MAX);
                let window = self.config.window_of(layer.unwrap_or(0) as usize);
                let n_splits = select::n_splits(fixed, most, n_keys, window);
                let splits = if n_splits == 1 { "split" } else { "splits" };
                format!("{} over {n_splits} {splits}", self.kernels.attention_fold.get(step_shape(n_rows)).name())
            }
            TapTensor::ResidualAfterAttention => name(&block.attn_output),
            TapTensor::FfnHidden => name(&block.ffn_gate_up),
            TapTensor::ResidualAfterFfn | TapTensor::Logits => name(&block.ffn_down),
        }
    }

    /// Names of the kernels that a step of `n_rows` rows runs, in order of first use.
    pub fn kernel_names(&self, n_rows: u32) -> Vec<String> {
        let product = |product: &Product, n_rows| -> Vec<String> {
            product.kernel_names(self.kernel_shape(product.site, n_rows)).map(str::to_owned).collect()
        };
        let mut all = vec![self.kernels.embed.get(step_shape(n_rows)).name().to_owned()];
        for block in &self.plan.blocks {
            all.extend(block.attn_qkv.iter().flat_map(|qkv| product(qkv, n_rows)));
            all.extend(
                [&self.kernels.attention_split, self.kernels.attention_fold.get(step_shape(n_rows))]
                    .map(|kernel| kernel.name().to_owned()),
            );
            all.extend(
                [&block.attn_output, &block.ffn_gate_up, &block.ffn_down].into_iter().flat_map(|p| product(p, n_rows)),
            );
        }
        all.extend(self.plan.output(step_shape(n_rows)).iter().flat_map(|output| product(output, 1)));
        all.extend([&self.kernels.top_k_parts, &self.kernels.top_k_merge].map(|kernel| kernel.name().to_owned()));
        let mut names = Vec::new();
        for name in all {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The device that it runs on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The compiled kernels.
    pub fn kernels(&self) -> &Kernels {
        &self.kernels
    }

    /// The numerics it was made for.
    pub fn numerics(&self) -> &Numerics {
        &self.numerics
    }

    /// Its memory's sizes.
    pub fn capacity(&self) -> Capacity {
        self.capacity
    }

    /// Most rows of one step.
    pub fn max_rows(&self) -> u32 {
        self.activations.n_rows
    }
}

/// How many rows a step has, if all of them can be run.
///
/// # Errors
/// [`ModelError::Rows`], [`ModelError::TokenId`], [`ModelError::Position`].
pub(super) fn check_rows(rows: &[Row], most: u32, config: &ModelConfig, capacity: Capacity) -> Result<u32, ModelError> {
    let n_rows = u32::try_from(rows.len()).ok().filter(|n| (1..=most).contains(n));
    let n_rows = n_rows.ok_or(ModelError::Rows { found: rows.len(), most })?;
    for row in rows {
        if row.token >= config.vocab_size {
            return Err(ModelError::TokenId { id: row.token, vocab_size: config.vocab_size });
        }
        if row.position >= capacity.context_len {
            return Err(ModelError::Position { position: row.position, context_len: capacity.context_len });
        }
    }
    Ok(n_rows)
}

impl Outputs {
    /// How many of `n_rows` rows.
    pub fn count(self, n_rows: u32) -> u32 {
        match self {
            Self::None => 0,
            Self::Last => 1,
            Self::All => n_rows,
        }
    }
}
