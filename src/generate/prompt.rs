//! What a person asks, as token ids.

use serde::{Deserialize, Serialize};

use super::{Engine, GenerateError};
use crate::model::Pass;
use crate::tokenizer::{Message, Role, SpecialTokens, TokenId};

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
    /// A prompt's token ids. What a person typed is text, even where it spells a special token.
    ///
    /// # Errors
    /// [`GenerateError::NoChatTemplate`], template errors.
    pub async fn encode(&self, prompt: &Prompt) -> Result<Vec<TokenId>, GenerateError> {
        match prompt {
            Prompt::Complete { text } => Ok(self.tokenizer().encode_prompt(text, SpecialTokens::Literal)),
            Prompt::Chat { user } => self.encode_messages(&[Message::new(Role::User, user.as_str())]).await,
        }
    }

    /// The ids of a second turn: the whole conversation is rendered and encoded as one.
    ///
    /// # Errors
    /// As [`Engine::encode`].
    pub async fn encode_second_turn(&self, turn: &Turn<'_>) -> Result<Vec<TokenId>, GenerateError> {
        self.encode_messages(&[
            Message::new(Role::User, turn.user),
            Message::new(Role::Assistant, turn.reply),
            Message::new(Role::User, turn.follow_up),
        ])
        .await
    }

    async fn encode_messages(&self, messages: &[Message]) -> Result<Vec<TokenId>, GenerateError> {
        let template = self.chat_template()?;
        Ok(self.tokenizer().encode_chat(self.template_host(), template, messages, true).await?.ids)
    }
}
