//! Everything bound before the first step: which kernels each site runs, and their bind groups. Steps create no objects.

use super::activations::{Activations, Rows};
use super::kv_pool::KvPool;
use super::product::{Behind, Product, Shard};
use super::{BlockWeights, Matrix, ModelConfig, ModelError, ModelWeights};
use crate::gpu::select::{KernelShape, PerShape};
use crate::gpu::step::{AttentionShape, NO_WINDOW, PART_LOGITS, Shape, TopShape};
use crate::gpu::wgsl::{Epilogue, Target};
use crate::gpu::{Bindings, Buffer, Device, Kernel, Kernels};
use crate::numerics::{Numerics, Site};

/// One transformer block's kernels, bound.
#[derive(Debug)]
pub(super) struct BlockPlan {
    pub(super) attn_qkv: Vec<Product>,
    pub(super) attention_shape: (Buffer, AttentionShape),
    pub(super) attention_split: Bindings,
    pub(super) attention_fold: PerShape<Bindings>,
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
    pub(super) embed: Vec<PerShape<Bindings>>, // one for each part of the table
    pub(super) blocks: Vec<BlockPlan>,
    output: Vec<Product>,            // one for each part of the head
    output_after_many: Vec<Product>, // where they are others
    pub(super) top_k_parts: Bindings,
    pub(super) top_k_merge: Bindings,
    pub(super) n_top_parts: u32,
}

impl Plan {
    /// Every matrix product, in order of execution.
    pub(super) fn products(&self) -> impl Iterator<Item = &Product> {
        self.blocks.iter().flat_map(BlockPlan::products).chain(&self.output).chain(&self.output_after_many)
    }

    /// The output head of a step of this shape.
    pub(super) fn output(&self, step: KernelShape) -> &[Product] {
        if step == KernelShape::Tiled && !self.output_after_many.is_empty() {
            &self.output_after_many
        } else {
            &self.output
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
    pub(super) rope: &'a Ropes,
    pub(super) block_table: &'a Buffer,
    pub(super) part_splits: u32,
}

/// The rotations on the device.
pub(super) struct Ropes {
    pub(super) global: Buffer,        // [position, head_dim / 2] cosine and sine
    pub(super) local: Option<Buffer>, // the same in layers with a window, where those are others
}

/// Logits per row in the buffer: the vocabulary rounded up to a whole panel.
pub(super) fn padded_vocab(config: &ModelConfig) -> u32 {
    config.vocab_size.next_multiple_of(32)
}

/// A product that ends in the residual stream.
struct OntoStream<'a> {
    site: Site,
    matrix: &'a Matrix,
    x: &'a Rows,
    post_norm: Option<&'a Buffer>, // the norm in front of the stream
    next_norm: &'a Buffer,         // the one behind it
}

impl PlanParts<'_> {
    pub(super) async fn build(&self) -> Result<Plan, ModelError> {
        let (device, kernels, acts, config) = (self.device, self.kernels, self.activations, self.config);
        let mut blocks = Vec::new();
        for (layer, block) in self.weights.blocks.iter().enumerate() {
            let next_norm =
                self.weights.blocks.get(layer + 1).map_or(&self.weights.output_norm, |next| &next.attn_norm);
            let (k, v) = (&self.kv.k.layers[layer], &self.kv.v.layers[layer]);
            let window = config.window_of(layer);
            let rope = self.rope.local.as_ref().filter(|_| window.is_some()).unwrap_or(&self.rope.global);
            let hidden = [(6, &acts.hidden.values), (7, &acts.hidden.info)];
            let attention_shape = self.attention_shape(window).await?;
            let attention = [(0, &acts.step), (1, &attention_shape.0)];
            let mut split = attention.to_vec();
            split.extend([(2, &acts.q), (3, k), (4, v), (5, self.block_table), (6, &acts.parts)]);
            let mut fold = attention.to_vec();
            fold.extend([(2, &acts.parts), (6, &acts.attended.values), (7, &acts.attended.info)]);
            let attn_output = OntoStream {
                site: Site::AttnOutput,
                matrix: &block.attn_output,
                x: &acts.attended,
                post_norm: block.post_attention_norm.as_ref(),
                next_norm: &block.ffn_norm,
            };
            let ffn_down = OntoStream {
                site: Site::FfnDown,
                matrix: &block.ffn_down,
                x: &acts.hidden,
                post_norm: block.post_ffw_norm.as_ref(),
                next_norm,
            };
            blocks.push(BlockPlan {
                attn_qkv: self.attn_qkv(block, (k, v), rope).await?,
                attention_split: kernels.attention_split.bind(device, &split),
                attention_fold: kernels.attention_fold.map(|kernel| kernel.bind(device, &fold)),
                attention_shape,
                attn_output: self.onto_stream(attn_output).await?,
                ffn_gate_up: self
                    .product(Site::FfnGateUp, Epilogue::GateUp, &block.ffn_gate_up, &acts.normed, &hidden)
                    .await?,
                ffn_down: self.onto_stream(ffn_down).await?,
            });
        }
        let logits = [(8, &acts.logits)];
        let (mut output, mut output_after_many) = (Vec::new(), Vec::new());
        for part in self.weights.head() {
            output.push(self.product(Site::Output, Epilogue::Output, part, &acts.normed, &logits).await?);
            if let Some(kernels) = &kernels.output_after_many {
                let tiled = self.kernels.target.tiled;
                let kernels = (kernels, PerShape { vector: tiled, tiled });
                output_after_many
                    .push(self.bind(kernels, Site::Output, Epilogue::Output, part, &acts.normed, &logits).await?);
            }
        }
        let n_top_parts = config.n_tokens.div_ceil(PART_LOGITS);
        let top_shape = TopShape {
            n_vocab: config.n_tokens,
            n_padded: padded_vocab(config),
            n_parts: n_top_parts,
            ..Default::default()
        };
        let top_shape = device.uniform("top shape", bytemuck::bytes_of(&top_shape)).await?;
        Ok(Plan {
            embed: self.embed().await?,
            blocks,
            output,
            output_after_many,
            top_k_parts: kernels.top_k_parts.bind(device, &[(1, &top_shape), (2, &acts.logits), (3, &acts.top_parts)]),
            top_k_merge: kernels.top_k_merge.bind(device, &[(1, &top_shape), (2, &acts.top_parts), (3, &acts.top)]),
            n_top_parts,
        })
    }

