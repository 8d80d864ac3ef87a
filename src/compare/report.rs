//! A comparison as plain data: what the page shows and the command line prints as JSON.

use serde::Serialize;

use super::claim::{ClaimLevel, claim};
use super::comparison::{RunName, Runs};
use super::corruption::Judgement;
use super::fork::{Fork, drift, fork};
use super::verdict::{Fault, RunOutcome, Verdict, verdict};
use crate::error::{Explained, explain};
use crate::generate::{RunTrace, Step, StopReason};
use crate::numerics::{Formats, Order};
use crate::tokenizer::Tokenizer;

/// A candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Token"))]
pub struct TokenReport {
    /// Token id.
    pub id: u32,
    /// Its text, special tokens shown.
    pub text: String,
    /// Its logit.
    pub logit: f32,
}

/// One decoded token.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Step"))]
pub struct StepReport {
    /// The token chosen.
    pub id: u32,
    /// Its text, special tokens shown.
    pub text: String,
    /// The five largest logits, largest first.
    pub top: Vec<TokenReport>,
    /// Largest minus second largest logit.
    pub margin: f64,
    /// Hash of all logits, 32 hex digits.
    pub logits_hash: String,
    /// Milliseconds from the start of the step to its result.
    pub elapsed_ms: f64,
}

/// A token of the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PromptToken {
    /// Token id.
    pub id: u32,
    /// Its text, special tokens shown.
    pub text: String,
    /// Whether it is a control token, which only the chat template or the file's own settings put there.
    pub control: bool,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Run"))]
pub struct RunReport {
    /// Which.
    pub run: RunName,
    /// Tokens in the prompt.
    pub prompt_tokens: usize,
    /// Of these taken from the cache.
    pub reused_tokens: usize,
    /// Tokens decoded.
    pub steps: Vec<StepReport>,
    /// Why it ended.
    pub stop: StopReason,
    /// Milliseconds to the first token; none where the run ended before it.
    pub time_to_first_token_ms: Option<f64>,
    /// Kernels that ran.
    pub kernels: Vec<String>,
}

/// The first token that the cold and the warm run do not share.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Fork"))]
pub struct ForkReport {
    /// Number of the token, from 0.
    pub index: usize,
    /// The cold run's token there.
    pub cold: TokenReport,
    /// The warm run's token there.
    pub warm: TokenReport,
    /// Logit of the cold run's token minus logit of the warm run's token, in the cold run; none where one of them is not among its five
    /// largest.
    pub cold_pair_margin: Option<f64>,
    /// The same in the warm run.
    pub warm_pair_margin: Option<f64>,
}

/// Whether two cold runs agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Control"))]
pub struct ControlReport {
    /// Same tokens.
    pub same_tokens: bool,
    /// Same bits of every logit.
    pub same_bits: bool,
}

/// A comparison as plain data.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Comparison {
    /// The word for it.
    pub verdict: Verdict,
    /// Where the tokens part; none where they are the same.
    pub fork: Option<ForkReport>,
    /// Number of the first token whose logits differ in a bit; none where none does.
    pub first_differing_logits: Option<usize>,
    /// Cold A against cold B; none if one of them did not end.
    pub control: Option<ControlReport>,
    /// What this comparison shows of the device; none where it shows nothing.
    pub claim: Option<ClaimLevel>,
    /// Prompt tokens that the warm run reused.
    pub exposure: usize,
    /// Noise or corruption; none where it was not looked at.
    pub noise: Option<Judgement>,
    /// What ended it early; none unless the verdict is `error`.
    pub error: Option<Explained>,
    /// The prompt of the three runs, token by token; empty where the comparison ended before it was known.
    pub prompt: Vec<PromptToken>,
    /// The runs that ended.
    pub runs: Vec<RunReport>,
    /// Formats.
    pub formats: Formats,
    /// Order of addition.
    pub order: Order,
}

