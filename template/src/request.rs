//! What is asked of a renderer, and what it answers.

use serde::{Deserialize, Serialize};

use crate::{Message, RenderError};

/// Conversations to render with one template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenderRequest {
    /// The Jinja source.
    pub source: String,
    /// What `bos_token` inserts.
    pub bos_token: String,
    /// What `eos_token` inserts.
    pub eos_token: String,
    /// What `strftime_now` shows, in seconds since 1970 (UTC).
    pub now: i64,
    /// The conversations.
    pub conversations: Vec<Vec<Message>>,
    /// Whether each ends where the model's answer begins.
    pub add_generation_prompt: bool,
}

/// For each conversation its text, or what is wrong with the template or with the conversation.
pub type RenderReply = Vec<Result<String, RenderError>>;
