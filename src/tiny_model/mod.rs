//! A seeded model of well under 2 MB, a llama or of another architecture, written by our own GGUF writer: for tests, soak, the canary and
//! the page without GPU.
//!
//! Its weights are random, so it shows bits and never language.
//! The bytes depend on the seed and the settings alone: the numbers come from integer arithmetic and exact sums,
//! never from a system's `ln` or `cos`, so that every platform makes the same file.

mod vocabulary;

use crate::architecture::Architecture;
use crate::gguf::{GgufWriter, MetadataArray, MetadataValue};
use crate::quant::{self, TensorType};

/// The default tiny model as the bytes of a GGUF file.
pub fn gguf_bytes(seed: u64) -> Vec<u8> {
    TinyModel { seed, ..TinyModel::default() }.gguf_bytes()
}

/// What a tiny model looks like; all sizes are multiples of 32, so that every format of blocks of 32 fits.
#[derive(Clone, Debug, PartialEq)]
pub struct TinyModel {
    /// Picks the weights.
    pub seed: u64,
    /// Transformer blocks.
    pub n_blocks: usize,
    /// Query heads.
    pub n_heads: usize,
    /// Heads of keys and values; divides `n_heads`.
    pub n_kv_heads: usize,
    /// Numbers in a head.
    pub head_dim: usize,
    /// Numbers in the residual stream of one token; `n_heads * head_dim` without.
    pub width: Option<usize>,
    /// Numbers in the hidden layer of the feed-forward part.
    pub feed_forward_dim: usize,
    /// Longest sequence.
    pub context_len: u32,
    /// Base of the rotary angles.
    pub rope_freq_base: f32,
    /// Numbers of a head that rotate; all without.
    pub rope_dim: Option<usize>,
    /// Whether the angles are divided by factors from a tensor, as in Llama 3.1.
    pub rope_factors: bool,
    /// Keys that a row sees in layers with a sliding window.
    pub window: Option<u32>,
    /// What the model is built like.
    pub architecture: Architecture,
    /// Format of the matrices inside the blocks.
    pub weight_type: TensorType,
    /// Format of the token embedding.
    pub embedding_type: TensorType,
    /// Format of an output head of its own; without one the head is the token embedding.
    pub output_type: Option<TensorType>,
}

impl Default for TinyModel {
    /// As SmolLM2-135M in Q4_1 is built, but small.
    fn default() -> TinyModel {
        TinyModel {
            seed: 0,
            n_blocks: 3,
            n_heads: 3,
            n_kv_heads: 1,
            head_dim: 32,
            width: None,
            feed_forward_dim: 192,
            context_len: 2048,
            rope_freq_base: 10_000.0,
            rope_dim: None,
            rope_factors: false,
            window: None,
            architecture: Architecture::LLAMA,
            weight_type: TensorType::Q4_1,
            embedding_type: TensorType::Q8_0,
            output_type: None,
        }
    }
}

impl TinyModel {
    /// Tokens in the vocabulary: 3 special ones, 256 bytes, the rest merges.
    pub const VOCAB_SIZE: usize = vocabulary::SIZE;

    /// The default with rows as long as a format's blocks need.
    pub fn fitting(tensor_type: TensorType) -> TinyModel {
        if tensor_type.run_len() == 32 {
            return TinyModel::default();
        }
        TinyModel { n_heads: 8, n_kv_heads: 2, feed_forward_dim: 512, n_blocks: 2, ..TinyModel::default() }
    }

    /// A model of an architecture in which all that sets it apart has a part: heads wider together than the stream, layers with a window
    /// and one without.
    pub fn like(architecture: Architecture) -> TinyModel {
        let pattern = architecture.window.and_then(|pattern| pattern.global_every);
        TinyModel {
            n_blocks: pattern.map_or(3, |every| every as usize + 1),
            n_heads: 4,
            n_kv_heads: 2,
            width: Some(96),
            rope_freq_base: 1e6,
            window: pattern.map(|_| 20),
            architecture,
            ..TinyModel::default()
        }
    }

    /// Numbers in the residual stream of one token.
    pub fn embedding_dim(&self) -> usize {
        self.width.unwrap_or(self.n_heads * self.head_dim)
    }

    /// The model as the bytes of a GGUF file.
    pub fn gguf_bytes(&self) -> Vec<u8> {
        self.writer().to_bytes()
    }

    /// The model ready to be written as one file or as several; more metadata may be added.
    pub fn writer(&self) -> GgufWriter {
        let mut writer = GgufWriter::default();
        self.write_description(&mut writer);
        vocabulary::write(&mut writer);
        self.write_weights(&mut writer);
        writer
    }

    fn write_description(&self, writer: &mut GgufWriter) {
        let size = |n: usize| MetadataValue::U32(n as u32);
        let name = self.architecture.name;
        let key = |key: &str| format!("{name}.{key}");
        writer
            .metadata("general.architecture", text(name))
            .metadata("general.name", text("lastbit tiny model, random weights"))
            .metadata(&key("block_count"), size(self.n_blocks))
            .metadata(&key("context_length"), MetadataValue::U32(self.context_len))
            .metadata(&key("embedding_length"), size(self.embedding_dim()))
            .metadata(&key("feed_forward_length"), size(self.feed_forward_dim))
            .metadata(&key("attention.head_count"), size(self.n_heads))
            .metadata(&key("attention.head_count_kv"), size(self.n_kv_heads))
            .metadata(&key("rope.freq_base"), MetadataValue::F32(self.rope_freq_base))
            .metadata(&key("rope.dimension_count"), size(self.rope_dim.unwrap_or(self.head_dim)))
            .metadata(&key("attention.layer_norm_rms_epsilon"), MetadataValue::F32(1e-5))
            .metadata(&key("vocab_size"), size(TinyModel::VOCAB_SIZE));
        if self.width.is_some() {
            writer.metadata(&key("attention.key_length"), size(self.head_dim));
            writer.metadata(&key("attention.value_length"), size(self.head_dim));
        }
        if let Some(window) = self.window {
            writer.metadata(&key("attention.sliding_window"), MetadataValue::U32(window));
        }
    }

