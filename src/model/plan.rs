//! Everything bound before the first step: which kernels each site runs, and their bind groups. Steps create no objects.

use super::activations::{Activations, Rows};
use super::kv_pool::KvPool;
use super::product::{Product, RingSum, Shard};
use super::{Matrix, ModelConfig, ModelError, ModelWeights};
use crate::gpu::select::{KernelShape, PerShape};
use crate::gpu::step::{AttentionShape, PART_LOGITS, Shape, TopShape};
use crate::gpu::wgsl::{Epilogue, Target};
use crate::gpu::{Bindings, Buffer, Device, Kernel, Kernels};
use crate::numerics::{Numerics, Site};

/// One transformer block's kernels, bound.
#[derive(Debug)]
pub(super) struct BlockPlan {
    pub(super) attn_qkv: Vec<Product>,
    pub(super) attention_shape: (Buffer, AttentionShape),
    pub(super) attention_split: Bindings,
    pub(super) attn_output: Product,
    pub(super) ffn_gate_up: Product,
    pub(super) ffn_down: Product,
}

impl BlockPlan {
    /// Its matrix products.
    pub(super) fn products(&self) -> impl Iterator<Item = &Product> {
        self.attn_qkv.iter().chain([&self.attn_output, &self.ffn_gate_up, &self.ffn_down])
    }
}

/// The whole forward pass, bound.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) embed: PerShape<Bindings>,
    pub(super) blocks: Vec<BlockPlan>,
    pub(super) attention_fold: PerShape<Bindings>,
    output: Product,
    output_after_many: Option<Product>, // where it is another
    pub(super) top_k_parts: Bindings,
    pub(super) top_k_merge: Bindings,
    pub(super) n_top_parts: u32,
}

impl Plan {
    /// Every matrix product, in order of execution.
    pub(super) fn products(&self) -> impl Iterator<Item = &Product> {
        self.blocks.iter().flat_map(BlockPlan::products).chain([&self.output]).chain(&self.output_after_many)
    }

    /// The output head of a step of this shape.
    pub(super) fn output(&self, step: KernelShape) -> &Product {
        match (step, &self.output_after_many) {
            (KernelShape::Tiled, Some(output)) => output,
            _ => &self.output,
        }
    }
}

/// What a plan is made of.
pub(super) struct PlanParts<'a> {
    pub(super) device: &'a Device,
    pub(super) config: &'a ModelConfig,
    pub(super) weights: &'a ModelWeights,
    pub(super) numerics: &'a Numerics,
    pub(super) kernels: &'a Kernels,
    pub(super) activations: &'a Activations,
    pub(super) kv: &'a KvPool,
    pub(super) rope: &'a Buffer,
    pub(super) block_table: &'a Buffer,
    pub(super) part_splits: u32,
}

/// Logits per row in the buffer: the vocabulary rounded up to a whole panel.
pub(super) fn padded_vocab(config: &ModelConfig) -> u32 {
    config.vocab_size.next_multiple_of(32)
}

