//! What a model is and whether it runs here, told from its header alone.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{EngineOptions, GenerateError};
use crate::gguf::GgufFile;
use crate::model::{Fit, FitLimits, ModelConfig, check_header, fit, notes};
use crate::numerics::Numerics;
use crate::tokenizer::{ChatTemplate, Tokenizer, TokenizerReport};

/// What a header says, once nothing in it is in the way of a load.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ModelCheck {
    /// The model's sizes.
    #[serde(flatten)]
    pub config: ModelConfig,
    /// Bytes up to the end of the last tensor.
    pub needed_bytes: u64,
    /// Tensors of each format.
    pub tensor_types: BTreeMap<&'static str, usize>,
    /// How the vocabulary is read.
    pub tokenizer: TokenizerReport,
    /// What the file says of its licence, if it says anything.
    pub license: Option<String>,
    /// SHA-256 of the chat template, where there is one.
    pub template_sha256: Option<String>,
    /// What it takes, and whether that is there.
    pub fit: Fit,
    /// Keys of the header that are not done as they say, or not read, each in a sentence.
    pub notes: Vec<String>,
}

/// Checks all of a header that a load and the start of an engine check, and whether the model fits. One that does not fit is no error.
///
/// # Errors
/// Those of [`check_header`], and a vocabulary that cannot be read.
pub fn check_model(
    file: &GgufFile,
    numerics: &Numerics,
    options: EngineOptions,
    limits: FitLimits,
) -> Result<ModelCheck, GenerateError> {
    let config = check_header(file)?;
    let tokenizer = Tokenizer::new(&file.metadata, options.unknown_pre_tokenizer)?;
    Ok(ModelCheck {
        fit: fit(file, &config, numerics, options.n_cache_blocks, limits),
        notes: notes(&file.metadata, &config),
        config,
        needed_bytes: file.end_of_data(),
        tensor_types: file.tensor_types(),
        tokenizer: tokenizer.report().clone(),
        license: ["general.license.name", "general.license"].into_iter().find_map(|key| {
            let words = file.metadata.get(key)?.lossy_text()?.trim().to_owned();
            (!words.is_empty()).then_some(words)
        }),
        // A broken template is an error of whoever asks for a chat.
        template_sha256: ChatTemplate::from_metadata(&file.metadata, None).ok().map(|template| template.sha256()),
    })
}
