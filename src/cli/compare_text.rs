//! A comparison told to a person: device, runs, the shared trunk and both arms, the fork, the verdict with its control and exposure.

use super::compare::Checks;
use super::output::{indented, printable, quoted, word};
use super::run::ms_per_token;
use crate::compare::report::{ForkReport, RunReport};
use crate::compare::{ClaimLevel, Comparison, RunName, ShapeCheck, TwinCheck, Verdict};
use crate::generate::Engine;
use crate::gpu::DeviceReport;
use crate::model::Pass;

/// The whole text; `machine` is what computed it.
pub(super) fn told<P: Pass>(comparison: &Comparison, engine: &Engine<P>, machine: &str, checks: &Checks) -> String {
    let mut text = head(comparison, engine, machine);
    text += &runs(comparison);
    text += &trunk_and_arms(comparison, engine);
    if let Some(fork) = &comparison.fork {
        text += &fork_lines(fork);
    }
    if let Some(index) = comparison.first_differing_logits {
        text += &field("bits", &format!("the logits of token {index} are the first in which a bit differs"));
    }
    text += &verdict_lines(comparison);
    text += &comparison.noise.map(|noise| field("judged", &noise.words())).unwrap_or_default();
    text += &checks.shapes.as_ref().map(shapes_line).unwrap_or_default();
    text += &checks.twin.as_ref().map(twin_line).unwrap_or_default();
    text
}

fn field(name: &str, value: &str) -> String {
    format!("{name:<10}{value}\n")
}

/// A device in one line.
pub(super) fn device_words(report: &DeviceReport) -> String {
    let subgroups = match report.subgroup_size {
        Some(size) if report.subgroups => format!("subgroups of {size}"),
        _ if report.subgroups => "subgroups".to_owned(),
        _ => "no subgroups".to_owned(),
    };
    format!("{} ({}), kernels {}, {subgroups}", report.name, report.backend, word(&report.family))
}

fn head<P: Pass>(comparison: &Comparison, engine: &Engine<P>, machine: &str) -> String {
    let model = engine.model();
    let sha256: String = model.sha256[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    let numerics = format!(
        "{}, weights {}, order {}, at most {} rows per prefill step",
        word(&comparison.formats),
        word(&engine.numerics().weights),
        word(&comparison.order),
        engine.numerics().chunk_rows
    );
    field("device", &printable(machine))
        + &field("model", &printable(&format!("{}, SHA-256 {sha256}…", model.config.name)))
        + &field("formats", &numerics)
        + "\n"
}

fn runs(comparison: &Comparison) -> String {
    let mut text = String::from("run         prompt  reused  tokens  first token  per token  stop\n");
    for run in &comparison.runs {
        let ms = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |ms| format!("{ms:.1} ms"));
        text += &format!(
            "{:<10}  {:>6}  {:>6}  {:>6}  {:>11}  {:>9}  {}\n",
            run.run.words(),
            run.prompt_tokens,
            run.reused_tokens,
            run.steps.len(),
            ms(run.time_to_first_token_ms),
            ms(ms_per_token(run.steps.iter().map(|step| step.elapsed_ms))),
            word(&run.stop),
        );
    }
    text + "\n"
}

/// What both answers say, then each for itself.
fn trunk_and_arms<P: Pass>(comparison: &Comparison, engine: &Engine<P>) -> String {
    let run = |name: RunName| comparison.runs.iter().find(|run| run.run == name);
    let decoded = |run: &RunReport, from: usize, to: usize| {
        let ids: Vec<u32> = run.steps.iter().map(|step| step.id).skip(from).take(to - from).collect();
        indented(&printable(&String::from_utf8_lossy(&engine.tokenizer().decode(&ids))))
    };
    let Some(cold) = run(RunName::ColdB).or_else(|| run(RunName::ColdA)) else { return String::new() };
    let Some((fork, warm)) = comparison.fork.as_ref().zip(run(RunName::Warm)) else {
        let name = if run(RunName::Warm).is_some() { "both" } else { "cold" };
        return field(name, &decoded(cold, 0, cold.steps.len())) + "\n";
    };
    let both = if fork.index == 0 { "(nothing: they fork at once)".to_owned() } else { decoded(cold, 0, fork.index) };
    field("both", &both)
        + &field("cold", &decoded(cold, fork.index, cold.steps.len()))
        + &field("warm", &decoded(warm, fork.index, warm.steps.len()))
        + "\n"
}

