//! A model's sizes, read from GGUF metadata here and nowhere else.

use serde::Serialize;

use super::error::{Subject, shown};
use super::{ModelError, keys};
use crate::architecture::{Architecture, Window, WindowPattern};
use crate::gguf::{GgufFile, Metadata, MetadataArray, MetadataValue};
use crate::gpu::step::MAX_BIASES;
use crate::numerics::{Numerics, NumericsError, Site};
use crate::reference::forward::TwinConfig;
use crate::reference::forward_f64::ShapeF64;
use crate::reference::rope_table::RopeSettings;

/// A model's hyperparameters.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ModelConfig {
    /// The model's own name, or empty.
    pub name: String,
    /// What `general.architecture` stands for.
    #[cfg_attr(test, ts(as = "String"))]
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
    /// Rows of the embedding and of the head.
    pub vocab_size: u32,
    /// Tokens of the vocabulary, which are the first of those rows: what pads them is never chosen.
    pub n_tokens: u32,
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
    /// [`ModelError::NoArchitecture`], [`ModelError::NotAModel`], [`ModelError::Architecture`], [`ModelError::Experts`],
    /// [`ModelError::Value`], [`ModelError::Unsupported`], [`ModelError::MissingTensor`] for a file without an embedding, and metadata errors.
    pub fn from_gguf(file: &GgufFile) -> Result<Self, ModelError> {
        let metadata = &file.metadata;
        let architecture = architecture(file)?;
        let key = |name: &str| format!("{}.{name}", architecture.name);
        no_experts(metadata, architecture)?;
        let n_blocks = metadata.u32(&key("block_count"))?;
        let of_all_layers = |name: &str| of_all_layers(metadata, &key(name), n_blocks);
        let required = |name: &str, found: Option<u32>| match found {
            Some(found) => Ok(found),
            None => metadata.u32(&key(name)),
        };
        let embedding_dim = metadata.u32(&key("embedding_length"))?;
        let good = is_blocks(embedding_dim) && embedding_dim <= 1 << 16;
        check(Subject::Shape, &key("embedding_length"), embedding_dim, good, "a multiple of 32, at most 65,536")?;
        let n_heads = required("attention.head_count", of_all_layers("attention.head_count")?)?;
        check(Subject::Heads, &key("attention.head_count"), n_heads, (1..=1024).contains(&n_heads), "1 to 1,024")?;
        let n_kv_heads = of_all_layers("attention.head_count_kv")?.unwrap_or(n_heads);
        let head_dim = match metadata.optional_u32(&key("attention.key_length"))? {
            Some(head_dim) => head_dim,
            None => {
                let divides = embedding_dim.is_multiple_of(n_heads);
                check(
                    Subject::Shape,
                    &key("embedding_length"),
                    embedding_dim,
                    divides,
                    "a multiple of the head count",
                )?;
                embedding_dim / n_heads
            }
        };
        let no_embedding = || ModelError::MissingTensor { name: "token_embd.weight".to_owned() };
        let embedding_rows = file.tensor("token_embd.weight").ok_or_else(no_embedding)?.n_rows();
        let vocab_size = u32::try_from(embedding_rows).unwrap_or(u32::MAX);
        let config = Self {
            // A description, which decides nothing: neither wrong letters nor another type are in the way.
            name: metadata.get("general.name").and_then(|name| name.lossy_text()).unwrap_or_default().into_owned(),
            n_blocks,
            feed_forward_dim: required("feed_forward_length", of_all_layers("feed_forward_length")?)?,
            // More than any device holds: what runs is cut to what an engine is set up for.
            context_len: u32::try_from(metadata.u64(&key("context_length"))?).unwrap_or(u32::MAX),
            norm_eps: metadata.f32(&key("attention.layer_norm_rms_epsilon"))?,
            rope_base: metadata.optional_f32(&key("rope.freq_base"))?.unwrap_or(10_000.0),
            rope_dim: metadata.optional_u32(&key("rope.dimension_count"))?.unwrap_or(head_dim),
            rope_scale: rope_scale(metadata, architecture)?,
            vocab_size,
            n_tokens: n_tokens(metadata, vocab_size)?,
            window: None,
            architecture,
            embedding_dim,
            n_heads,
            n_kv_heads,
            head_dim,
        };
        let value_len = metadata.optional_u32(&key("attention.value_length"))?.unwrap_or(head_dim);
        check(Subject::Heads, &key("attention.value_length"), value_len, value_len == head_dim, "the key length")?;
        let stated = metadata.optional_u32(&key("vocab_size"))?.unwrap_or(vocab_size);
        let expected = format!("{vocab_size}, the rows of token_embd.weight");
        check(Subject::Vocabulary, &key("vocab_size"), stated, stated == vocab_size, &expected)?;
        config.check(&key)?;
        let n_in_file = blocks_in(file);
        let expected = format!("at most {n_in_file}, the blocks that the file has tensors of");
        check(Subject::Layers, &key("block_count"), n_blocks, u64::from(n_blocks) <= n_in_file, &expected)?;
        let config = Self { window: window(metadata, &config)?, ..config };
        keys::check(metadata, &config)?;
        Ok(config)
    }

    /// Whether kernels can run these sizes.
    fn check(&self, key: &dyn Fn(&str) -> String) -> Result<(), ModelError> {
        let layers = &key("block_count");
        check(Subject::Layers, layers, self.n_blocks, (1..=512).contains(&self.n_blocks), "1 to 512")?;
        let scores = self.architecture != Architecture::GEMMA3 || self.n_blocks != 62;
        let others = "another than Gemma 3 27B's, which scales its scores otherwise";
        check(Subject::Layers, layers, self.n_blocks, scores, others)?;
        let ffn = self.feed_forward_dim;
        let good = is_blocks(ffn) && ffn <= 1 << 18;
        check(Subject::Shape, &key("feed_forward_length"), ffn, good, "a multiple of 32, at most 262,144")?;
        let heads = self.n_kv_heads > 0 && self.n_heads.is_multiple_of(self.n_kv_heads);
        check(Subject::Heads, &key("attention.head_count_kv"), self.n_kv_heads, heads, "a divisor of the head count")?;
        let head = is_blocks(self.head_dim) && self.head_dim <= 256;
        check(Subject::Heads, "head dimension", self.head_dim, head, "a multiple of 32, at most 256")?;
        let vocab = (5..=1 << 20).contains(&self.vocab_size);
        check(Subject::Shape, "rows of token_embd.weight", self.vocab_size, vocab, "5 to 1,048,576")?;
        // A token of the prompt and one of the answer.
        check(Subject::Other, &key("context_length"), self.context_len, self.context_len > 1, "at least 2")?;
        let rope = (2..=self.head_dim).contains(&self.rope_dim) && self.rope_dim.is_multiple_of(2);
        let even = format!("even, from 2 to the head dimension of {}", self.head_dim);
        check(Subject::Rope, &key("rope.dimension_count"), self.rope_dim, rope, &even)?;
        let n_biases = self.q_dim() + 2 * self.kv_dim();
        let biases = !self.architecture.qkv_bias || n_biases <= MAX_BIASES;
        check(Subject::Heads, "values of Q, K and V", n_biases, biases, "at most 16,384 where each has a bias")?;
        for (subject, name, number) in [
            (Subject::Norm, "attention.layer_norm_rms_epsilon", self.norm_eps),
            (Subject::Rope, "rope.freq_base", self.rope_base),
        ] {
            check_positive(subject, &key(name), number)?;
        }
        Ok(())
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

/// The file's architecture, where it holds a model of one that can run.
fn architecture(file: &GgufFile) -> Result<Architecture, ModelError> {
    let metadata = &file.metadata;
    let name = metadata.string("general.architecture").map_err(ModelError::NoArchitecture)?;
    let supported = Architecture::names;
    let other = || ModelError::Architecture { found: shown(name), supported: supported() };
    let architecture = Architecture::named(name).ok_or_else(other)?;
    let not_a_model = |found: String| Err(ModelError::NotAModel { found, supported: supported() });
    match metadata.optional_string("general.type") {
        Ok(Some("model") | None) | Err(_) if file.tensors.is_empty() => not_a_model("no tensors".to_owned()),
        Ok(Some("model") | None) | Err(_) => Ok(architecture),
        Ok(Some("adapter")) => not_a_model("an adapter (LoRA)".to_owned()),
        Ok(Some(other)) => not_a_model(format!("a file of type {}", shown(other))),
    }
}

/// Refuses mixtures of experts: there is no kernel that chooses among them.
fn no_experts(metadata: &Metadata, architecture: Architecture) -> Result<(), ModelError> {
    let number = |name: &str| metadata.optional_u32(&format!("{}.{name}", architecture.name));
    match (number("expert_count")?.unwrap_or(0), number("expert_used_count")?.unwrap_or(0)) {
        (0, 0) => Ok(()),
        (count, used) => Err(ModelError::Experts { count, used }),
    }
}

/// A number that holds for every layer: given once, or once for each.
fn of_all_layers(metadata: &Metadata, key: &str, n_blocks: u32) -> Result<Option<u32>, ModelError> {
    if let Some(MetadataValue::Array(array)) = metadata.get(key) {
        let expected = format!("one for each of {n_blocks} layers");
        let found = format!("{} numbers", array.len());
        check(Subject::Other, key, found, array.len() as u64 == u64::from(n_blocks), &expected)?;
        if let Some((first, other)) = two_values(array) {
            let found = format!("{first} in some layers and {other} in others");
            check(Subject::Other, key, found, false, "one number for all layers")?;
        }
    }
    Ok(metadata.optional_u32_of_all_layers(key)?)
}

/// Two integers of an array that are not the same, where it has some: layers of several sizes are for no kernel here.
fn two_values(array: &MetadataArray) -> Option<(i64, i64)> {
    fn two<T: Copy + PartialEq + Into<i64>>(values: &[T]) -> Option<(i64, i64)> {
        let first = *values.first()?;
        values.iter().find(|value| **value != first).map(|other| (first.into(), (*other).into()))
    }
    match array {
        MetadataArray::U32(values) => two(values),
        MetadataArray::I32(values) => two(values),
        // Of another type, which the metadata's own reader refuses.
        _ => None,
    }
}

/// Tokens of the vocabulary. A list that is none, or empty, is refused by the tokenizer, which knows more of it.
fn n_tokens(metadata: &Metadata, n_rows: u32) -> Result<u32, ModelError> {
    let key = "tokenizer.ggml.tokens";
    let Some(MetadataValue::Array(MetadataArray::String(tokens))) = metadata.get(key) else { return Ok(n_rows) };
    if tokens.is_empty() {
        return Ok(n_rows);
    }
    let n_tokens = u32::try_from(tokens.len()).unwrap_or(u32::MAX);
    let expected = format!("5 to {n_rows}, the rows of token_embd.weight");
    check(Subject::Vocabulary, key, format!("{n_tokens} tokens"), (5..=n_rows).contains(&n_tokens), &expected)?;
    Ok(n_tokens)
}

/// Transformer blocks that the tensors' names speak of.
fn blocks_in(file: &GgufFile) -> u64 {
    let block = |name: &str| name.strip_prefix("blk.")?.split_once('.')?.0.parse::<u32>().ok();
    let last = file.tensors.iter().filter_map(|tensor| block(&tensor.name)).max();
    last.map_or(0, |last| u64::from(last) + 1)
}

/// What positions are divided by: as llama.cpp has it, a factor without a type is linear, and the old name of its key will do.
fn rope_scale(metadata: &Metadata, architecture: Architecture) -> Result<f32, ModelError> {
    let key = |name: &str| format!("{}.{name}", architecture.name);
    let kind = metadata.optional_string(&key("rope.scaling.type"))?;
    if let Some(other) = kind.filter(|kind| !matches!(*kind, "none" | "linear")) {
        return Err(ModelError::Value {
            subject: Subject::Rope,
            key: key("rope.scaling.type"),
            found: shown(other),
            expected: "none or linear; Llama 3's is in a tensor".to_owned(),
        });
    }
    for name in ["rope.scaling.factor", "rope.scale_linear"] {
        if let Some(factor) = metadata.optional_f32(&key(name))? {
            check_positive(Subject::Rope, &key(name), factor)?;
            return Ok(if kind == Some("none") { 1.0 } else { factor });
        }
    }
    match kind {
        Some("linear") => Ok(metadata.f32(&key("rope.scaling.factor"))?),
        _ => Ok(1.0),
    }
}

/// The window that the file states; 0 is none.
fn window(metadata: &Metadata, config: &ModelConfig) -> Result<Option<Window>, ModelError> {
    let key = format!("{}.{}", config.architecture.name, "attention.sliding_window");
    let len = match config.architecture.window {
        Some(WindowPattern { global_every: Some(_), .. }) => Some(metadata.u32(&key)?),
        _ => metadata.optional_u32(&key)?,
    };
    let (Some(len), Some(pattern)) = (len.filter(|len| *len > 0), config.architecture.window) else {
        let none = len.unwrap_or(0);
        let unseen = none == 0 || none >= config.context_len;
        return check(Subject::Other, &key, none, unseen, "no window").map(|()| None);
    };
    let global_every = global_every(metadata, config)?.unwrap_or(pattern.global_every);
    let local_rope_base = match pattern.local_rope_base {
        Some(usual) => {
            let key = format!("{}.rope.freq_base_swa", config.architecture.name);
            let base = metadata.optional_f32(&key)?.unwrap_or(usual);
            check_positive(Subject::Rope, &key, base)?;
            Some(base)
        }
        None => None,
    };
    Ok(Some(Window { len, pattern: WindowPattern { global_every, local_rope_base } }))
}

/// Which layers see all keys, where the file says so: every so many-th (0: none), or layer by layer whether it has the window.
fn global_every(metadata: &Metadata, config: &ModelConfig) -> Result<Option<Option<u32>>, ModelError> {
    let key = format!("{}.{}", config.architecture.name, "attention.sliding_window_pattern");
    let Some(MetadataValue::Array(array)) = metadata.get(&key) else {
        return Ok(metadata.optional_u32(&key)?.map(|every| (every > 0).then_some(every)));
    };
    let expected = "a number of layers, or a truth value for each layer that comes back in a period";
    let MetadataArray::Bool(is_local) = array else {
        return check(Subject::Other, &key, format!("{} values", array.len()), false, expected).map(|()| None);
    };
    let every = is_local.iter().position(|is_local| !is_local).and_then(|first| u32::try_from(first + 1).ok());
    let pattern = Window { len: 1, pattern: WindowPattern { global_every: every, local_rope_base: None } };
    let repeats = is_local.len() as u64 == u64::from(config.n_blocks)
        && is_local.iter().enumerate().all(|(layer, is_local)| pattern.is_local(layer) == *is_local);
    check(Subject::Other, &key, format!("{} truth values", is_local.len()), repeats, expected)?;
    Ok(Some(every))
}

/// Whether a width is whole blocks of 32.
fn is_blocks(n: u32) -> bool {
    n > 0 && n.is_multiple_of(32)
}

fn check_positive(subject: Subject, key: &str, number: f32) -> Result<(), ModelError> {
    check(subject, key, number, number.is_finite() && number > 0.0, "a positive number")
}

fn check(subject: Subject, key: &str, found: impl ToString, good: bool, expected: &str) -> Result<(), ModelError> {
    if good {
        return Ok(());
    }
    Err(ModelError::Value { subject, key: key.to_owned(), found: found.to_string(), expected: expected.to_owned() })
}
