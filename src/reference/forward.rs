//! The whole forward pass on the CPU, strung together from the kernels' twins.
//!
//! [`TwinModel::forward`] takes the same steps of rows as the engine and picks the same orders from the same row counts, so
//! on a device that rounds to nearest and does not fuse, its logits are those of the GPU bit for bit.

mod cache;

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

pub use cache::{LayerCache, TwinCache};

use super::activations::Activations;
use super::attention_fold::attention_fold;
use super::attention_split::{KeysValues, attention_split, splits};
use super::embed::embed;
use super::gate_up::gate_up;
use super::head_norm::{HeadNorms, head_norm};
use super::matmul::{MAX_VECTOR_ROWS, Summation, slices};
use super::output::output;
use super::partial::partial;
use super::post_norm::{StreamNorms, post_norm};
use super::qkv::{Qkv, QkvWeights, qkv};
use super::qkv_raw::qkv_raw;
use super::residual::residual;
use super::ring_sum::{ring_sum, ring_total};
use super::rms_norm::{Norm, NormInput};
use super::rope_table::{RopeSettings, RopeTables};
use super::total::total;
use super::weights::{BLOCK_LEN, Matrix};
use crate::architecture::{Architecture, Window};
use crate::numerics::{Arithmetic, Numerics, Site, shard_blocks};
use crate::quant::TensorType;

/// The numbers of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct TwinConfig {
    /// Layers.
    pub n_layers: usize,
    /// Values of a row of the residual stream, a multiple of 32.
    pub embedding_dim: usize,
    /// Values of a row inside the feed-forward, a multiple of 32.
    pub ffn_dim: usize,
    /// Query heads.
    pub n_heads: usize,
    /// Heads of keys and values, a divisor of `n_heads`.
    pub n_kv_heads: usize,
    /// Tokens of the vocabulary.
    pub vocab_size: usize,
    /// Positions a sequence may have.
    pub context_len: usize,
    /// Epsilon of every norm.
    pub norm_epsilon: f32,
    /// Rotations; its `head_dim` is that of the model, a multiple of 4.
    pub rope: RopeSettings,
    /// What its architecture does otherwise than others.
    pub architecture: Architecture,
    /// The sliding window, where some layers have one.
    pub window: Option<Window>,
}

/// Why tensors do not make a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TwinError {
    /// A tensor that the architecture needs is not there.
    #[error("tensor {name} is missing")]
    MissingTensor {
        /// The tensor's name in a GGUF file.
        name: String,
    },
    /// A tensor's bytes do not fit its shape.
    #[error("tensor {name} has {found} bytes, expected {expected}")]
    WrongSize {
        /// The tensor's name in a GGUF file.
        name: String,
        /// Bytes of its shape in its format.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
}

/// One token of one sequence in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwinRow {
    /// Which sequence of the cache.
    pub sequence: usize,
    /// Position in the sequence.
    pub position: usize,
    /// Token id.
    pub token_id: u32,
}

/// A tensor inside the pass, handed out while it runs.
#[derive(Clone, Copy, Debug)]
pub struct Tap<'a> {
    /// The layer that made it; `None` for the embedding.
    pub layer: Option<usize>,
    /// What it is.
    pub name: &'static str,
    /// Its values; `[row, len / rows]`.
    pub values: &'a [f32],
}

/// A model whose weights stay in the bytes of their file, heads of queries and keys in the order of the kernels.
#[derive(Clone, Debug)]
pub struct TwinModel<'a> {
    config: TwinConfig,
    rope: Arc<RopeTables>,
    token_embd: Matrix<'a>, // [vocab_size, embedding_dim]
    layers: Vec<Layer<'a>>,
    output_norm: Vec<f32>, // [embedding_dim]
    output: Matrix<'a>,    // [vocab_size, embedding_dim]
}

#[derive(Clone, Debug)]
struct Layer<'a> {
    attn_norm: Vec<f32>, // [embedding_dim]
    attn_qkv: QkvWeights<'a>,
    head_norms: Option<HeadNorms>,
    attn_output: Matrix<'a>,               // [embedding_dim, n_heads * head_dim]
    post_attention_norm: Option<Vec<f32>>, // [embedding_dim]
    ffn_norm: Vec<f32>,                    // [embedding_dim]
    ffn_gate: Matrix<'a>,                  // [ffn_dim, embedding_dim]
    ffn_up: Matrix<'a>,                    // [ffn_dim, embedding_dim]
    ffn_down: Matrix<'a>,                  // [embedding_dim, ffn_dim]
    post_ffw_norm: Option<Vec<f32>>,       // [embedding_dim]
}

