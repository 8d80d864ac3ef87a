//! The whole forward pass in f64, for every architecture: the truth that the twins and the shaders are measured against.
//!
//! Weights are the file's numbers as f32 in the file's order, every operation and every sum is f64, and nothing is done for speed but
//! running many rows at once. It reads like the papers; it knows nothing of formats, kernels or orders.

mod operations;

use operations::{Attention, add, attention, gated, matmul, rms_norm, rope, rope_freqs};

use crate::architecture::{Architecture, Window};

/// Sizes and constants of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeF64 {
    /// Transformer blocks.
    pub n_blocks: usize,
    /// Query heads.
    pub n_heads: usize,
    /// Heads of keys and values; divides `n_heads`.
    pub n_kv_heads: usize,
    /// Numbers in a head.
    pub head_dim: usize,
    /// Numbers in the residual stream of one token.
    pub embedding_dim: usize,
    /// Numbers in the hidden layer of the feed-forward part.
    pub feed_forward_dim: usize,
    /// Tokens in the vocabulary.
    pub vocab_size: usize,
    /// Leading numbers of a head that are rotated.
    pub rope_dim: usize,
    /// Base of the rotary angles.
    pub rope_freq_base: f64,
    /// Positions are divided by it before they are turned into angles; 1 without scaling.
    pub rope_scale: f64,
    /// Added to the mean square before the root.
    pub norm_epsilon: f64,
    /// What this architecture does otherwise than others.
    pub architecture: Architecture,
    /// The sliding window, where some layers have one.
    pub window: Option<Window>,
}

/// A tensor that the forward pass needs is missing or has another number of elements.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tensor {name} must have {expected} numbers, but has {found:?}")]
pub struct TensorMismatch {
    /// The tensor, under its GGUF name.
    pub name: String,
    /// Numbers it must have.
    pub expected: usize,
    /// Numbers it has; `None` when it is missing.
    pub found: Option<usize>,
}

/// Weights of one transformer block, each matrix row after row.
struct BlockWeights {
    attn_norm: Vec<f32>,                   // [embedding_dim]
    attn_q: Vec<f32>,                      // [n_heads * head_dim, embedding_dim]
    attn_k: Vec<f32>,                      // [n_kv_heads * head_dim, embedding_dim]
    attn_v: Vec<f32>,                      // [n_kv_heads * head_dim, embedding_dim]
    qkv_bias: Option<[Vec<f32>; 3]>,       // [n_heads * head_dim], [n_kv_heads * head_dim] twice
    head_norms: Option<[Vec<f32>; 2]>,     // [head_dim] of queries, of keys
    attn_output: Vec<f32>,                 // [embedding_dim, n_heads * head_dim]
    post_attention_norm: Option<Vec<f32>>, // [embedding_dim]
    ffn_norm: Vec<f32>,                    // [embedding_dim]
    ffn_gate: Vec<f32>,                    // [feed_forward_dim, embedding_dim]
    ffn_up: Vec<f32>,                      // [feed_forward_dim, embedding_dim]
    ffn_down: Vec<f32>,                    // [embedding_dim, feed_forward_dim]
    post_ffw_norm: Option<Vec<f32>>,       // [embedding_dim]
}

/// Keys and values of one transformer block, a row a position.
#[derive(Default)]
struct BlockCache {
    keys: Vec<f64>,   // [n_positions, n_kv_heads * head_dim], rotated
    values: Vec<f64>, // [n_positions, n_kv_heads * head_dim]
}

/// A model in f64 with the keys and values of one sequence.
pub struct ModelF64 {
    shape: ShapeF64,
    token_embd: Vec<f32>, // [vocab_size, embedding_dim]
    blocks: Vec<BlockWeights>,
    output_norm: Vec<f32>,    // [embedding_dim]
    output: Option<Vec<f32>>, // [vocab_size, embedding_dim]; the token embedding when absent
    rope_freqs: Vec<f64>,     // [rope_dim / 2], radians per position
    local_freqs: Vec<f64>,    // the same in layers with a window
    cache: Vec<BlockCache>,
    n_positions: usize,
    n_threads: usize,
}

