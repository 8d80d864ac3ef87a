//! `lastbit compare`: cold A, cold B and warm, told as text or as JSON.

use clap::Args;
use serde_json::json;

use super::compare_text::{device_words, told};
use super::failure::{Ended, Failure};
use super::numerics::NumericsArgs;
use super::output::{print, print_json};
use super::prompt::{PromptArgs, ScenarioArgs};
use super::start::{self, Asked, ModelArgs, TwinArgs, template_report};
use crate::compare::corruption::judge_last_run;
use crate::compare::{
    CompareEvent, CompareRequest, Comparison, Runs, SHAPE_TOKENS, ShapeCheck, TwinCheck, Verdict, check_shapes,
    compare, twin_check,
};
use crate::generate::{CancelToken, Engine, EngineOptions, RunEvent};
use crate::model::Pass;

/// Most sequences beside the prompt's in one step of the check of shapes.
const MOST_NEIGHBOURS: u32 = 4;

/// What to compare.
#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    #[command(flatten)]
    prompt: PromptArgs,
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// A text that goes through the cache between the cold runs and the warm one; may be given several times
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    before: Vec<String>,
    /// Most tokens of each run
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    max_tokens: u32,
    #[command(flatten)]
    numerics: NumericsArgs,
    #[command(flatten)]
    twin: TwinArgs,
    /// Run everything on the CPU twin too and say whether the device gave the same bits (claim level L4); slow
    #[arg(long, conflicts_with = "twin")]
    check_twin: bool,
    /// Hold the warm run's cache against a cold run and the rounding of the formats, and say whether it is noise or corruption
    #[arg(long, conflicts_with = "twin")]
    check_noise: bool,
    /// Run the prompt in other chunks, with other reuse and beside other sequences, and say whether every bit stays (claim level L2)
    #[arg(long, conflicts_with = "twin")]
    check_shapes: bool,
    #[command(flatten)]
    model: ModelArgs,
    /// Print JSON instead of text
    #[arg(long)]
    pub(super) json: bool,
}

impl CompareArgs {
    fn request(&self) -> Result<CompareRequest, Failure> {
        Ok(CompareRequest {
            prompt: self.prompt.prompt()?,
            scenario: self.scenario.scenario(),
            before: self.before.clone(),
            max_tokens: self.max_tokens as usize,
        })
    }
}

/// Compares and prints; what was computed before a failure is printed too.
pub(super) async fn run(args: &CompareArgs) -> Result<Ended, Failure> {
    let (numerics, request) = (args.numerics.numerics()?, args.request()?);
    let asked = Asked { prompt: &request.prompt, scenario: &request.scenario, before: &request.before };
    let checked = args.model.checked()?;
    if args.twin.twin {
        checked.check_asked(&asked, EngineOptions::default()).await?;
        let mut engine = checked.twin_engine(numerics)?;
        let runs = runs(&request, &mut engine, "").await;
        return conclude(args, &request, &engine, &runs, start::TWIN, start::twin_report(), Checks::default());
    }
    let n_sequences = if args.check_shapes { 1 + MOST_NEIGHBOURS } else { 1 + u32::from(args.check_noise) };
    let options = EngineOptions { n_sequences, ..EngineOptions::default() };
    checked.check_asked(&asked, options).await?;
    let mut engine = checked.engine(numerics, options).await?;
    let mut on_device = runs(&request, &mut engine, "").await;
    if args.check_noise
        && let Some(warm) = &on_device.warm
    {
        let progress = start::spinner();
        progress.set_message("the warm run's cache against a cold run in finer arithmetic");
        let judged = judge_last_run(&mut engine, warm.prompt_tokens).await;
        progress.finish_and_clear();
        match judged {
            Ok(judgement) => on_device.noise = judgement,
            Err(error) => on_device.error = Some(error),
        }
    }
    let report = engine.device().report().clone();
    let mut checks = Checks::default();
    if args.check_shapes && on_device.error.is_none() {
        checks.shapes = shape_check(&mut engine, &on_device).await?;
    }
    if args.check_twin && on_device.error.is_none() {
        let mut twin = args.model.checked_again()?.twin_engine(numerics)?;
        let on_twin = runs(&request, &mut twin, "CPU twin, ").await;
        checks.twin = Some(twin_check(&on_device, &on_twin, &report.fingerprint));
    }
    conclude(args, &request, &engine, &on_device, &device_words(&report), json!(report), checks)
}

/// What was asked for beside the comparison.
#[derive(Debug, Default)]
pub(super) struct Checks {
    /// The prompt in other shapes.
    pub(super) shapes: Option<ShapeCheck>,
    /// The runs on the twin.
    pub(super) twin: Option<TwinCheck>,
}

/// The comparison's prompt in other shapes.
async fn shape_check(engine: &mut Engine, runs: &Runs) -> Result<Option<ShapeCheck>, Failure> {
    let progress = start::spinner();
    let told = |done, of| progress.set_message(format!("the prompt in other shapes: {done} of {of}"));
    let checked = check_shapes(engine, &runs.prompt_ids, SHAPE_TOKENS, &CancelToken::default(), told).await;
    progress.finish_and_clear();
    Ok(checked?)
}

/// The comparison's runs on an engine, wherever it runs, with a line that says how far they are.
async fn runs<P: Pass>(request: &CompareRequest, engine: &mut Engine<P>, machine: &str) -> Runs {
    let progress = start::spinner();
    let on_event = |CompareEvent { run, event }| match event {
        RunEvent::Prefill { done, total } => {
            progress.set_message(format!("{machine}{}: prompt {done} of {total}", run.words()))
        }
        RunEvent::Token { index, .. } => {
            progress.set_message(format!("{machine}{}: token {}", run.words(), index + 1));
        }
        RunEvent::RunStarted { .. } | RunEvent::RunEnded { .. } => {}
    };
    let runs = compare(engine, request, &CancelToken::default(), on_event).await;
    progress.finish_and_clear();
    runs
}

/// Prints the comparison; `machine` is what computed it in words, `report` all that is recorded of it.
fn conclude<P: Pass>(
    args: &CompareArgs,
    request: &CompareRequest,
    engine: &Engine<P>,
    runs: &Runs,
    machine: &str,
    report: serde_json::Value,
    checks: Checks,
) -> Result<Ended, Failure> {
    let comparison = Comparison::new(runs, engine.tokenizer(), args.numerics.formats, args.numerics.order);
    let explained = comparison.error.clone();
    if args.json {
        let sha256: String = engine.model().sha256.iter().map(|byte| format!("{byte:02x}")).collect();
        print_json(&json!({
            "device": report,
            "model": { "name": engine.model().config.name, "sha256": sha256 },
            "tokenizer": engine.tokenizer().report(),
            "template": template_report(engine),
            "numerics": engine.numerics(),
            "weights_method": engine.numerics().weights.method(),
            "request": request,
            "comparison": comparison,
            "shape_check": checks.shapes,
            "twin_check": checks.twin,
            "error": explained,
        }))?;
    } else {
        print(&told(&comparison, engine, machine, &checks))?;
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
