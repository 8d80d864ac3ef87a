//! What `lastbit origin`, `ablation` and `transplant` are told: a prompt that is run cold and warm side by side.

use clap::Args;

use super::failure::Failure;
use super::numerics::NumericsArgs;
use super::prompt::{PromptArgs, ScenarioArgs};
use super::start::{Asked, ModelArgs};
use crate::compare::Scenario;
use crate::generate::{Engine, EngineOptions, Prompt};

/// A prompt, and how far its two runs go.
#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    #[command(flatten)]
    prompt: PromptArgs,
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// Most tokens to decode on the way to the fork
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) max_tokens: u32,
    #[command(flatten)]
    numerics: NumericsArgs,
    #[command(flatten)]
    model: ModelArgs,
    /// Print JSON instead of text
    #[arg(long)]
    pub(super) json: bool,
}

impl ReplayArgs {
    pub(super) fn prompt(&self) -> Result<Prompt, Failure> {
        self.prompt.prompt()
    }

    pub(super) fn scenario(&self) -> Scenario {
        self.scenario.scenario()
    }

    /// An engine with room for two runs of the prompt. One that is too long is refused before anything is loaded.
    pub(super) async fn engine(&self) -> Result<Engine, Failure> {
        let (numerics, prompt, scenario) = (self.numerics.numerics()?, self.prompt()?, self.scenario());
        let options = EngineOptions { n_sequences: 2, ..EngineOptions::default() };
        let checked = self.model.checked()?;
        checked.check_asked(&Asked { prompt: &prompt, scenario: &scenario, before: &[] }, options).await?;
        checked.engine(numerics, options).await
    }
}