    /// Spreads are chosen so that every part matters: scores of a few units, blocks that add about as much to the
    /// residual stream as they find there, and an embedding small enough that a token does not just predict itself.
    fn write_weights(&self, writer: &mut GgufWriter) {
        let mut random = Random { state: self.seed };
        let embedding_dim = self.embedding_dim();
        let (q_dim, kv_dim) = (self.n_heads * self.head_dim, self.n_kv_heads * self.head_dim);
        let weight_type = self.weight_type;
        let mut matrix =
            |writer: &mut GgufWriter, name: &str, tensor_type, columns: usize, rows: usize, spread: f32| {
                let values = random.numbers(columns * rows, 0.0, spread);
                let bytes = quant::quantize(tensor_type, &values);
                writer.tensor(name, &[columns as u64, rows as u64], tensor_type, bytes);
            };

        matrix(writer, "token_embd.weight", self.embedding_type, embedding_dim, TinyModel::VOCAB_SIZE, 0.4);
        if let Some(output_type) = self.output_type {
            matrix(writer, "output.weight", output_type, embedding_dim, TinyModel::VOCAB_SIZE, 0.4);
        }
        let spread_in = 1.5 / (embedding_dim as f32).sqrt();
        let spread_out = 1.0 / (self.feed_forward_dim as f32).sqrt();
        for block in 0..self.n_blocks {
            let name = |part: &str| format!("blk.{block}.{part}.weight");
            matrix(writer, &name("attn_q"), weight_type, embedding_dim, q_dim, spread_in);
            matrix(writer, &name("attn_k"), weight_type, embedding_dim, kv_dim, spread_in);
            matrix(writer, &name("attn_v"), weight_type, embedding_dim, kv_dim, spread_in);
            matrix(writer, &name("attn_output"), weight_type, q_dim, embedding_dim, spread_in);
            matrix(writer, &name("ffn_gate"), weight_type, embedding_dim, self.feed_forward_dim, spread_in);
            matrix(writer, &name("ffn_up"), weight_type, embedding_dim, self.feed_forward_dim, spread_in);
            matrix(writer, &name("ffn_down"), weight_type, self.feed_forward_dim, embedding_dim, spread_out);
        }

        let mut vector = |name: &str, len: usize, mean: f32, spread: f32| {
            let bytes = quant::quantize(TensorType::F32, &random.numbers(len, mean, spread));
            writer.tensor(name, &[len as u64], TensorType::F32, bytes);
        };
        for block in 0..self.n_blocks {
            vector(&format!("blk.{block}.attn_norm.weight"), embedding_dim, 1.0, 0.1);
            vector(&format!("blk.{block}.ffn_norm.weight"), embedding_dim, 1.0, 0.1);
        }
        vector("output_norm.weight", embedding_dim, 1.0, 0.1);

        // Spread wider than those of trained models, so that to leave one out, or to put it in the wrong order, shows.
        let Architecture { qkv_bias, head_norms, post_norms, .. } = self.architecture;
        let of_block = [
            ("attn_q.bias", q_dim, 0.0, qkv_bias),
            ("attn_k.bias", kv_dim, 0.0, qkv_bias),
            ("attn_v.bias", kv_dim, 0.0, qkv_bias),
            ("attn_q_norm.weight", self.head_dim, 1.5, head_norms),
            ("attn_k_norm.weight", self.head_dim, 1.5, head_norms),
            ("post_attention_norm.weight", embedding_dim, 1.0, post_norms),
            ("post_ffw_norm.weight", embedding_dim, 1.0, post_norms),
        ];
        for block in 0..self.n_blocks {
            for (name, len, mean, _) in of_block.iter().filter(|(.., here)| *here) {
                vector(&format!("blk.{block}.{name}"), *len, *mean, 0.5);
            }
        }
        if self.rope_factors {
            // Distinct and away from zero: from 1 to 8, as Llama 3.1's are.
            let n_pairs = self.rope_dim.unwrap_or(self.head_dim) / 2;
            let factors: Vec<f32> = (0..n_pairs).map(|pair| 1.0 + 7.0 * pair as f32 / n_pairs as f32).collect();
            let bytes = quant::quantize(TensorType::F32, &factors);
            writer.tensor("rope_freqs.weight", &[n_pairs as u64], TensorType::F32, bytes);
        }
    }
}

/// SplitMix64: a counter, mixed.
struct Random {
    state: u64,
}

impl Random {
    fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Bell-shaped numbers: the sum of four uniform 16-bit parts, an integer, scaled to mean and spread.
    fn numbers(&mut self, count: usize, mean: f32, spread: f32) -> Vec<f32> {
        // The parts have mean (2^16 - 1) / 2; the spread of their sum is 2^16 * sqrt(4 / 12).
        const SUM_SPREAD: f32 = 37_837.227;
        (0..count)
            .map(|_| {
                let bits = self.bits();
                let sum: i64 = (0..4).map(|part| (bits >> (16 * part) & 0xffff) as i64).sum();
                mean + (sum - 2 * 0xffff) as f32 / SUM_SPREAD * spread
            })
            .collect()
    }
}

fn text(text: &str) -> MetadataValue {
    MetadataValue::String(text.to_owned())
}

fn texts(texts: Vec<String>) -> MetadataValue {
    MetadataValue::Array(MetadataArray::String(texts.iter().collect()))
}
