//! A model's sizes, read from GGUF metadata here and nowhere else.

use serde::Serialize;

use super::ModelError;
use crate::architecture::{Architecture, Window, WindowPattern};
use crate::gguf::{GgufFile, Metadata};
use crate::gpu::step::MAX_BIASES;
use crate::numerics::{Numerics, NumericsError, Site};
use crate::reference::forward::TwinConfig;
use crate::reference::forward_f64::ShapeF64;
use crate::reference::rope_table::RopeSettings;

/// A model's hyperparameters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelConfig {
    /// The model's own name, or empty.
    pub name: String,
    /// What `general.architecture` stands for.
    pub architecture: Architecture,
    /// Transformer blocks.
    pub n_blocks: u32,
    /// Width of the residual stream.
    pub embedding_dim: u32,
    /// Query heads.
    pub n_heads: u32,
    /// Key and value heads, a divisor of `n_heads`.
    pub n_kv_heads: u32,
    /// Values of one head.
    pub head_dim: u32,
    /// Width of the feed-forward layer.
    pub feed_forward_dim: u32,
    /// Vocabulary.
    pub vocab_size: u32,
    /// Positions that the model was trained for.
    pub context_len: u32,
    /// RMSNorm epsilon.
    pub norm_eps: f32,
    /// RoPE base.
    pub rope_base: f32,
    /// Values of a head that rotate.
    pub rope_dim: u32,
    /// Positions are divided by this.
    pub rope_scale: f32,
    /// The sliding window, where some layers have one.
    pub window: Option<Window>,
}

impl ModelConfig {
    /// Reads the sizes, then checks them: nothing of a file is acted upon before.
    ///
    /// # Errors
    /// [`ModelError::Architecture`], [`ModelError::Size`], and metadata errors.
    pub fn from_gguf(file: &GgufFile) -> Result<Self, ModelError> {
        let metadata = &file.metadata;
        let name = metadata.string("general.architecture")?;
        let architecture = Architecture::named(name)
            .ok_or_else(|| ModelError::Architecture { found: name.to_owned(), supported: Architecture::names() })?;
        let key = |name: &str| format!("{}.{name}", architecture.name);
        let embedding_dim = metadata.u32(&key("embedding_length"))?;
        let n_heads = metadata.u32_of_all_layers(&key("attention.head_count"))?;
        check(&key("attention.head_count"), n_heads, n_heads > 0, "at least 1")?;
        let n_kv_heads = metadata.optional_u32_of_all_layers(&key("attention.head_count_kv"))?.unwrap_or(n_heads);
        let head_dim = metadata.optional_u32(&key("attention.key_length"))?.unwrap_or(embedding_dim / n_heads);
        let embeddings = file.tensor("token_embd.weight");
        let config = Self {
            name: metadata.optional_string("general.name")?.unwrap_or_default().to_owned(),
            n_blocks: metadata.u32(&key("block_count"))?,
            feed_forward_dim: metadata.u32_of_all_layers(&key("feed_forward_length"))?,
            context_len: metadata.u32(&key("context_length"))?,
            norm_eps: metadata.f32(&key("attention.layer_norm_rms_epsilon"))?,
            rope_base: metadata.optional_f32(&key("rope.freq_base"))?.unwrap_or(10_000.0),
            rope_dim: metadata.optional_u32(&key("rope.dimension_count"))?.unwrap_or(head_dim),
            rope_scale: rope_scale(metadata, architecture)?,
            vocab_size: embeddings.map_or(0, |tensor| u32::try_from(tensor.n_rows()).unwrap_or(u32::MAX)),
            window: None,
            architecture,
            embedding_dim,
            n_heads,
            n_kv_heads,
            head_dim,
        };
        let value_len = metadata.optional_u32(&key("attention.value_length"))?.unwrap_or(head_dim);
        check(&key("attention.value_length"), value_len, value_len == head_dim, "the key length")?;
        let vocab_size = metadata.optional_u32(&key("vocab_size"))?.unwrap_or(config.vocab_size);
        check(&key("vocab_size"), vocab_size, vocab_size == config.vocab_size, "the rows of token_embd.weight")?;
        config.check(&key)?;
        Ok(Self { window: window(metadata, &config)?, ..config })
    }

    /// Whether kernels can run these sizes.
    fn check(&self, key: &dyn Fn(&str) -> String) -> Result<(), ModelError> {
        let block = |n: u32| n > 0 && n.is_multiple_of(32);
        let dim = self.embedding_dim;
        check(&key("block_count"), self.n_blocks, (1..=512).contains(&self.n_blocks), "1 to 512")?;
        check(&key("embedding_length"), dim, block(dim) && dim <= 1 << 16, "a multiple of 32, at most 65,536")?;
        let scores = self.architecture != Architecture::GEMMA3 || self.n_blocks != 62;
        check(
            &key("block_count"),
            self.n_blocks,
            scores,
            "another than Gemma 3 27B's, which scales its scores otherwise",
        )?;
        let ffn = self.feed_forward_dim;
        check(&key("feed_forward_length"), ffn, block(ffn) && ffn <= 1 << 18, "a multiple of 32, at most 262,144")?;
        let heads = self.n_kv_heads > 0 && self.n_heads <= 1024 && self.n_heads.is_multiple_of(self.n_kv_heads);
        check(&key("attention.head_count_kv"), self.n_kv_heads, heads, "a divisor of the head count")?;
        let head = block(self.head_dim) && self.head_dim <= 256;
        check("head dimension", self.head_dim, head, "a multiple of 32, at most 256")?;
        let vocab = (5..=1 << 20).contains(&self.vocab_size);
        check("rows of token_embd.weight", self.vocab_size, vocab, "5 to 1,048,576")?;
        check(&key("context_length"), self.context_len, self.context_len > 0, "at least 1")?;
        let rope = self.rope_dim.is_multiple_of(2) && self.rope_dim <= self.head_dim;
        check(&key("rope.dimension_count"), self.rope_dim, rope, "even, at most the head dimension")?;
        let n_biases = self.q_dim() + 2 * self.kv_dim();
        let biases = !self.architecture.qkv_bias || n_biases <= MAX_BIASES;
        check("values of Q, K and V", n_biases, biases, "at most 16,384 where each has a bias")?;
        let finite = self.norm_eps.is_finite() && self.norm_eps > 0.0 && self.rope_base.is_finite();
        let scale = self.rope_base > 0.0 && self.rope_scale.is_finite() && self.rope_scale > 0.0;
        check("norm epsilon, RoPE base and scale", u32::from(finite && scale), finite && scale, "positive numbers")
    }