/// The norms around the residual stream: in front of it, where there is one, and behind.
struct Norms<'a> {
    post: Option<&'a [f32]>,
    next: &'a [f32],
}

impl<'a> TwinModel<'a> {
    /// A model from its tensors by their GGUF names; without `output.weight` the head is the embedding.
    ///
    /// # Errors
    /// [`TwinError`] names the first tensor that is missing or does not have the bytes of its shape.
    pub fn new(config: TwinConfig, tensor: impl Fn(&str) -> Option<(TensorType, &'a [u8])>) -> Result<Self, TwinError> {
        let rope = Arc::new(RopeTables::new(&config.rope, config.window, config.context_len));
        Self::with_rope(config, rope, tensor)
    }

    /// The same with the rotations of `config`, which take longest to compute, brought along.
    ///
    /// # Errors
    /// As [`TwinModel::new`].
    pub fn with_rope(
        config: TwinConfig,
        rope: Arc<RopeTables>,
        tensor: impl Fn(&str) -> Option<(TensorType, &'a [u8])>,
    ) -> Result<Self, TwinError> {
        let optional = |name: &str, n_rows: usize, row_len: usize| -> Result<Option<Matrix<'a>>, TwinError> {
            let Some((tensor_type, bytes)) = tensor(name) else { return Ok(None) };
            let expected = tensor_type.len_bytes((n_rows * row_len) as u64).unwrap_or(0);
            let found = bytes.len() as u64;
            if found != expected {
                return Err(TwinError::WrongSize { name: name.to_owned(), expected, found });
            }
            Ok(Some(Matrix { tensor_type, n_rows, row_len, bytes }))
        };
        let required = |name: &str, n_rows: usize, row_len: usize| {
            optional(name, n_rows, row_len)?.ok_or_else(|| TwinError::MissingTensor { name: name.to_owned() })
        };
        let vector = |name: &str, len: usize| required(name, 1, len).map(|matrix| matrix.row_values(0));

        let (dim, ffn_dim, head_dim) = (config.embedding_dim, config.ffn_dim, config.rope.head_dim);
        let (q_dim, kv_dim) = (config.n_heads * head_dim, config.n_kv_heads * head_dim);
        let Architecture { qkv_bias, head_norms, post_norms, .. } = config.architecture;
        let layer = |i: usize| {
            let matrix = |name: &str, n_rows, row_len| required(&format!("blk.{i}.{name}.weight"), n_rows, row_len);
            let vector = |name: &str, len| vector(&format!("blk.{i}.{name}"), len);
            let biases =
                || Ok([vector("attn_q.bias", q_dim)?, vector("attn_k.bias", kv_dim)?, vector("attn_v.bias", kv_dim)?]);
            let of_heads = || {
                let [q, k] = ["attn_q_norm.weight", "attn_k_norm.weight"].map(|name| vector(name, head_dim));
                Ok(HeadNorms { q: q?, k: k?, epsilon: config.norm_epsilon })
            };
            let post_norm = |name: &str| post_norms.then(|| vector(name, dim)).transpose();
            Ok(Layer {
                attn_norm: vector("attn_norm.weight", dim)?,
                attn_qkv: QkvWeights {
                    q: matrix("attn_q", q_dim, dim)?,
                    k: matrix("attn_k", kv_dim, dim)?,
                    v: matrix("attn_v", kv_dim, dim)?,
                    bias: qkv_bias.then(biases).transpose()?,
                },
                head_norms: head_norms.then(of_heads).transpose()?,
                attn_output: matrix("attn_output", dim, q_dim)?,
                post_attention_norm: post_norm("post_attention_norm.weight")?,
                ffn_norm: vector("ffn_norm.weight", dim)?,
                ffn_gate: matrix("ffn_gate", ffn_dim, dim)?,
                ffn_up: matrix("ffn_up", ffn_dim, dim)?,
                ffn_down: matrix("ffn_down", dim, ffn_dim)?,
                post_ffw_norm: post_norm("post_ffw_norm.weight")?,
            })
        };
        let token_embd = required("token_embd.weight", config.vocab_size, dim)?;
        Ok(Self {
            rope,
            token_embd,
            layers: (0..config.n_layers).map(layer).collect::<Result<_, _>>()?,
            output_norm: vector("output_norm.weight", dim)?,
            output: optional("output.weight", config.vocab_size, dim)?.unwrap_or(token_embd),
            config,
        })
    }

    /// The numbers of the model.
    pub fn config(&self) -> &TwinConfig {
        &self.config
    }

    /// An empty cache for `n_sequences` sequences of the whole context, their blocks one after another.
    pub fn cache(&self, n_sequences: usize) -> TwinCache {
        let n_blocks = self.config.context_len.div_ceil(cache::BLOCK_POSITIONS);
        let mut cache = self.cache_of_blocks(n_sequences * n_blocks, n_sequences);
        for sequence in 0..n_sequences {
            let blocks: Vec<u32> = (0..n_blocks).map(|block| (sequence * n_blocks + block) as u32).collect();
            cache.set_block_table(sequence, 0, &blocks);
        }
        cache
    }

    /// A cache of `n_cache_blocks` blocks for `n_sequences` sequences, none of which has blocks yet.
    pub fn cache_of_blocks(&self, n_cache_blocks: usize, n_sequences: usize) -> TwinCache {
        let kv_dim = self.config.n_kv_heads * self.config.rope.head_dim;
        TwinCache::new(self.layers.len(), kv_dim, n_cache_blocks, n_sequences)
    }

    /// Runs one step: writes the rows' keys and values to the cache and returns the logits of the last `n_output_rows` rows,
    /// `[n_output_rows, vocab_size]`.
    ///
    /// The head's order follows `n_output_rows`, every other matmul's the number of `rows`.
    ///
    /// # Panics
    /// If a row's position lies beyond its sequence's blocks or the context, or its token beyond the vocabulary.
    pub fn forward(
        &self,
        numerics: &Numerics,
        cache: &mut TwinCache,
        rows: &[TwinRow],
        n_output_rows: usize,
    ) -> Vec<f32> {
        self.forward_tapped(numerics, cache, rows, n_output_rows, |_| {})
    }

    /// [`TwinModel::forward`] that hands every tensor between two kernels to `tap`: `embed`; then per layer `q`, `k`, `v`,
    /// `attention` and `attn_output`, `ffn_down`, of which the last two are the residual stream after them.
    pub fn forward_tapped(
        &self,
        numerics: &Numerics,
        cache: &mut TwinCache,
        rows: &[TwinRow],
        n_output_rows: usize,
        tap: impl FnMut(Tap<'_>),
    ) -> Vec<f32> {
        let step = pin!(self.forward_pausing(numerics, cache, rows, n_output_rows, tap, async || true));
        match step.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Some(logits)) => logits,
            _ => unreachable!("a pause that is over at once and always says to go on"),
        }
    }