fn fork_lines(fork: &ForkReport) -> String {
    let (cold, warm) = (quoted(&fork.cold.text), quoted(&fork.warm.text));
    let place = format!("token {}: cold {cold} (id {}), warm {warm} (id {})", fork.index, fork.cold.id, fork.warm.id);
    let margins = format!(
        "logit of {cold} minus logit of {warm}: {} in the cold run, {} in the warm one",
        margin(fork.cold_pair_margin),
        margin(fork.warm_pair_margin)
    );
    field("fork", &place) + &field("", &margins)
}

fn verdict_lines(comparison: &Comparison) -> String {
    let verdict = format!("{}: {}", word(&comparison.verdict), meaning(comparison.verdict));
    let control = match comparison.control {
        None => "none: one of the cold runs did not end",
        Some(control) if !control.same_tokens => "failed: cold A and cold B chose different tokens",
        Some(control) if !control.same_bits => "failed: cold A and cold B chose the same tokens with different bits",
        Some(_) => "passed: cold A and cold B are equal in every bit",
    };
    let exposure = match comparison.runs.iter().find(|run| run.run == RunName::Warm) {
        Some(warm) => format!("{} of {} prompt tokens reused by the warm run", warm.reused_tokens, warm.prompt_tokens),
        None => "none: no warm run".to_owned(),
    };
    field("verdict", &verdict) + &field("control", control) + &field("exposure", &exposure) + &claim_line(comparison)
}

/// The claim level that the comparison shows of the device, without what the twin adds.
fn claim_line(comparison: &Comparison) -> String {
    let what = match comparison.claim {
        None => return String::new(),
        Some(ClaimLevel::L0) => "runs repeated give equal bits",
        Some(_) => "the warm run gives the cold run's bits, by an order that promises it",
    };
    field("claim", &format!("{}: {what}", word(&comparison.claim)))
}

/// What the prompt in other shapes showed.
fn shapes_line(checked: &ShapeCheck) -> String {
    let ShapeCheck { shapes, n_differing, n_tokens, claim, .. } = checked;
    let found = match n_differing {
        0 => format!("the same bits in all {} (chunks, reuse, neighbours), {n_tokens} tokens each", shapes.len()),
        n => format!("other bits in {n} of {} (chunks, reuse, neighbours), {n_tokens} tokens each", shapes.len()),
    };
    let words = match claim {
        Some(level) => format!("{level:?} holds: {found}"),
        None => format!("L2 is not claimed: {found}"),
    };
    field("shapes", &words)
}

/// What a run on the twin showed.
fn twin_line(checked: &TwinCheck) -> String {
    let TwinCheck { n_steps, claim, reason, .. } = checked;
    let words = match (claim, reason) {
        (Some(level), _) => format!("{level:?} holds: all {n_steps} tokens have the bits of the CPU twin"),
        (None, reason) => format!("L4 is not claimed: {}", reason.as_deref().unwrap_or("nothing was compared")),
    };
    field("twin", &words)
}

fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Error => "a run broke off",
        Verdict::Cancelled => "a run was stopped",
        Verdict::ControlFailed => "this device does not repeat itself, so cold and warm cannot be compared",
        Verdict::Vacuous => "nothing was put to the test",
        Verdict::Corrupt => "the difference is larger than an order of addition explains",
        Verdict::Tie => "the answers part where two logits are exactly equal",
        Verdict::Forked => "the cold and the warm run chose different tokens",
        Verdict::SameTokens => "the same tokens, but some logits differ in a bit",
        Verdict::BitIdentical => "the same tokens and the same bits of every logit",
    }
}

/// A signed margin, or that the other token was not among the five largest.
fn margin(value: Option<f64>) -> String {
    value.map_or_else(|| "(not in the top five)".to_owned(), |value| format!("{value:+.6}"))
}
