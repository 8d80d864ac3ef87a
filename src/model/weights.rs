//! A model's weights on the GPU.

use crate::architecture::Architecture;
use crate::gpu::wgsl::Epilogue;
use crate::gpu::{Buffer, MatmulFormats};
use crate::quant::TensorType;

/// One matrix on the GPU, in panels. A copy shares its buffers.
#[derive(Debug, Clone)]
pub struct Matrix {
    /// The tensors that lie in it.
    pub sources: Vec<Source>,
    /// Weight format.
    pub tensor_type: TensorType,
    /// Row length.
    pub k: u32,
    /// Rows, without the last panel's padding.
    pub n_rows: u32,
    /// Panels of 32 rows.
    pub n_panels: u32,
    /// First panel among those of its site: Q, K and V of different formats are matrices of their own, and so are the stretches of rows
    /// that an embedding or a head beyond the limit of one binding is cut into.
    pub first_panel: u32,
    /// Quants or values.
    pub weights: Buffer,
    /// Scales, for formats that have them apart.
    pub scales: Option<Buffer>,
}

/// A tensor of the file in a matrix: `n_panels` panels, each `step`th from `first_panel` on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name in the file.
    pub name: String,
    /// Its first panel in the matrix.
    pub first_panel: u32,
    /// From one of its panels to the next.
    pub step: u32,
    /// Its panels.
    pub n_panels: u32,
}

impl Matrix {
    /// The name of its first tensor, which stands for all.
    pub fn name(&self) -> &str {
        &self.sources[0].name
    }

    /// The name of the tensor that a panel is of.
    pub fn tensor_of(&self, panel: u32) -> &str {
        let holds = |source: &&Source| {
            let after = panel.checked_sub(source.first_panel);
            after.is_some_and(|after| after.is_multiple_of(source.step) && after / source.step < source.n_panels)
        };
        self.sources.iter().find(holds).map_or(self.name(), |source| &source.name)
    }
}

/// One transformer block's weights.
#[derive(Debug, Clone)]
pub struct BlockWeights {
    /// Norm before attention. // [embedding_dim]
    pub attn_norm: Buffer,
    /// Q, K and V projections, stacked where their formats allow. // [q_dim + 2 * kv_dim, embedding_dim]
    pub attn_qkv: Vec<Matrix>,
    /// What is added to them, of architectures that have biases: a uniform of [`crate::gpu::step::MAX_BIASES`]. // [q_dim + 2 * kv_dim]
    pub attn_qkv_bias: Option<Buffer>,
    /// Norms of the heads of Q and of K, of architectures that have them. // [2, head_dim]
    pub head_norms: Option<Buffer>,
    /// Attention output projection. // [embedding_dim, q_dim]
    pub attn_output: Matrix,
    /// Norm between attention and the residual stream, of architectures that have one. // [embedding_dim]
    pub post_attention_norm: Option<Buffer>,
    /// Norm before the feed-forward layer. // [embedding_dim]
    pub ffn_norm: Buffer,
    /// Gate and up projections, panels alternating. // [2 * feed_forward_dim, embedding_dim]
    pub ffn_gate_up: Matrix,
    /// Down projection. // [embedding_dim, feed_forward_dim]
    pub ffn_down: Matrix,
    /// Norm between the feed-forward layer and the residual stream, of architectures that have one. // [embedding_dim]
    pub post_ffw_norm: Option<Buffer>,
}

impl BlockWeights {
    fn matrices(&self) -> impl Iterator<Item = &Matrix> {
        self.attn_qkv.iter().chain([&self.attn_output, &self.ffn_gate_up, &self.ffn_down])
    }
}

/// All weights. A copy shares their buffers.
#[derive(Debug, Clone)]
pub struct ModelWeights {
    /// Token embedding, cut where one binding cannot hold it. // [vocab_size, embedding_dim]
    pub token_embd: Vec<Matrix>,
    /// Transformer blocks.
    pub blocks: Vec<BlockWeights>,
    /// Last norm. // [embedding_dim]
    pub output_norm: Buffer,
    /// Output head, where it is not the embedding, cut as that. // [vocab_size, embedding_dim]
    pub output: Option<Vec<Matrix>>,
    /// RoPE frequency factors, where the file has them. // [rope_dim / 2]
    pub rope_freqs: Option<Vec<f32>>,
}

impl ModelWeights {
    /// The output head: a matrix of its own, or the embedding.
    pub fn head(&self) -> &[Matrix] {
        self.output.as_ref().unwrap_or(&self.token_embd)
    }

    /// Every matrix.
    pub(super) fn matrices(&self) -> impl Iterator<Item = &Matrix> {
        let of_blocks = self.blocks.iter().flat_map(BlockWeights::matrices);
        self.token_embd.iter().chain(self.output.iter().flatten()).chain(of_blocks)
    }

    /// Which (site, format) pairs of a model of this architecture need kernels where products are split over so many shards.
    pub fn formats(&self, architecture: Architecture, shards: u32) -> MatmulFormats {
        let mut matmuls = vec![(Epilogue::Output, self.head()[0].tensor_type)];
        let onto_stream = Epilogue::onto_stream(architecture, shards);
        let mut add = |site, tensor_type| {
            if !matmuls.contains(&(site, tensor_type)) {
                matmuls.push((site, tensor_type));
            }
        };
        for block in &self.blocks {
            for matrix in &block.attn_qkv {
                add(Epilogue::of_qkv(architecture), matrix.tensor_type);
            }
            add(onto_stream, block.attn_output.tensor_type);
            add(Epilogue::GateUp, block.ffn_gate_up.tensor_type);
            add(onto_stream, block.ffn_down.tensor_type);
        }
        MatmulFormats { embed: self.token_embd[0].tensor_type, matmuls }
    }
}
