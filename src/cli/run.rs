//! `lastbit run`: one answer, streamed.

use clap::Args;
use serde_json::json;

use super::failure::{Ended, Failure};
use super::numerics::NumericsArgs;
use super::output::{print, print_json, printable};
use super::prompt::PromptArgs;
use super::start::{self, ModelArgs, TwinArgs};
use crate::generate::{CancelToken, Engine, EngineOptions, Prompt, RunEvent, RunOptions, RunTrace};
use crate::model::Pass;

/// What to answer and how.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    prompt: PromptArgs,
    /// Most tokens of the answer
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    max_tokens: u32,
    #[command(flatten)]
    numerics: NumericsArgs,
    #[command(flatten)]
    twin: TwinArgs,
    #[command(flatten)]
    model: ModelArgs,
    /// Print the whole run as JSON at its end instead of the text as it comes
    #[arg(long)]
    pub(super) json: bool,
}

/// Streams the answer to standard output and a line of numbers to standard error.
pub(super) async fn run(args: &RunArgs) -> Result<Ended, Failure> {
    let (numerics, prompt) = (args.numerics.numerics()?, args.prompt.prompt()?);
    let (checked, options) = (args.model.checked()?, EngineOptions::default());
    checked.check_prompt(&prompt, options).await?;
    if args.twin.twin {
        let engine = checked.twin_engine(numerics)?;
        return answer(args, &prompt, engine, start::TWIN, start::twin_report()).await;
    }
    let engine = checked.engine(numerics, options).await?;
    let device = engine.device().report().clone();
    answer(args, &prompt, engine, &device.name, json!(device)).await
}

/// The answer of an engine that is ready, wherever it runs; `machine` is its name, `report` all that is recorded of it.
async fn answer<P: Pass>(
    args: &RunArgs,
    prompt: &Prompt,
    mut engine: Engine<P>,
    machine: &str,
    report: serde_json::Value,
) -> Result<Ended, Failure> {
    let prompt = engine.encode(prompt).await?;
    let cancel = CancelToken::default();
    let (mut text, mut unwritten) = (String::new(), None);
    let on_event = |event| {
        let RunEvent::Token { text: piece, .. } = event else { return };
        text.push_str(&piece);
        // When nobody reads on, there is nothing more to compute.
        if !args.json
            && unwritten.is_none()
            && let Err(failure) = print(&printable(&piece))
        {
            unwritten = Some(failure);
            cancel.cancel();
        }
    };
    let trace = engine.run(&prompt, RunOptions::tokens(args.max_tokens as usize), &cancel, on_event).await?;
    if let Some(failure) = unwritten {
        return Err(failure);
    }
    if args.json {
        print_json(&json!({
            "device": report,
            "formats": args.numerics.formats,
            "order": args.numerics.order,
            "numerics": engine.numerics(),
            "weights_method": engine.numerics().weights.method(),
            "tokenizer": engine.tokenizer().report(),
            "template": start::template_report(&engine),
            "prompt_text": String::from_utf8_lossy(&engine.tokenizer().decode(&prompt)),
            "prompt_ids": prompt,
            "text": text,
            "run": trace,
        }))?;
    } else {
        print("\n")?;
        eprintln!("{}", numbers(machine, &trace));
    }
    Ok(Ended::Fine)
}

/// Device, counts and speed in one line.
fn numbers(machine: &str, trace: &RunTrace) -> String {
    let stop = serde_json::to_value(trace.stop).ok();
    format!(
        "[{}; {} prompt tokens, first token after {:.0} ms; {} tokens at {:.1} ms each; {}]",
        printable(machine),
        trace.prompt_tokens,
        trace.time_to_first_token_ms.unwrap_or(0.0),
        trace.steps.len(),
        ms_per_token(trace.steps.iter().map(|step| step.elapsed_ms)).unwrap_or(0.0),
        stop.as_ref().and_then(|stop| stop.as_str()).unwrap_or_default(),
    )
}

/// Mean milliseconds of the steps after the first, which holds the prefill.
pub(super) fn ms_per_token(steps_ms: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut n, mut sum) = (0_u32, 0.0);
    for step_ms in steps_ms.skip(1) {
        n += 1;
        sum += step_ms;
    }
    (n > 0).then(|| sum / f64::from(n))
}
