//! `lastbit origin`: the first bit that sets a warm run apart from a cold one, and the kernel that wrote it.

use clap::Args;
use serde_json::json;

use super::failure::{Ended, Failure};
use super::output::{print, print_json, printable, quoted, word};
use super::replay::ReplayArgs;
use super::start;
use crate::compare::Origin;
use crate::compare::dissection::{Dissection, Extent, dissect};
use crate::error::explain;
use crate::generate::{CancelToken, Engine};
use crate::model::{Tap, TapTensor};

/// What is run, and how far.
#[derive(Debug, Args)]
pub(super) struct OriginArgs {
    #[command(flatten)]
    pub(super) replay: ReplayArgs,
    /// Go on behind the fork, both runs fed the cold run's tokens
    #[arg(long)]
    beyond_fork: bool,
}

/// Runs the prompt cold and warm side by side and prints where they part; what was found before a failure is printed too.
pub(super) async fn run(OriginArgs { replay: args, beyond_fork }: &OriginArgs) -> Result<Ended, Failure> {
    let (prompt, scenario) = (args.prompt()?, args.scenario());
    let mut engine = args.engine().await?;
    let progress = start::spinner();
    progress.set_message("both runs side by side, then the first bit that differs");
    let extent = Extent { max_tokens: args.max_tokens as usize, beyond_fork: *beyond_fork };
    let found = dissect(&mut engine, (&prompt, &scenario), extent, &CancelToken::default(), |_| ()).await;
    progress.finish_and_clear();
    let explained = found.error.as_ref().map(explain);
    if args.json {
        let mut record = json!(found.report());
        record["device"] = json!(engine.device().report());
        record["numerics"] = json!(engine.numerics());
        record["prompt"] = json!(prompt);
        record["scenario"] = json!(scenario);
        print_json(&record)?;
    } else {
        print(&told(&found, &engine))?;
    }
    if let Some(explained) = explained {
        let failure = Failure::Explained(explained);
        // The record above already holds the failure; here it goes to a person.
        super::tell(&failure, false);
        return Ok(Ended::Failed(failure.exit_code()));
    }
    Ok(Ended::Fine)
}

fn told(found: &Dissection, engine: &Engine) -> String {
    let report = engine.device().report();
    let device = format!("{} ({}), kernels {}", report.name, report.backend, word(&report.family));
    let mut text = format!("device    {}\n", printable(&device));
    text +=
        &format!("prompt    {} tokens, {} of them reused by the warm run\n", found.prompt.len(), found.reused_tokens);
    let decoded = found.decoded.len();
    text += &match &found.fork {
        Some(fork) => {
            let token = |id| quoted(&engine.tokenizer().token_text(id));
            let (cold, warm) = (token(fork.cold_id), token(fork.warm_id));
            format!("fork      token {}: cold {cold}, warm {warm}\n", fork.index)
        }
        None => format!("fork      none: both runs chose the same {} tokens\n", decoded + 1),
    };
    text +=
        &format!("bits      some logit differs in {} of {} steps\n", found.steps_with_different_logits, decoded + 1);
    text += &noise(found).unwrap_or_default();
    let Some(sentence) = found.sentence() else { return text };
    text += &format!("origin    {sentence}\n");
    if let Some(origin) = found.search.as_ref().and_then(|search| search.origin.as_ref()) {
        text += &table(origin);
    }
    text
}

/// How the pair's margin went on the way to the fork, and how likely flips were by the noise that was measured.
fn noise(found: &Dissection) -> Option<String> {
    const MOST_MARGINS: usize = 8;
    let law = found.flip_law()?;
    let risks: Vec<f64> = found.steps.iter().map(|step| law.flip_chance(step.gap)).collect();
    let n_safe = found.steps.iter().filter(|step| step.is_safe()).count();
    let n_steps = found.steps.len();
    let mut text = format!(
        "noise     the gap of the two largest logits moves by {:.3} (root mean square); by that {:.2} flips were to be expected in {n_steps} steps\n",
        law.spread,
        risks.iter().sum::<f64>()
    );
    text += &format!("safe      {n_safe} of {n_steps} steps: the gap is over twice the largest change of a logit\n");
    if let Some(fork) = &found.fork {
        let gap = fork.cold_gap;
        text += &format!(
            "risk      {:.0} % at the fork, where the cold run's gap is {gap:.4}\n",
            100.0 * risks.get(fork.index).copied().unwrap_or(0.0)
        );
        let from = (fork.index + 1).saturating_sub(MOST_MARGINS);
        let on_the_way = &found.steps[from..=fork.index];
        for (name, run) in [("cold", 0), ("warm", 1)] {
            // A failure on the way to them leaves steps without margins; it is told by itself.
            let margins: Option<Vec<[f64; 2]>> = on_the_way.iter().map(|step| step.pair_margin).collect();
            let Some(margins) = margins else { continue };
            let margins: Vec<String> = margins.iter().map(|margin| format!("{:+.3}", margin[run])).collect();
            text += &format!("margin    {name}, tokens {from} to {}: {}\n", fork.index, margins.join(" "));
        }
    }
    Some(text)
}

/// Per layer of the origin's position, the largest distance in ulp.
fn table(origin: &Origin) -> String {
    const COLUMNS: [(TapTensor, &str); 7] = [
        (TapTensor::Q, "Q"),
        (TapTensor::K, "K"),
        (TapTensor::V, "V"),
        (TapTensor::AttentionOutput, "attention"),
        (TapTensor::ResidualAfterAttention, "residual"),
        (TapTensor::FfnHidden, "FFN hidden"),
        (TapTensor::ResidualAfterFfn, "residual"),
    ];
    let of = |layer, tensor| origin.taps.iter().find(|tap| (tap.layer, tap.tensor) == (layer, tensor));
    let cell = |tap: Option<&Tap>| match tap.and_then(|tap| tap.difference) {
        Some(difference) if difference.is_none() => "=".to_owned(),
        Some(difference) => difference.largest_ulp.to_string(),
        None => String::new(),
    };
    let mut text =
        format!("\nLargest distance in ulp at position {}; = where every bit is equal.\n\nlayer", origin.position);
    text += &COLUMNS.map(|(_, name)| format!("{name:>12}")).concat();
    text.push('\n');
    let n_layers = origin.taps.iter().filter_map(|tap| tap.layer).max().map_or(0, |last| last + 1);
    for layer in 0..n_layers {
        let row = COLUMNS.map(|(tensor, _)| format!("{:>12}", cell(of(Some(layer), tensor))));
        text += &format!("{layer:>5}{}\n", row.concat());
    }
    if let Some(logits) = of(None, TapTensor::Logits) {
        text += &format!("logits {:>10}\n", cell(Some(logits)));
    }
    text
}
