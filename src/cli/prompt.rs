//! A prompt from the command line: text to complete, or a chat message.

use clap::Args;

use crate::generate::Prompt;

/// Text to complete, or a chat message; one of the two.
#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false)]
pub(super) struct PromptArgs {
    /// Text to be continued
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    complete: Option<String>,
    /// Chat message, put into the model's template
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    chat: Option<String>,
}

impl PromptArgs {
    /// The prompt.
    pub(super) fn prompt(&self) -> Prompt {
        match (&self.chat, &self.complete) {
            (Some(user), _) => Prompt::Chat { user: user.clone() },
            (None, text) => Prompt::Complete { text: text.clone().unwrap_or_default() },
        }
    }
}