impl ModelF64 {
    /// Takes each tensor by its GGUF name; `tensor` gives its numbers as f32, or `None` when there is no such tensor.
    ///
    /// # Errors
    /// [`TensorMismatch`] for the first tensor that is missing or of another size.
    pub fn from_tensors(
        shape: ShapeF64,
        n_threads: usize,
        mut tensor: impl FnMut(&str) -> Option<Vec<f32>>,
    ) -> Result<ModelF64, TensorMismatch> {
        let optional = &mut |name: &str, expected: usize| match tensor(name) {
            Some(numbers) if numbers.len() != expected => {
                Err(TensorMismatch { name: name.to_owned(), expected, found: Some(numbers.len()) })
            }
            found => Ok(found),
        };
        let embedding_dim = shape.embedding_dim;
        let factors = optional("rope_freqs.weight", shape.rope_dim / 2)?;
        let output = optional("output.weight", shape.vocab_size * embedding_dim)?;

        let mut needed = |name: &str, expected: usize| {
            optional(name, expected)?.ok_or_else(|| TensorMismatch { name: name.to_owned(), expected, found: None })
        };
        let q_dim = shape.n_heads * shape.head_dim;
        let kv_dim = shape.n_kv_heads * shape.head_dim;
        let ffn_dim = shape.feed_forward_dim;
        let Architecture { qkv_bias, head_norms, post_norms, .. } = shape.architecture;
        let mut blocks = Vec::new();
        for block in 0..shape.n_blocks {
            let mut vector = |name: &str, expected| needed(&format!("blk.{block}.{name}"), expected);
            let qkv_bias = match qkv_bias {
                true => Some([
                    vector("attn_q.bias", q_dim)?,
                    vector("attn_k.bias", kv_dim)?,
                    vector("attn_v.bias", kv_dim)?,
                ]),
                false => None,
            };
            let mut part = |name: &str, expected| needed(&format!("blk.{block}.{name}.weight"), expected);
            let head_norms = match head_norms {
                true => Some([part("attn_q_norm", shape.head_dim)?, part("attn_k_norm", shape.head_dim)?]),
                false => None,
            };
            let mut post_norm = |name: &str| post_norms.then(|| part(name, embedding_dim)).transpose();
            let (post_attention_norm, post_ffw_norm) = (post_norm("post_attention_norm")?, post_norm("post_ffw_norm")?);
            blocks.push(BlockWeights {
                attn_norm: part("attn_norm", embedding_dim)?,
                attn_q: part("attn_q", q_dim * embedding_dim)?,
                attn_k: part("attn_k", kv_dim * embedding_dim)?,
                attn_v: part("attn_v", kv_dim * embedding_dim)?,
                qkv_bias,
                head_norms,
                attn_output: part("attn_output", embedding_dim * q_dim)?,
                post_attention_norm,
                ffn_norm: part("ffn_norm", embedding_dim)?,
                ffn_gate: part("ffn_gate", ffn_dim * embedding_dim)?,
                ffn_up: part("ffn_up", ffn_dim * embedding_dim)?,
                ffn_down: part("ffn_down", embedding_dim * ffn_dim)?,
                post_ffw_norm,
            });
        }
        let token_embd = needed("token_embd.weight", shape.vocab_size * embedding_dim)?;
        let output_norm = needed("output_norm.weight", embedding_dim)?;
        let rope_freqs = rope_freqs(shape.rope_freq_base, shape.rope_dim, shape.rope_scale, factors.as_deref());
        let local_base = shape.window.and_then(|window| window.pattern.local_rope_base);
        let local_freqs = match local_base {
            Some(base) => operations::rope_freqs(base.into(), shape.rope_dim, 1.0, None),
            None => rope_freqs.clone(),
        };
        let cache = blocks.iter().map(|_| BlockCache::default()).collect();
        Ok(ModelF64 {
            shape,
            token_embd,
            blocks,
            output_norm,
            output,
            rope_freqs,
            local_freqs,
            cache,
            n_positions: 0,
            n_threads,
        })
    }

