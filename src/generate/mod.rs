//! From a prompt to tokens: prefill, decode, stop.
//!
//! [`Engine`] owns a model, its forward pass and its cache. [`Engine::run`] is the loop; each run leaves a [`RunTrace`].

mod cancel;
mod engine;
mod error;
mod model_check;
mod prompt;
mod prompt_encoder;
mod run;
pub mod trace;

pub use cancel::CancelToken;
pub use engine::{Engine, EngineOptions, LastRun};
pub use error::GenerateError;
pub use model_check::{ModelCheck, check_model};
pub use prompt::{Prompt, Turn};
pub use prompt_encoder::{PromptEncoder, check_prompt};
pub use run::{RunEvent, RunOptions};
pub use trace::{RunTrace, Step, StopReason};