impl PlanParts<'_> {
    pub(super) async fn build(&self) -> Result<Plan, ModelError> {
        let (device, kernels, acts, config) = (self.device, self.kernels, self.activations, self.config);
        let mut blocks = Vec::new();
        for (layer, block) in self.weights.blocks.iter().enumerate() {
            let next_norm =
                self.weights.blocks.get(layer + 1).map_or(&self.weights.output_norm, |next| &next.attn_norm);
            let (k, v) = (&self.kv.k.layers[layer], &self.kv.v.layers[layer]);
            let mut attn_qkv = Vec::new();
            for matrix in &block.attn_qkv {
                let into = [(8, &acts.q), (9, k), (10, v), (11, self.rope)];
                attn_qkv.push(self.product(Site::AttnQkv, Epilogue::Qkv, matrix, &acts.normed, &into).await?);
            }
            let hidden = [(6, &acts.hidden.values), (7, &acts.hidden.info)];
            let attention_shape = self.attention_shape(device).await?;
            blocks.push(BlockPlan {
                attn_qkv,
                attention_split: kernels.attention_split.bind(
                    device,
                    &[
                        (0, &acts.step),
                        (1, &attention_shape.0),
                        (2, &acts.q),
                        (3, k),
                        (4, v),
                        (5, self.block_table),
                        (6, &acts.parts),
                    ],
                ),
                attention_shape,
                attn_output: self
                    .onto_stream(Site::AttnOutput, &block.attn_output, &acts.attended, &block.ffn_norm)
                    .await?,
                ffn_gate_up: self
                    .product(Site::FfnGateUp, Epilogue::GateUp, &block.ffn_gate_up, &acts.normed, &hidden)
                    .await?,
                ffn_down: self.onto_stream(Site::FfnDown, &block.ffn_down, &acts.hidden, next_norm).await?,
            });
        }
        let (head, logits) = (self.weights.head(), [(8, &acts.logits)]);
        let output_after_many = match &kernels.output_after_many {
            Some(kernels) => {
                let tiled = self.kernels.target.tiled;
                let target = PerShape { vector: tiled, tiled };
                Some(self.bind((kernels, target), Site::Output, Epilogue::Output, head, &acts.normed, &logits).await?)
            }
            None => None,
        };
        let n_top_parts = config.vocab_size.div_ceil(PART_LOGITS);
        let top_shape = TopShape {
            n_vocab: config.vocab_size,
            n_padded: padded_vocab(config),
            n_parts: n_top_parts,
            ..Default::default()
        };
        let top_shape = device.uniform("top shape", bytemuck::bytes_of(&top_shape)).await?;
        let (attention_shape, _) = self.attention_shape(device).await?;
        Ok(Plan {
            embed: self.embed().await?,
            blocks,
            attention_fold: kernels.attention_fold.map(|kernel| {
                kernel.bind(
                    device,
                    &[
                        (0, &acts.step),
                        (1, &attention_shape),
                        (2, &acts.parts),
                        (6, &acts.attended.values),
                        (7, &acts.attended.info),
                    ],
                )
            }),
            output: self.product(Site::Output, Epilogue::Output, head, &acts.normed, &logits).await?,
            output_after_many,
            top_k_parts: kernels.top_k_parts.bind(device, &[(1, &top_shape), (2, &acts.logits), (3, &acts.top_parts)]),
            top_k_merge: kernels.top_k_merge.bind(device, &[(1, &top_shape), (2, &acts.top_parts), (3, &acts.top)]),
            n_top_parts,
        })
    }

    async fn embed(&self) -> Result<PerShape<Bindings>, ModelError> {
        let acts = self.activations;
        let matrix = &self.weights.token_embd;
        let shape = self.shape(matrix, Epilogue::Output);
        let shape = self.device.uniform("embed shape", bytemuck::bytes_of(&shape)).await?;
        let first_norm = &self.weights.blocks[0].attn_norm;
        let mut buffers = vec![
            (0, &acts.step),
            (1, &shape),
            (2, &matrix.weights),
            (6, &acts.normed.values),
            (7, &acts.normed.info),
            (8, &acts.residual),
            (9, first_norm),
        ];
        buffers.extend(matrix.scales.iter().map(|scales| (3, scales)));
        Ok(self.kernels.embed.map(|kernel| kernel.bind(self.device, &buffers)))
    }

    /// A product that is added to the residual stream, whole or shard by shard.
    async fn onto_stream(
        &self,
        site: Site,
        matrix: &Matrix,
        x: &Rows,
        next_norm: &Buffer,
    ) -> Result<Product, ModelError> {
        let acts = self.activations;
        let mut stream = vec![(6, &acts.normed.values), (7, &acts.normed.info), (8, &acts.residual), (9, next_norm)];
        let (Some(kernels), Some(partials)) = (&self.kernels.ring_sum, &acts.partials) else {
            return self.product(site, Epilogue::Residual, matrix, x, &stream).await;
        };
        let product = self.product(site, Epilogue::Partial, matrix, x, &[(8, partials)]).await?;
        let shape = Shape { n_shards: self.numerics.shards, ..self.shape(matrix, Epilogue::Partial) };
        let shape = self.device.uniform("ring sum shape", bytemuck::bytes_of(&shape)).await?;
        stream.extend([(0, &acts.step), (1, &shape), (10, partials)]);
        let bindings = kernels.map(|kernel| kernel.bind(self.device, &stream));
        Ok(Product { ring_sum: Some(RingSum { kernels: kernels.clone(), bindings }), ..product })
    }

    async fn product(
        &self,
        site: Site,
        epilogue: Epilogue,
        matrix: &Matrix,
        x: &Rows,
        into: &[(u32, &Buffer)],
    ) -> Result<Product, ModelError> {
        let kernels = (self.kernels.matmul(epilogue, matrix.tensor_type), self.kernels.target);
        self.bind(kernels, site, epilogue, matrix, x, into).await
    }

    async fn bind(
        &self,
        (kernels, target): (&PerShape<Kernel>, PerShape<Target>),
        site: Site,
        epilogue: Epilogue,
        matrix: &Matrix,
        x: &Rows,
        into: &[(u32, &Buffer)],
    ) -> Result<Product, ModelError> {
        let n_shards = if epilogue == Epilogue::Partial { self.numerics.shards } else { 1 };
        let mut shards = Vec::new();
        for shard in 0..n_shards {
            let shape = Shape { shard, ..self.shape(matrix, epilogue) };
            let uniform = || self.device.uniform("shape", bytemuck::bytes_of(&shape));
            let uniforms = PerShape { vector: uniform().await?, tiled: uniform().await? };
            let bind = |kernel| {
                let mut buffers = vec![
                    (0, &self.activations.step),
                    (1, uniforms.get(kernel)),
                    (2, &matrix.weights),
                    (4, &x.values),
                    (5, &x.info),
                ];
                buffers.extend(matrix.scales.iter().map(|scales| (3, scales)));
                buffers.extend_from_slice(into);
                kernels.get(kernel).bind(self.device, &buffers)
            };
            let bindings = PerShape { vector: bind(KernelShape::Vector), tiled: bind(KernelShape::Tiled) };
            shards.push(Shard { bindings, uniforms, shape });
        }
        let n_tasks = matrix.n_panels / epilogue.panels();
        let product = Product { site, kernels: kernels.clone(), target, epilogue, n_tasks, shards, ring_sum: None };
        product.set_order(self.device, self.numerics.orders.of(site));
        Ok(product)
    }

    /// A product's shape; which blocks it adds is set with the order.
    fn shape(&self, matrix: &Matrix, epilogue: Epilogue) -> Shape {
        Shape {
            n_blocks: matrix.k / 32,
            n_tasks: matrix.n_panels / epilogue.panels(),
            q_dim: self.config.q_dim(),
            kv_dim: self.config.kv_dim(),
            inverse_dim: 1.0 / self.config.embedding_dim as f32,
            norm_eps: self.config.norm_eps,
            first_task: matrix.first_panel,
            ..Shape::default()
        }
    }

    async fn attention_shape(&self, device: &Device) -> Result<(Buffer, AttentionShape), ModelError> {
        let shape = AttentionShape {
            n_heads: self.config.n_heads,
            n_kv_heads: self.config.n_kv_heads,
            part_splits: self.part_splits,
            scale: 1.0 / (self.config.head_dim as f32).sqrt(),
        };
        Ok((device.uniform("attention shape", bytemuck::bytes_of(&shape)).await?, shape))
    }
}
