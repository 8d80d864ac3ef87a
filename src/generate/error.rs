//! What can end a run or keep an engine from starting.

use crate::cache::CacheError;
use crate::gguf::GgufError;
use crate::gpu::GpuError;
use crate::model::ModelError;
use crate::numerics::NumericsError;
use crate::tokenizer::{TemplateError, TokenizerError};

/// What can end a run or keep an engine from starting.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// Model, forward pass or self-test.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Choices that do not go together.
    #[error(transparent)]
    Numerics(#[from] NumericsError),
    /// Tokenizer or prompt.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// Cache bookkeeping.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The prompt has no tokens.
    #[error("the prompt is empty")]
    EmptyPrompt,
    /// The vocabulary has no token for some of the prompt: the model would not see it.
    #[error("the vocabulary has no tokens for {n_bytes} bytes of the prompt")]
    MissingBytes {
        /// Bytes that no token stands for.
        n_bytes: usize,
    },
    /// The prompt does not fit.
    #[error(
        "the prompt has {n_tokens} tokens, the context holds {context_len} with room for at least one answer token"
    )]
    PromptTooLong {
        /// Its tokens.
        n_tokens: usize,
        /// Context length.
        context_len: u32,
    },
    /// A chat was asked of a model whose file brings no template.
    #[error("the model file has no chat template")]
    NoChatTemplate {
        /// Names of templates that can be chosen instead: the file's own, and known layouts that its vocabulary has the tokens for.
        others: Vec<String>,
    },
    /// The chat template is broken, or refuses the conversation.
    #[error("{error}")]
    ChatTemplate {
        /// What is wrong.
        error: TokenizerError,
        /// As in [`GenerateError::NoChatTemplate`].
        others: Vec<String>,
    },
    /// A second turn was asked of text that is not a chat.
    #[error("a second turn needs a chat prompt")]
    SecondTurnOfText,
    /// Runs side by side were asked of an engine that was set up for fewer sequences.
    #[error("{needed} sequences side by side are needed, the engine was set up for {found}")]
    Sequences {
        /// Sequences that the call needs.
        needed: u32,
        /// Sequences that one step can mix.
        found: u32,
    },
    /// A schedule is that of another prompt.
    #[error("the schedule computes {n_positions} positions, the prompt has {n_ids} tokens")]
    Schedule {
        /// Positions that the schedule computes.
        n_positions: usize,
        /// Tokens of the prompt.
        n_ids: usize,
    },
    /// K and V were to be taken from positions that the runs have not computed.
    #[error("positions up to {end} were asked for, the runs have computed {n_positions}")]
    Transplant {
        /// The end of what was asked for.
        end: usize,
        /// Positions that are computed.
        n_positions: usize,
    },
    /// A setting is out of range.
    #[error("{setting} is {found}, possible are {expected}")]
    Setting {
        /// Which.
        setting: &'static str,
        /// Its value.
        found: u64,
        /// What would do.
        expected: &'static str,
    },
}

impl From<GgufError> for GenerateError {
    fn from(error: GgufError) -> Self {
        Self::Model(error.into())
    }
}

impl From<GpuError> for GenerateError {
    fn from(error: GpuError) -> Self {
        Self::Model(error.into())
    }
}

impl From<TemplateError> for GenerateError {
    fn from(error: TemplateError) -> Self {
        Self::Tokenizer(error.into())
    }
}
