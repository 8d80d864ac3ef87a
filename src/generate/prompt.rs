//! What a person asks, as token ids.

use serde::{Deserialize, Serialize};

#[cfg(doc)]
use super::PromptEncoder;
use super::{Engine, GenerateError};
use crate::model::Pass;
use crate::tokenizer::TokenId;

/// What a person asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Prompt {
    /// Text to be continued.
    Complete {
        /// The text.
        text: String,
    },
    /// A first chat message, put into the model's template.
    Chat {
        /// The message.
        user: String,
    },
}

/// An answered turn, to which a follow-up is added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn<'a> {
    /// The first message.
    pub user: &'a str,
    /// The model's answer.
    pub reply: &'a str,
    /// The second message.
    pub follow_up: &'a str,
}

impl<P: Pass> Engine<P> {
    /// A prompt's token ids, see [`PromptEncoder::encode`].
    ///
    /// # Errors
    /// Those of the encoder.
    pub async fn encode(&self, prompt: &Prompt) -> Result<Vec<TokenId>, GenerateError> {
        self.encoder().encode(prompt).await
    }

    /// The ids of a second turn, see [`PromptEncoder::encode_second_turn`].
    ///
    /// # Errors
    /// Those of the encoder.
    pub async fn encode_second_turn(&self, turn: &Turn<'_>) -> Result<Vec<TokenId>, GenerateError> {
        self.encoder().encode_second_turn(turn).await
    }
}
