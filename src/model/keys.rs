//! What each metadata key is to this engine, under `<architecture>.` and outside: read, passed with one value only, or not read.
//!
//! A key that says how a model computes is never passed over in silence: where no kernel does as it says, the file is refused, unless its
//! value changes nothing. Which keys these are, and which values are neutral, follows what llama.cpp does with them.

use super::error::shown;
use super::{ModelConfig, ModelError};
use crate::gguf::{Metadata, MetadataValue};

/// Keys that `config.rs` reads.
const READ: [&str; 19] = [
    "block_count",
    "context_length",
    "embedding_length",
    "feed_forward_length",
    "vocab_size",
    "expert_count",
    "expert_used_count",
    "attention.head_count",
    "attention.head_count_kv",
    "attention.key_length",
    "attention.value_length",
    "attention.layer_norm_rms_epsilon",
    "attention.sliding_window",
    "attention.sliding_window_pattern",
    "rope.freq_base",
    "rope.dimension_count",
    "rope.scaling.type",
    "rope.scaling.factor",
    "rope.scale_linear",
];

/// Keys that change numbers in a way that no kernel computes, each with what passes.
const NEUTRAL: [(&str, Neutral); 24] = [
    // Scores and attention.
    ("attention.causal", Neutral::Truth(true)),
    ("attention.scale", Neutral::ZeroOr(score_scale)),
    ("attention.clamp_kqv", Neutral::Zero),
    ("attention.max_alibi_bias", Neutral::Zero),
    ("attention.output_scale", Neutral::ZeroOrOne),
    ("attention.value_scale", Neutral::ZeroOrOne),
    ("attention.temperature_scale", Neutral::Zero),
    ("attention.temperature_length", Neutral::Zero),
    ("attention.shared_kv_layers", Neutral::Zero),
    ("attn_logit_softcapping", Neutral::Zero),
    // Rotations.
    ("rope.scaling.attn_factor", Neutral::One),
    ("rope.scaling.alpha", Neutral::ZeroOrOne),
    ("rope.scaling.yarn_ext_factor", Neutral::Zero),
    ("rope.scaling.yarn_attn_factor", Neutral::One),
    // Layers with a window, where they were to be otherwise than the others.
    ("rope.freq_base_swa", Neutral::InWindow(window_base)),
    ("rope.dimension_count_swa", Neutral::InWindow(|config| config.rope_dim as f32)),
    ("attention.key_length_swa", Neutral::InWindow(|config| config.head_dim as f32)),
    ("attention.value_length_swa", Neutral::InWindow(|config| config.head_dim as f32)),
    // The stream and the head.
    ("embedding_scale", Neutral::ZeroOr(embedding_scale)),
    ("residual_scale", Neutral::ZeroOrOne),
    ("logit_scale", Neutral::ZeroOrOne),
    ("final_logit_softcapping", Neutral::Zero),
    ("use_parallel_residual", Neutral::Truth(false)),
    ("swin_norm", Neutral::Truth(false)),
];

/// What describes a file, a part or a rounding, and nothing that is computed.
const DESCRIPTIONS: [&str; 3] = ["general.", "split.", "quantize."];

/// Keys outside `<architecture>.` that `tokenizer/` reads, beside the chat templates.
const READ_OUTSIDE: [&str; 14] = [
    "tokenizer.ggml.model",
    "tokenizer.ggml.pre",
    "tokenizer.ggml.tokens",
    "tokenizer.ggml.token_type",
    "tokenizer.ggml.scores",
    "tokenizer.ggml.merges",
    "tokenizer.ggml.bos_token_id",
    "tokenizer.ggml.eos_token_id",
    "tokenizer.ggml.eot_token_id",
    "tokenizer.ggml.eom_token_id",
    "tokenizer.ggml.unknown_token_id",
    "tokenizer.ggml.add_bos_token",
    "tokenizer.ggml.add_eos_token",
    "tokenizer.ggml.add_space_prefix",
];

/// The chat template, those with names, and the list of the names.
const TEMPLATES: &str = "tokenizer.chat_template";

/// Keys outside `<architecture>.` that change the ids of ordinary text in a way that no tokenizer here computes. They belong to other kinds
/// of vocabulary; files of the architectures here have none of them, or the value that passes.
const NEUTRAL_OUTSIDE: [(&str, NeutralOutside); 4] = [
    ("tokenizer.ggml.remove_extra_whitespaces", NeutralOutside::False),
    ("tokenizer.ggml.precompiled_charsmap", NeutralOutside::Empty),
    ("tokenizer.ggml.normalizer.lowercase", NeutralOutside::False),
    ("tokenizer.ggml.normalizer.strip_accents", NeutralOutside::False),
];