    async fn embed(&self) -> Result<Vec<PerShape<Bindings>>, ModelError> {
        let acts = self.activations;
        let mut parts = Vec::new();
        for matrix in &self.weights.token_embd {
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
            parts.push(self.kernels.embed.map(|kernel| kernel.bind(self.device, &buffers)));
        }
        Ok(parts)
    }

    /// Q, K and V; behind the last of them the norm of their heads, where they have one.
    async fn attn_qkv(
        &self,
        block: &BlockWeights,
        (k, v): (&Buffer, &Buffer),
        rope: &Buffer,
    ) -> Result<Vec<Product>, ModelError> {
        let acts = self.activations;
        let mut into = match &acts.heads {
            Some(heads) => vec![(6, &heads.values), (7, &heads.info), (10, v)],
            None => vec![(8, &acts.q), (9, k), (10, v), (11, rope)],
        };
        into.extend(block.attn_qkv_bias.iter().map(|bias| (12, bias)));
        let epilogue = Epilogue::of_qkv(self.config.architecture);
        let mut products = Vec::new();
        for matrix in &block.attn_qkv {
            products.push(self.product(Site::AttnQkv, epilogue, matrix, &acts.normed, &into).await?);
        }
        if let (Some(kernel), Some(heads), Some(norms)) = (&self.kernels.head_norm, &acts.heads, &block.head_norms) {
            let shape = Shape {
                q_dim: self.config.q_dim(),
                kv_dim: self.config.kv_dim(),
                inverse_dim: 1.0 / self.config.head_dim as f32,
                norm_eps: self.config.norm_eps,
                ..Shape::default()
            };
            let shape = self.device.uniform("head norm shape", bytemuck::bytes_of(&shape)).await?;
            let bindings = kernel.bind(
                self.device,
                &[
                    (0, &acts.step),
                    (1, &shape),
                    (4, &heads.values),
                    (5, &heads.info),
                    (8, &acts.q),
                    (9, k),
                    (10, norms),
                    (11, rope),
                ],
            );
            let both = |kernel: &Kernel, bindings: &Bindings| Behind {
                kernels: PerShape { vector: kernel.clone(), tiled: kernel.clone() },
                bindings: PerShape { vector: bindings.clone(), tiled: bindings.clone() },
                n_tasks: (self.config.q_dim() + self.config.kv_dim()) / 32,
            };
            if let Some(last) = products.last_mut() {
                last.norm = Some(both(kernel, &bindings));
            }
        }
        Ok(products)
    }