    /// Whether a model of these sizes can have these numerics.
    ///
    /// # Errors
    /// [`NumericsError::MoreShardsThanBlocks`].
    pub fn check_numerics(&self, numerics: &Numerics) -> Result<(), NumericsError> {
        numerics.check_shards(Site::AttnOutput, self.q_dim())?;
        numerics.check_shards(Site::FfnDown, self.feed_forward_dim)
    }

    /// The rotations, with the file's factors where it has some. // [rope_dim / 2]
    pub fn rope_settings(&self, frequency_factors: Option<Vec<f32>>) -> RopeSettings {
        RopeSettings {
            base: self.rope_base,
            head_dim: self.head_dim as usize,
            rope_dim: self.rope_dim as usize,
            linear_factor: self.rope_scale,
            frequency_factors,
        }
    }

    /// The sizes as the CPU twin takes them, with room for `context_len` positions.
    pub fn twin(&self, context_len: u32, frequency_factors: Option<Vec<f32>>) -> TwinConfig {
        TwinConfig {
            n_layers: self.n_blocks as usize,
            embedding_dim: self.embedding_dim as usize,
            ffn_dim: self.feed_forward_dim as usize,
            n_heads: self.n_heads as usize,
            n_kv_heads: self.n_kv_heads as usize,
            vocab_size: self.vocab_size as usize,
            context_len: context_len as usize,
            norm_epsilon: self.norm_eps,
            rope: self.rope_settings(frequency_factors),
            architecture: self.architecture,
            window: self.window,
        }
    }

    /// The sizes as the pass in f64 takes them, which reads the tensors as they are in the file.
    pub fn in_f64(&self) -> ShapeF64 {
        ShapeF64 {
            n_blocks: self.n_blocks as usize,
            n_heads: self.n_heads as usize,
            n_kv_heads: self.n_kv_heads as usize,
            head_dim: self.head_dim as usize,
            embedding_dim: self.embedding_dim as usize,
            feed_forward_dim: self.feed_forward_dim as usize,
            vocab_size: self.vocab_size as usize,
            rope_dim: self.rope_dim as usize,
            rope_freq_base: f64::from(self.rope_base),
            rope_scale: f64::from(self.rope_scale),
            norm_epsilon: f64::from(self.norm_eps),
            architecture: self.architecture,
            window: self.window,
        }
    }

    /// Keys that a row sees in a layer: those of the window, or all.
    pub fn window_of(&self, layer: usize) -> Option<u32> {
        self.window.filter(|window| window.is_local(layer)).map(|window| window.len)
    }

    /// Values of all query heads of one token.
    pub fn q_dim(&self) -> u32 {
        self.n_heads * self.head_dim
    }

    /// Values of all key (or value) heads of one token.
    pub fn kv_dim(&self) -> u32 {
        self.n_kv_heads * self.head_dim
    }
}

/// What positions are divided by.
fn rope_scale(metadata: &Metadata, architecture: Architecture) -> Result<f32, ModelError> {
    let key = |name: &str| format!("{}.rope.{name}", architecture.name);
    match metadata.optional_string(&key("scaling.type"))? {
        Some("linear") => Ok(metadata.f32(&key("scaling.factor"))?),
        None => Ok(metadata.optional_f32(&key("scale_linear"))?.unwrap_or(1.0)),
        Some("none") => Ok(1.0),
        Some(other) => Err(ModelError::Architecture {
            found: format!("{} with RoPE scaling {other}", architecture.name),
            supported: "RoPE scaling none or linear, and Llama 3's, which is in a tensor".to_owned(),
        }),
    }
}

/// The window that the file states.
fn window(metadata: &Metadata, config: &ModelConfig) -> Result<Option<Window>, ModelError> {
    let key = format!("{}.attention.sliding_window", config.architecture.name);
    let len = match config.architecture.window {
        Some(WindowPattern { global_every: Some(_), .. }) => Some(metadata.u32(&key)?),
        _ => metadata.optional_u32(&key)?,
    };
    let (Some(len), Some(pattern)) = (len.filter(|len| *len > 0), config.architecture.window) else {
        let none = len.unwrap_or(0);
        return check(&key, none, none == 0 || none >= config.context_len, "no window").map(|()| None);
    };
    Ok(Some(Window { len, pattern }))
}

fn check(key: &str, found: u32, good: bool, expected: &str) -> Result<(), ModelError> {
    if good {
        return Ok(());
    }
    Err(ModelError::Size { key: key.to_owned(), found: u64::from(found), expected: expected.to_owned() })
}