impl Comparison {
    /// Judges the runs and puts token ids into words.
    pub fn new(runs: &Runs, tokenizer: &Tokenizer, formats: Formats, order: Order) -> Self {
        let named = [
            (RunName::FirstTurn, &runs.first_turn),
            (RunName::ColdA, &runs.cold_a),
            (RunName::ColdB, &runs.cold_b),
            (RunName::Warm, &runs.warm),
        ];
        let both = runs.cold_b.as_ref().zip(runs.warm.as_ref());
        let fork = both.and_then(|(cold, warm)| fork_report(&fork(cold, warm)?, cold, warm, tokenizer));
        let control = runs.cold_a.as_ref().zip(runs.cold_b.as_ref()).map(|(a, b)| {
            let same_len = a.steps.len() == b.steps.len();
            let pairs = || a.steps.iter().zip(&b.steps);
            ControlReport {
                same_tokens: same_len && pairs().all(|(a, b)| a.id == b.id) && !runs.first_turn_differs,
                same_bits: same_len && pairs().all(|(a, b)| a.has_bits_of(b)) && !runs.first_turn_differs,
            }
        });
        let verdict = judge(runs);
        Self {
            verdict,
            claim: claim(verdict, control, order),
            fork,
            first_differing_logits: both.and_then(|(cold, warm)| drift(cold, warm)),
            control,
            exposure: runs.warm.as_ref().map_or(0, |warm| warm.reused_tokens),
            noise: runs.noise,
            error: runs.error.as_ref().map(explain),
            prompt: runs.prompt_ids.iter().map(|id| prompt_token(*id, tokenizer)).collect(),
            runs: named
                .iter()
                .filter_map(|(name, trace)| Some(run_report(*name, trace.as_ref()?, tokenizer)))
                .collect(),
            formats,
            order,
        }
    }
}

fn prompt_token(id: u32, tokenizer: &Tokenizer) -> PromptToken {
    PromptToken { id, text: tokenizer.token_text(id), control: tokenizer.is_control(id) }
}

fn judge(runs: &Runs) -> Verdict {
    let mut failed = runs.error.is_some();
    let cold_a = outcome(&runs.cold_a, &mut failed);
    let cold_b = outcome(&runs.cold_b, &mut failed);
    let warm = outcome(&runs.warm, &mut failed);
    let is_corrupt = runs.noise.is_some_and(|noise| noise.is_corrupt());
    let word = verdict(cold_a, cold_b, warm, if is_corrupt { Fault::Found } else { Fault::None });
    // The first turn is run twice from an empty cache: a control too.
    if runs.first_turn_differs && word > Verdict::ControlFailed { Verdict::ControlFailed } else { word }
}

/// A missing run is the failed one if it is the first missing and there was an error.
fn outcome<'a>(run: &'a Option<RunTrace>, failed: &mut bool) -> RunOutcome<'a> {
    match run {
        Some(trace) => RunOutcome::Ended(trace),
        None if std::mem::take(failed) => RunOutcome::Failed,
        None => RunOutcome::NotStarted,
    }
}

fn fork_report(fork: &Fork, cold: &RunTrace, warm: &RunTrace, tokenizer: &Tokenizer) -> Option<ForkReport> {
    let token = |id: u32, step: &Step| TokenReport { id, text: tokenizer.token_text(id), logit: step.top[0].1 };
    let margins = fork.margins.last()?;
    Some(ForkReport {
        index: fork.position,
        cold: token(fork.cold_id, cold.steps.get(fork.position)?),
        warm: token(fork.warm_id, warm.steps.get(fork.position)?),
        cold_pair_margin: margins.cold,
        warm_pair_margin: margins.warm,
    })
}

fn run_report(run: RunName, trace: &RunTrace, tokenizer: &Tokenizer) -> RunReport {
    RunReport {
        run,
        prompt_tokens: trace.prompt_tokens,
        reused_tokens: trace.reused_tokens,
        steps: trace.steps.iter().map(|step| step_report(step, tokenizer)).collect(),
        stop: trace.stop,
        time_to_first_token_ms: trace.time_to_first_token_ms,
        kernels: trace.kernels.clone(),
    }
}

/// A step with its tokens in words.
pub fn step_report(step: &Step, tokenizer: &Tokenizer) -> StepReport {
    let token = |&(id, logit): &(u32, f32)| TokenReport { id, text: tokenizer.token_text(id), logit };
    StepReport {
        id: step.id,
        text: tokenizer.token_text(step.id),
        top: step.top.iter().map(token).collect(),
        margin: step.margin(),
        logits_hash: step.logits_hash.iter().map(|word| format!("{word:08x}")).collect(),
        elapsed_ms: step.elapsed_ms,
    }
}
