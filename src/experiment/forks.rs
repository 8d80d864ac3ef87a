//! How often does a warm answer fork from the cold one? The same prompts under every scenario, format and order.
//!
//! One [`Case`] is one comparison: cold A, cold B, warm. Cases do not depend on each other, so an experiment that was
//! interrupted goes on where it stopped: [`remaining`] says which cases have no outcome yet.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use web_time::Instant;

use super::prompts::{FOLLOW_UP, PROMPTS};
use crate::compare::report::ForkReport;
use crate::compare::{CompareRequest, Comparison, Scenario, Verdict, compare};
use crate::generate::{CancelToken, Engine, GenerateError, Prompt};
use crate::model::ModelError;
use crate::numerics::{Formats, Numerics, Order};

/// Where the warm run's cache comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScenarioName {
    /// The same prompt was sent before.
    S1,
    /// The prompt is the second turn of a chat.
    S2,
}

/// What the prompts are compared under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arm {
    /// Where the warm run's cache comes from.
    pub scenario: ScenarioName,
    /// Formats.
    pub formats: Formats,
    /// Order of addition.
    pub order: Order,
}

/// One comparison to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Number of the prompt in [`PROMPTS`].
    pub prompt: usize,
    /// Under what.
    #[serde(flatten)]
    pub arm: Arm,
}

/// What all cases of one experiment share. Outcomes under other settings are other results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Version of this program.
    pub version: String,
    /// SHA-256 of the model file.
    pub model_sha256: String,
    /// Device and driver.
    pub device: String,
    /// Kernel family.
    pub family: String,
    /// Most rows of one prefill step.
    pub chunk_rows: u32,
    /// Most tokens of each run.
    pub max_tokens: usize,
    /// S2: most tokens of the first turn's answer.
    pub reply_tokens: usize,
    /// SHA-256 of the prompts and the follow-up.
    pub prompts_sha256: String,
}

impl Settings {
    /// The settings of this engine, with limits on the lengths of the answers.
    pub fn new(engine: &Engine, max_tokens: usize, reply_tokens: usize) -> Self {
        let report = engine.device().report();
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            model_sha256: hex_digits(&engine.model().sha256),
            device: format!("{} ({}, {})", report.name, report.backend, report.driver),
            family: format!("{:?}", report.family),
            chunk_rows: engine.numerics().chunk_rows,
            max_tokens,
            reply_tokens,
            prompts_sha256: hex_digits(&Sha256::digest([&PROMPTS.join("\n"), FOLLOW_UP].join("\n\n"))),
        }
    }
}

/// Where the runs of a case part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForkFound {
    /// Number of the token, from 0.
    pub index: usize,
    /// The cold run's token there.
    pub cold: String,
    /// The warm run's token there.
    pub warm: String,
    /// Logit of the cold run's token minus logit of the warm run's token, in the cold run.
    pub cold_pair_margin: Option<f64>,
    /// The same in the warm run.
    pub warm_pair_margin: Option<f64>,
}

impl From<&ForkReport> for ForkFound {
    fn from(fork: &ForkReport) -> Self {
        Self {
            index: fork.index,
            cold: fork.cold.text.clone(),
            warm: fork.warm.text.clone(),
            cold_pair_margin: fork.cold_pair_margin,
            warm_pair_margin: fork.warm_pair_margin,
        }
    }
}

/// What one comparison showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Which comparison.
    #[serde(flatten)]
    pub case: Case,
    /// The word for it.
    pub verdict: Verdict,
    /// Cold A and cold B are equal in every bit; none if one of them did not end.
    pub control_equal: Option<bool>,
    /// Where the tokens part.
    pub fork: Option<ForkFound>,
    /// Number of the first token whose logits differ in a bit.
    pub first_differing_logits: Option<usize>,
    /// Tokens in the prompt.
    pub prompt_tokens: usize,
    /// Of these reused by the warm run.
    pub exposure: usize,
    /// Tokens that cold B decoded.
    pub tokens: usize,
    /// What ended it early.
    pub error: Option<String>,
    /// Seconds for the whole comparison.
    pub elapsed_s: f64,
}