    /// A product that is added to the residual stream, whole or shard by shard, or once a norm has gone over it.
    async fn onto_stream(&self, of: OntoStream<'_>) -> Result<Product, ModelError> {
        let acts = self.activations;
        let OntoStream { site, matrix, x, post_norm, next_norm } = of;
        let stream = [(6, &acts.normed.values), (7, &acts.normed.info), (8, &acts.residual), (9, next_norm)];
        // What takes a sum that is whole.
        let whole = match &acts.totals {
            Some(totals) => vec![(6, &totals.values), (7, &totals.info)],
            None => stream.to_vec(),
        };
        let epilogue = Epilogue::onto_stream(self.config.architecture, self.numerics.shards);
        let partials = acts.partials.as_ref().map(|partials| vec![(8, partials)]);
        let mut product = self.product(site, epilogue, matrix, x, partials.as_ref().unwrap_or(&whole)).await?;
        let shape = Shape { n_shards: self.numerics.shards, ..self.shape(matrix, epilogue) };
        if let (Some(kernels), Some(partials)) = (&self.kernels.ring_sum, &acts.partials) {
            let mut buffers = whole;
            buffers.push((10, partials));
            product.ring_sum = Some(self.behind(kernels, shape, buffers).await?);
        }
        if let (Some(kernels), Some(totals), Some(norm)) = (&self.kernels.post_norm, &acts.totals, post_norm) {
            let mut buffers = stream.to_vec();
            buffers.extend([(4, &totals.values), (5, &totals.info), (10, norm)]);
            let shape = Shape { n_blocks: shape.n_tasks, ..shape };
            product.norm = Some(self.behind(kernels, shape, buffers).await?);
        }
        Ok(product)
    }

    /// A kernel that takes the rows of a product on.
    async fn behind(
        &self,
        kernels: &PerShape<Kernel>,
        shape: Shape,
        mut buffers: Vec<(u32, &Buffer)>,
    ) -> Result<Behind, ModelError> {
        let uniform = self.device.uniform("shape", bytemuck::bytes_of(&shape)).await?;
        buffers.extend([(0, &self.activations.step), (1, &uniform)]);
        let bindings = kernels.map(|kernel| kernel.bind(self.device, &buffers));
        Ok(Behind { kernels: kernels.clone(), bindings, n_tasks: shape.n_tasks })
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
        let product =
            Product { site, kernels: kernels.clone(), target, epilogue, n_tasks, shards, ring_sum: None, norm: None };
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
            row_tasks: padded_vocab(self.config) / 32,
            embedding_scale: self.config.architecture.embedding_scale(self.config.embedding_dim as usize),
            ..Shape::default()
        }
    }

    async fn attention_shape(&self, window: Option<u32>) -> Result<(Buffer, AttentionShape), ModelError> {
        let shape = AttentionShape {
            n_heads: self.config.n_heads,
            n_kv_heads: self.config.n_kv_heads,
            part_splits: self.part_splits,
            scale: 1.0 / (self.config.head_dim as f32).sqrt(),
            window: window.unwrap_or(NO_WINDOW),
            unused: [0; 3],
        };
        Ok((self.device.uniform("attention shape", bytemuck::bytes_of(&shape)).await?, shape))
    }
}
