//! A prompt from the command line: text to complete, or a chat message.

use clap::Args;

use super::failure::Failure;
use crate::compare::Scenario;
use crate::generate::{GenerateError, Prompt};

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
    /// The prompt; an empty one is refused before anything is opened.
    pub(super) fn prompt(&self) -> Result<Prompt, Failure> {
        let prompt = match (&self.chat, &self.complete) {
            (Some(user), _) => Prompt::Chat { user: user.clone() },
            (None, text) => Prompt::Complete { text: text.clone().unwrap_or_default() },
        };
        let (Prompt::Chat { user: text } | Prompt::Complete { text }) = &prompt;
        if text.is_empty() { Err(GenerateError::EmptyPrompt.into()) } else { Ok(prompt) }
    }
}

/// Where the warm run's cache comes from.
#[derive(Debug, Args)]
pub(super) struct ScenarioArgs {
    /// Take the second turn of a chat: this message follows the model's answer to the first [needs --chat]
    #[arg(long, value_name = "FOLLOW_UP", conflicts_with = "complete", allow_hyphen_values = true)]
    second_turn: Option<String>,
    /// Most tokens of the answer to the first turn
    #[arg(long, value_name = "N", default_value_t = 40, requires = "second_turn", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    reply_tokens: u32,
}

impl ScenarioArgs {
    pub(super) fn scenario(&self) -> Scenario {
        match &self.second_turn {
            Some(follow_up) => {
                Scenario::SecondTurn { follow_up: follow_up.clone(), reply_tokens: self.reply_tokens as usize }
            }
            None => Scenario::SamePrompt,
        }
    }
}
