//! What the page is told while something goes on.

use serde::Serialize;

use crate::compare::report::{StepReport, step_report};
use crate::compare::{self, RunName};
use crate::generate::{RunEvent, StopReason};
use crate::tokenizer::Tokenizer;

/// What a comparison tells while it goes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CompareEvent {
    /// A run begins.
    RunStarted {
        /// Which.
        run: RunName,
        /// Tokens in the prompt.
        prompt_tokens: usize,
        /// Of these taken from the cache.
        reused_tokens: usize,
    },
    /// A prefill step is done.
    Prefill {
        /// Of which run.
        run: RunName,
        /// Prompt tokens in the cache now.
        done: usize,
        /// Tokens in the prompt.
        total: usize,
    },
    /// A token was chosen.
    Token {
        /// In which run.
        run: RunName,
        /// Its number in the answer, from 0.
        index: usize,
        /// Text that it completes, to be appended: empty while a character is unfinished.
        text: String,
        /// The step.
        step: StepReport,
    },
    /// A run ended.
    RunEnded {
        /// Which.
        run: RunName,
        /// Why.
        stop: StopReason,
    },
}

impl CompareEvent {
    /// An event with its tokens in words.
    pub fn new(compare::CompareEvent { run, event }: compare::CompareEvent, tokenizer: &Tokenizer) -> Self {
        match event {
            RunEvent::RunStarted { prompt_tokens, reused_tokens } => {
                Self::RunStarted { run, prompt_tokens, reused_tokens }
            }
            RunEvent::Prefill { done, total } => Self::Prefill { run, done, total },
            RunEvent::Token { index, text, step } => {
                Self::Token { run, index, text, step: step_report(&step, tokenizer) }
            }
            RunEvent::RunEnded { stop } => Self::RunEnded { run, stop },
        }
    }
}

/// How far a series of cases is: an ablation, a check of shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CasesDone {
    /// Cases done.
    pub done: usize,
    /// Cases in all.
    pub of: usize,
}
