//! What a template can do wrong, one variant each. Lines count from 1.

use serde::{Deserialize, Serialize};

/// Why a conversation was not rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum RenderError {
    /// The template is not valid Jinja.
    #[error("chat template, line {line}: {message}")]
    Syntax {
        /// Line of the template.
        line: usize,
        /// What is wrong there.
        message: String,
    },

    /// The template itself refused the conversation (`raise_exception`).
    #[error("the chat template refuses this conversation: {message} (line {line})")]
    Refused {
        /// Line of the template.
        line: usize,
        /// The template's own words.
        message: String,
    },

    /// An expression of the template failed while rendering.
    #[error("chat template, line {line}: {message}")]
    Failed {
        /// Line of the template.
        line: usize,
        /// What failed there.
        message: String,
    },

    /// The template loops for longer than any conversation needs.
    #[error("the chat template takes more than {limit} steps")]
    TooManySteps {
        /// The accepted maximum.
        limit: u64,
    },

    /// The template nests macros, loops or expressions deeper than any real one, or counts further.
    #[error("chat template, line {line}: {message}")]
    TooDeep {
        /// Line of the template.
        line: usize,
        /// What was too much.
        message: String,
    },

    /// The conversation renders to more text than any model takes.
    #[error("the rendered conversation is longer than {limit} bytes")]
    OutputTooLong {
        /// The accepted maximum.
        limit: usize,
    },
}

impl RenderError {
    /// Whether the template went beyond a limit, which no real template comes near.
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Syntax { .. } | Self::Refused { .. } | Self::Failed { .. } => false,
            Self::TooManySteps { .. } | Self::TooDeep { .. } | Self::OutputTooLong { .. } => true,
        }
    }
}
