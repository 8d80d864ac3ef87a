//! `lastbit compare`: cold A, cold B and warm, told as text or as JSON.

use clap::Args;
use serde_json::json;

use super::compare_text::told;
use super::failure::{Ended, Failure};
use super::output::{print, print_json};
use super::prompt::PromptArgs;
use super::start::{self, ModelArgs, NumericsArgs};
use crate::compare::{CompareEvent, CompareRequest, Comparison, Scenario, Verdict, compare};
use crate::generate::{CancelToken, RunEvent};

/// What to compare.
#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    #[command(flatten)]
    prompt: PromptArgs,
    /// Compare the second turn of a chat: this message follows the model's answer to the first [needs --chat]
    #[arg(long, value_name = "FOLLOW_UP", conflicts_with = "complete", allow_hyphen_values = true)]
    second_turn: Option<String>,
    /// Most tokens of the answer to the first turn
    #[arg(long, value_name = "N", default_value_t = 40, requires = "second_turn", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    reply_tokens: u32,
    /// A text that goes through the cache between the cold runs and the warm one; may be given several times
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    before: Vec<String>,
    /// Most tokens of each run
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    max_tokens: u32,
    #[command(flatten)]
    numerics: NumericsArgs,
    #[command(flatten)]
    model: ModelArgs,
    /// Print JSON instead of text
    #[arg(long)]
    pub(super) json: bool,
}

impl CompareArgs {
    fn request(&self) -> CompareRequest {
        CompareRequest {
            prompt: self.prompt.prompt(),
            scenario: match &self.second_turn {
                Some(follow_up) => {
                    Scenario::SecondTurn { follow_up: follow_up.clone(), reply_tokens: self.reply_tokens as usize }
                }
                None => Scenario::SamePrompt,
            },
            before: self.before.clone(),
            max_tokens: self.max_tokens as usize,
        }
    }
}

/// Compares and prints; what was computed before a failure is printed too.
pub(super) async fn run(args: &CompareArgs) -> Result<Ended, Failure> {
    let request = args.request();
    let mut engine = start::engine(&args.model, args.numerics.numerics()).await?;
    let progress = start::spinner();
    let on_event = |CompareEvent { run, event }| match event {
        RunEvent::Prefill { done, total } => progress.set_message(format!("{}: prompt {done} of {total}", run.words())),
        RunEvent::Token { index, .. } => progress.set_message(format!("{}: token {}", run.words(), index + 1)),
        RunEvent::RunStarted { .. } | RunEvent::RunEnded { .. } => {}
    };
    let runs = compare(&mut engine, &request, &CancelToken::default(), on_event).await;
    progress.finish_and_clear();

    let comparison = Comparison::new(&runs, engine.tokenizer(), args.numerics.formats(), args.numerics.order());
    let explained = comparison.error.clone();
    if args.json {
        let sha256: String = engine.model().sha256.iter().map(|byte| format!("{byte:02x}")).collect();
        print_json(&json!({
            "device": engine.device().report(),
            "model": { "name": engine.model().config.name, "sha256": sha256 },
            "weights": engine.numerics().weights,
            "weights_method": engine.numerics().weights.method(),
            "chunk_rows": engine.numerics().chunk_rows,
            "request": request,
            "comparison": comparison,
            "error": explained,
        }))?;
    } else {
        print(&told(&comparison, &engine))?;
    }
    if let Some(explained) = explained {
        let failure = Failure::Explained(explained);
        // The record above already holds the failure; here it goes to a person.
        super::tell(&failure, false);
        return Ok(Ended::Failed(failure.exit_code()));
    }
    Ok(match comparison.verdict {
        Verdict::Error => Ended::VerdictError,
        Verdict::ControlFailed => Ended::ControlFailed,
        _ => Ended::Fine,
    })
}