    /// Positions whose keys and values are kept.
    pub fn n_positions(&self) -> usize {
        self.n_positions
    }

    /// Forgets the sequence.
    pub fn clear(&mut self) {
        self.cache.fill_with(BlockCache::default);
        self.n_positions = 0;
    }

    /// Appends `tokens` to the sequence; gives the normed residual stream, a row of `embedding_dim` a token.
    ///
    /// # Panics
    /// When a token is outside the vocabulary.
    pub fn forward(&mut self, tokens: &[u32]) -> Vec<f64> {
        let shape = self.shape.clone();
        let n_threads = self.n_threads;
        let start_pos = self.n_positions;
        let matmul = |weights: &[f32], input: &[f64]| matmul(weights, input, tokens.len(), n_threads);
        let norm = |input: &[f64], weight: &[f32]| rms_norm(input, weight, shape.norm_epsilon);
        let normed_if = |input: Vec<f64>, weight: Option<&Vec<f32>>| match weight {
            Some(weight) => norm(&input, weight),
            None => input,
        };

        let mut residual: Vec<f64> = tokens.iter().flat_map(|&token| self.embedding_of(token)).collect();
        for (i, (block, cache)) in self.blocks.iter().zip(&mut self.cache).enumerate() {
            let window = shape.window.filter(|window| window.is_local(i));
            let freqs = if window.is_some() { &self.local_freqs } else { &self.rope_freqs };
            let normed = norm(&residual, &block.attn_norm);
            let mut queries = matmul(&block.attn_q, &normed);
            let mut keys = matmul(&block.attn_k, &normed);
            let mut values = matmul(&block.attn_v, &normed);
            if let Some(biases) = &block.qkv_bias {
                for (rows, bias) in [&mut queries, &mut keys, &mut values].into_iter().zip(biases) {
                    rows.chunks_exact_mut(bias.len()).for_each(|row| add(row, bias));
                }
            }
            // A norm's rows are as long as its weight: here a head each.
            queries = normed_if(queries, block.head_norms.as_ref().map(|norms| &norms[0]));
            keys = normed_if(keys, block.head_norms.as_ref().map(|norms| &norms[1]));
            let pairs = shape.architecture.rope_pairs;
            rope(&mut queries, shape.n_heads, shape.head_dim, start_pos, freqs, pairs);
            rope(&mut keys, shape.n_kv_heads, shape.head_dim, start_pos, freqs, pairs);
            cache.keys.extend_from_slice(&keys);
            cache.values.extend_from_slice(&values);
            let of = Attention {
                n_heads: shape.n_heads,
                n_kv_heads: shape.n_kv_heads,
                head_dim: shape.head_dim,
                window: window.map(|window| window.len as usize),
            };
            let attended = attention(&queries, &cache.keys, &cache.values, &of, start_pos, n_threads);
            let attended = matmul(&block.attn_output, &attended);
            add(&mut residual, &normed_if(attended, block.post_attention_norm.as_ref()));

            let normed = norm(&residual, &block.ffn_norm);
            let gate = matmul(&block.ffn_gate, &normed);
            let up = matmul(&block.ffn_up, &normed);
            let down = matmul(&block.ffn_down, &gated(shape.architecture.activation, &gate, &up));
            add(&mut residual, &normed_if(down, block.post_ffw_norm.as_ref()));
        }
        self.n_positions += tokens.len();
        norm(&residual, &self.output_norm)
    }

    /// Logits of some rows of [`ModelF64::forward`]'s result: `vocab_size` a row.
    pub fn logits(&self, normed: &[f64]) -> Vec<f64> {
        let head = self.output.as_ref().unwrap_or(&self.token_embd);
        matmul(head, normed, normed.len() / self.shape.embedding_dim, self.n_threads)
    }

    fn embedding_of(&self, token: u32) -> impl Iterator<Item = f64> {
        let dim = self.shape.embedding_dim;
        let scale = if self.shape.architecture.scaled_embedding { (dim as f64).sqrt() } else { 1.0 };
        self.token_embd[token as usize * dim..][..dim].iter().map(move |&number| f64::from(number) * scale)
    }
}