/// Keys outside `<architecture>.` for what is not done here: padding, masks, pairs of texts, filling in, other programs' tokenizers.
const UNUSED_OUTSIDE: [&str; 12] = [
    "tokenizer.ggml.padding_token_id",
    "tokenizer.ggml.mask_token_id",
    "tokenizer.ggml.cls_token_id",
    "tokenizer.ggml.seperator_token_id", // spelled so in files
    "tokenizer.ggml.token_type_count",
    "tokenizer.ggml.prefix_token_id",
    "tokenizer.ggml.suffix_token_id",
    "tokenizer.ggml.middle_token_id",
    "tokenizer.ggml.fim_pre_token_id",
    "tokenizer.ggml.fim_suf_token_id",
    "tokenizer.ggml.fim_mid_token_id",
    "tokenizer.huggingface.json",
];

/// Flags outside `<architecture>.` that ask for nothing while they are false. Set, they are told and not refused: llama.cpp, whose ids these
/// are, reads none of them for the vocabularies here, and texts as they are usually typed give the same ids.
const IDLE_WHILE_FALSE: [&str; 2] = ["tokenizer.ggml.add_sep_token", "tokenizer.ggml.normalizer.nfc"];

/// Which values of a key outside `<architecture>.` change nothing.
enum NeutralOutside {
    False,
    /// An array or a text of no length.
    Empty,
}

/// Which values of a key change nothing.
enum Neutral {
    Truth(bool),
    Zero,
    One,
    /// 0 stands for a number that is not set.
    ZeroOrOne,
    /// 0, or what is computed anyway.
    ZeroOr(fn(&ModelConfig) -> f32),
    /// What is computed anyway; anything in a model in which no layer has a window.
    InWindow(fn(&ModelConfig) -> f32),
}

impl Neutral {
    /// What passes, for messages.
    fn told(&self, config: &ModelConfig) -> String {
        match self {
            Self::Truth(truth) => truth.to_string(),
            Self::Zero => "0".to_owned(),
            Self::One => "1".to_owned(),
            Self::ZeroOrOne => "0 or 1".to_owned(),
            Self::ZeroOr(own) => format!("0 or {}", own(config)),
            Self::InWindow(own) => own(config).to_string(),
        }
    }

    /// Whether the value of a key passes.
    fn holds(&self, metadata: &Metadata, key: &str, config: &ModelConfig) -> Result<bool, ModelError> {
        let Some(number) = metadata.get(key).and_then(MetadataValue::number) else {
            // A truth value, or what says of which type the value should be.
            return Ok(matches!(self, Self::Truth(truth) if metadata.bool(key)? == *truth));
        };
        Ok(match self {
            Self::Truth(_) => false,
            Self::Zero => number == 0.0,
            Self::One => number == 1.0,
            Self::ZeroOrOne => number == 0.0 || number == 1.0,
            Self::ZeroOr(own) => number == 0.0 || number as f32 == own(config),
            Self::InWindow(own) => config.window.is_none() || number as f32 == own(config),
        })
    }

    /// Whether this model is such that the key means nothing in it.
    fn is_idle(&self, config: &ModelConfig) -> bool {
        matches!(self, Self::InWindow(_)) && config.window.is_none()
    }
}

fn score_scale(config: &ModelConfig) -> f32 {
    1.0 / (config.head_dim as f32).sqrt()
}

fn embedding_scale(config: &ModelConfig) -> f32 {
    config.architecture.embedding_scale(config.embedding_dim as usize)
}

fn window_base(config: &ModelConfig) -> f32 {
    config.window.and_then(|window| window.pattern.local_rope_base).unwrap_or(config.rope_base)
}

/// Refuses a file that says to compute something that no kernel computes.
///
/// # Errors
/// [`ModelError::Unsupported`] with the key and its value; a key of another type.
pub(super) fn check(metadata: &Metadata, config: &ModelConfig) -> Result<(), ModelError> {
    for (name, neutral) in &NEUTRAL {
        let key = format!("{}.{name}", config.architecture.name);
        let Some(value) = metadata.get(&key) else { continue };
        if !neutral.holds(metadata, &key, config)? {
            return Err(ModelError::Unsupported { key, found: value_told(value), neutral: neutral.told(config) });
        }
    }
    check_vocabulary(metadata)
}