    /// [`TwinModel::forward_tapped`] that awaits `goes_on` before each layer, and gives nothing where the answer is no; the rows' keys and
    /// values are then written in the layers before it.
    pub async fn forward_pausing(
        &self,
        numerics: &Numerics,
        cache: &mut TwinCache,
        rows: &[TwinRow],
        n_output_rows: usize,
        mut tap: impl FnMut(Tap<'_>),
        goes_on: impl AsyncFn() -> bool,
    ) -> Option<Vec<f32>> {
        let norm = self.norm(numerics);
        let arithmetic = if rows.len() <= MAX_VECTOR_ROWS { numerics.decode } else { numerics.prefill };
        let sums = |site, n_terms| Summation {
            n_slices: slices(numerics.orders.of(site), rows.len(), n_terms),
            accumulation: arithmetic.accumulation,
        };
        let format = arithmetic.activations;
        let onto_stream = |site, weights: &Matrix<'_>, input: &Activations, x: &[f32], norms: Norms<'_>| {
            let n_blocks = (weights.row_len / BLOCK_LEN) as u32;
            let part = |shard| {
                let blocks = shard_blocks(n_blocks, numerics.shards, shard);
                let blocks = blocks.start as usize..blocks.end as usize;
                partial(weights, input, blocks.clone(), sums(site, blocks.len() * BLOCK_LEN))
            };
            let partials = || (0..numerics.shards).map(part).collect::<Vec<_>>();
            let whole = sums(site, weights.row_len);
            match (norms.post, numerics.shards) {
                (None, 1) => residual(weights, input, whole, x, norms.next),
                (None, _) => ring_sum(&partials(), arithmetic.accumulation, format, x, norms.next),
                (Some(post), shards) => {
                    let totals = match shards {
                        1 => total(weights, input, whole),
                        _ => ring_total(&partials(), arithmetic.accumulation, weights.n_rows),
                    };
                    post_norm(&totals, norm, StreamNorms { post, next: norms.next }, x, format)
                }
            }
        };
        let positions: Vec<usize> = rows.iter().map(|row| row.position).collect();
        let token_ids: Vec<u32> = rows.iter().map(|row| row.token_id).collect();

        let Architecture { scaled_embedding, activation, .. } = self.config.architecture;
        let scale = scaled_embedding.then(|| self.config.architecture.embedding_scale(self.config.embedding_dim));
        let mut stream = embed(&self.token_embd, scale, &token_ids, &self.layers[0].attn_norm, format);
        tap(Tap { layer: None, name: "embed", values: &stream.x });
        for (i, layer) in self.layers.iter().enumerate() {
            if !goes_on().await {
                return None;
            }
            let next_norm = self.layers.get(i + 1).map_or(&self.output_norm, |next| &next.attn_norm);
            let mut tap = |name, values: &[f32]| tap(Tap { layer: Some(i), name, values });

            let (weights, rope) = (&layer.attn_qkv, self.rope.of_layer(i));
            let n = sums(Site::AttnQkv, weights.q.row_len);
            let qkv: Qkv = match &layer.head_norms {
                None => qkv(weights, &stream, n, norm, rope, &positions, (numerics.k, numerics.v)),
                Some(norms) => {
                    head_norm(qkv_raw(weights, &stream, n, norm, numerics.v), norms, rope, &positions, numerics.k)
                }
            };
            tap("q", &qkv.q);
            tap("k", &qkv.k);
            tap("v", &qkv.v);
            cache.write(i, rows, &qkv.k, &qkv.v);
            let attention = self.attention(numerics, cache, i, rows, &qkv.q);
            tap("attention", &attention);
            let attention = Activations::from_rows(format, layer.attn_output.row_len, &attention);
            let norms = Norms { post: layer.post_attention_norm.as_deref(), next: &layer.ffn_norm };
            stream = onto_stream(Site::AttnOutput, &layer.attn_output, &attention, &stream.x, norms);
            tap("attn_output", &stream.x);

            let n = sums(Site::FfnGateUp, layer.ffn_gate.row_len);
            let hidden = gate_up(&layer.ffn_gate, &layer.ffn_up, &stream, n, norm, activation);
            let norms = Norms { post: layer.post_ffw_norm.as_deref(), next: next_norm };
            stream = onto_stream(Site::FfnDown, &layer.ffn_down, &hidden, &stream.x, norms);
            tap("ffn_down", &stream.x);
        }
        Some(self.logits(numerics, arithmetic, &stream, n_output_rows))
    }

    fn norm(&self, numerics: &Numerics) -> Norm {
        Norm { epsilon: self.config.norm_epsilon, reduction: numerics.norm }
    }

    /// Attention of every row over the keys of its own sequence up to its own position, or the last of those; `[row, n_heads * head_dim]`.
    fn attention(&self, numerics: &Numerics, cache: &TwinCache, layer: usize, rows: &[TwinRow], q: &[f32]) -> Vec<f32> {
        let (n_heads, n_kv_heads, head_dim) = (self.config.n_heads, self.config.n_kv_heads, self.config.rope.head_dim);
        let window = self.config.window.filter(|window| window.is_local(layer)).map(|window| window.len as usize);
        let mut attention = Vec::with_capacity(q.len());
        for (row, q) in rows.iter().zip(q.chunks_exact(n_heads * head_dim)) {
            let LayerCache { k, v } = cache.keys_values(row.sequence, layer, row.position + 1);
            let keys_values = KeysValues { k: &k, v: &v, n_kv_heads, head_dim };
            let splits = splits(numerics.orders.of(Site::Attention), rows.len(), row.position + 1, window);
            for (head, q) in q.chunks_exact(head_dim).enumerate() {
                let kv_head = head * n_kv_heads / n_heads;
                let partials: Vec<_> = splits
                    .iter()
                    .map(|split| attention_split(q, &keys_values, kv_head, split.clone(), numerics.softmax))
                    .collect();
                attention.extend(attention_fold(&partials));
            }
        }
        attention
    }

    fn logits(
        &self,
        numerics: &Numerics,
        arithmetic: Arithmetic,
        stream: &NormInput,
        n_output_rows: usize,
    ) -> Vec<f32> {
        let wanted = stream.select_rows(stream.n_rows() - n_output_rows..stream.n_rows());
        let n_slices = slices(numerics.orders.of(Site::Output), n_output_rows, self.output.row_len);
        let sums = Summation { n_slices, accumulation: arithmetic.accumulation };
        output(&self.output, &wanted, sums, self.norm(numerics))
    }
}

#[cfg(test)]
mod tests;
