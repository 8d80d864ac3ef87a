//! What to do about a vocabulary that cannot be used, by the kind of its fault.

use super::TokenizerError;
use crate::gguf::advice::{BROKEN, HOSTILE};

/// The vocabulary is of a kind that is not read here.
const ANOTHER_VOCABULARY: &str = "Choose a model whose vocabulary is of kind gpt2 or llama, as those of the architectures llama, qwen2, qwen3 and gemma3 are.";

impl TokenizerError {
    /// The next step of a person with a file whose vocabulary cannot be used, in a sentence.
    pub fn what_to_do_with_file(&self) -> &'static str {
        match self {
            TokenizerError::Metadata(error) => error.what_to_do(),
            TokenizerError::UnsupportedModel { .. } => ANOTHER_VOCABULARY,
            TokenizerError::TooManyTokens { .. }
            | TokenizerError::TextsTooLong { .. }
            | TokenizerError::TooManyMerges { .. }
            | TokenizerError::SpecialTokenTooLong { .. } => HOSTILE,
            _ => BROKEN,
        }
    }
}