/// Refuses a vocabulary that says to change texts, before they are split, in a way that no tokenizer here does.
///
/// # Errors
/// [`ModelError::Unsupported`] with the key and its value.
pub fn check_vocabulary(metadata: &Metadata) -> Result<(), ModelError> {
    for (key, neutral) in &NEUTRAL_OUTSIDE {
        let Some(value) = metadata.get(key) else { continue };
        let (passes, told) = match (neutral, value) {
            (NeutralOutside::False, value) => (*value == MetadataValue::Bool(false), "false"),
            (NeutralOutside::Empty, MetadataValue::Array(array)) => (array.is_empty(), "an empty one"),
            (NeutralOutside::Empty, MetadataValue::String(text)) => (text.is_empty(), "an empty one"),
            (NeutralOutside::Empty, _) => (false, "an empty one"),
        };
        if !passes {
            let (key, neutral) = ((*key).to_owned(), told.to_owned());
            return Err(ModelError::Unsupported { key, found: value_told(value), neutral });
        }
    }
    Ok(())
}

/// What a person may want to know of a file that runs: each sentence names a key that is not done as it says, or not read at all.
pub fn notes(metadata: &Metadata, config: &ModelConfig) -> Vec<String> {
    let prefix = format!("{}.", config.architecture.name);
    let mut notes = Vec::new();
    if let Ok(Some(context_len)) = metadata.optional_u64(&format!("{prefix}context_length"))
        && context_len > u64::from(config.context_len)
    {
        notes.push(format!("{prefix}context_length is {context_len}, counted as {}", config.context_len));
    }
    let is_usual = config.architecture.window.is_some_and(|pattern| pattern.global_every.is_some());
    if config.window.is_none() && is_usual {
        notes.push(format!("{prefix}attention.sliding_window is 0: every layer sees all keys"));
    }
    for (key, value) in metadata.iter() {
        let Some(name) = key.strip_prefix(&prefix) else {
            if is_unread_outside(key, value) {
                notes.push(format!("not read: {key} ({})", value_told(value)));
            }
            continue;
        };
        let neutral = NEUTRAL.iter().find(|(neutral, _)| *neutral == name).map(|(_, neutral)| neutral);
        let is_idle = match name {
            "rope.scaling.factor" | "rope.scale_linear" => config.rope_scale == 1.0 && value.number() != Some(1.0),
            "attention.sliding_window_pattern" => config.window.is_none(),
            name => !READ.contains(&name) && neutral.is_none_or(|neutral| neutral.is_idle(config)),
        };
        if is_idle {
            notes.push(format!("not read: {key} ({})", value_told(value)));
        }
    }
    notes
}

/// Whether a key that is not under `<architecture>.` says something that nothing here reads.
fn is_unread_outside(key: &str, value: &MetadataValue) -> bool {
    let is_known = DESCRIPTIONS.iter().any(|prefix| key.starts_with(prefix))
        || key.starts_with(TEMPLATES)
        || READ_OUTSIDE.contains(&key)
        || UNUSED_OUTSIDE.contains(&key)
        || NEUTRAL_OUTSIDE.iter().any(|(neutral, _)| *neutral == key);
    let is_idle = IDLE_WHILE_FALSE.contains(&key) && *value == MetadataValue::Bool(false);
    !is_known && !is_idle
}

/// A value in a message: a number as it is, a text cut.
fn value_told(value: &MetadataValue) -> String {
    match (value, value.number()) {
        (MetadataValue::F32(number), _) => number.to_string(),
        (_, Some(number)) => number.to_string(),
        (MetadataValue::Bool(truth), _) => truth.to_string(),
        (MetadataValue::String(text), _) => shown(text),
        (other, _) => other.describe(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_as_read_is_read() {
        let config = include_str!("config.rs");
        for name in READ {
            assert!(config.contains(&format!("\"{name}\"")), "{name}");
            assert!(!NEUTRAL.iter().any(|(neutral, _)| *neutral == name), "{name} is listed twice");
        }
        let tokenizer = [include_str!("../tokenizer/load.rs"), include_str!("../tokenizer/mod.rs")].concat();
        let quoted = |key: &str| tokenizer.contains(&format!("\"{key}\""));
        for key in READ_OUTSIDE {
            assert!(quoted(key), "{key}");
        }
        for (key, _) in
            tokenizer.match_indices("\"tokenizer.").filter_map(|(at, _)| tokenizer[at + 1..].split_once('"'))
        {
            assert!(READ_OUTSIDE.contains(&key), "{key} is read and not listed");
        }
        for key in UNUSED_OUTSIDE.into_iter().chain(IDLE_WHILE_FALSE).chain(NEUTRAL_OUTSIDE.map(|(key, _)| key)) {
            assert!(!quoted(key) && !READ_OUTSIDE.contains(&key), "{key} is read");
        }
    }
}