/// Every arm, those of equal numerics side by side: changing the numerics compiles kernels.
pub fn arms(scenarios: &[ScenarioName], formats: &[Formats], orders: &[Order]) -> Vec<Arm> {
    let mut arms = Vec::new();
    for &order in orders {
        for &formats in formats {
            arms.extend(scenarios.iter().map(|&scenario| Arm { scenario, formats, order }));
        }
    }
    arms
}

/// The cases of the first `n_prompts` prompts under `arms` that `done` has no outcome of.
pub fn remaining(arms: &[Arm], n_prompts: usize, done: &[Outcome]) -> Vec<Case> {
    let cases = arms.iter().flat_map(|&arm| (0..n_prompts.min(PROMPTS.len())).map(move |prompt| Case { prompt, arm }));
    cases.filter(|case| !done.iter().any(|outcome| outcome.case == *case)).collect()
}

/// Makes one comparison. A run that breaks off is an outcome too, unless the GPU failed: then the case has not been tried.
///
/// # Errors
/// GPU errors, and numerics that cannot be set up on this device.
pub async fn run(
    engine: &mut Engine,
    settings: &Settings,
    case: Case,
    cancel: &CancelToken,
) -> Result<Outcome, GenerateError> {
    let Arm { scenario, formats, order } = case.arm;
    engine.configure(Numerics::new(formats, order, settings.chunk_rows)).await?;
    let request = CompareRequest {
        prompt: Prompt::Chat { user: PROMPTS[case.prompt].to_owned() },
        scenario: match scenario {
            ScenarioName::S1 => Scenario::SamePrompt,
            ScenarioName::S2 => {
                Scenario::SecondTurn { follow_up: FOLLOW_UP.to_owned(), reply_tokens: settings.reply_tokens }
            }
        },
        before: Vec::new(),
        max_tokens: settings.max_tokens,
    };
    let started = Instant::now();
    let runs = compare(engine, &request, cancel, |_| ()).await;
    if let Some(error @ GenerateError::Model(ModelError::Gpu(_))) = runs.error {
        return Err(error);
    }
    let comparison = Comparison::new(&runs, engine.tokenizer(), formats, order);
    Ok(Outcome {
        case,
        verdict: comparison.verdict,
        control_equal: comparison.control.map(|control| control.same_tokens && control.same_bits),
        fork: comparison.fork.as_ref().map(ForkFound::from),
        first_differing_logits: comparison.first_differing_logits,
        prompt_tokens: runs.cold_b.as_ref().map_or(0, |run| run.prompt_tokens),
        exposure: comparison.exposure,
        tokens: runs.cold_b.as_ref().map_or(0, |run| run.steps.len()),
        error: comparison.error.map(|error| error.message),
        elapsed_s: started.elapsed().as_secs_f64(),
    })
}

fn hex_digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_experiment_goes_on_where_it_stopped() {
        let arms = arms(&[ScenarioName::S1, ScenarioName::S2], &[Formats::Int8], &[Order::ByShape, Order::Invariant]);
        assert_eq!(arms.len(), 4);
        assert!(arms[..2].iter().all(|arm| arm.order == Order::ByShape), "numerics change once");
        let all = remaining(&arms, 3, &[]);
        assert_eq!(all.len(), 12);
        let outcome = |case: &Case| Outcome {
            case: *case,
            verdict: Verdict::Forked,
            control_equal: Some(true),
            fork: None,
            first_differing_logits: Some(0),
            prompt_tokens: 40,
            exposure: 39,
            tokens: 80,
            error: None,
            elapsed_s: 1.5,
        };
        let done: Vec<Outcome> = all[..5].iter().map(outcome).collect();
        let written = serde_json::to_string(&done).expect("plain data");
        let read: Vec<Outcome> = serde_json::from_str(&written).expect("what was written");
        assert_eq!(read, done);
        assert_eq!(remaining(&arms, 3, &read), all[5..]);
        assert_eq!(remaining(&arms, 4, &read).len(), 11, "more prompts can be added later");
        assert_eq!(remaining(&arms, 1000, &[]).len(), 4 * PROMPTS.len());
    }
}
