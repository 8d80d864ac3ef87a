//! Forced pairs: a cold and a warm run, both fed the cold run's tokens.

use serde::{Deserialize, Serialize};

use super::case::ScenarioName;
use super::prompts::{FOLLOW_UP, PROMPTS};
use super::runs::hex_digits;
use crate::compare::{Pair, PairStep, Scenario, Schedules};
use crate::generate::{Engine, GenerateError, Prompt};

/// One step of both runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepOutcome {
    /// The cold run's choice, fed to both.
    pub cold: u32,
    /// The warm run's choice.
    pub warm: u32,
    /// Largest minus second largest logit of the cold run.
    pub gap: f64,
    /// Its change in the warm run.
    pub gap_change: f64,
    /// Largest absolute change of a logit.
    pub largest: f64,
    /// Logits of which a bit differs.
    pub n_differing: usize,
    /// Hash of the cold run's logits.
    pub cold_hash: String,
    /// Hash of the warm run's.
    pub warm_hash: String,
}

impl StepOutcome {
    /// The runs choose different tokens.
    pub fn flipped(&self) -> bool {
        self.cold != self.warm
    }

    /// Every bit of every logit is the same.
    pub fn is_bit_identical(&self) -> bool {
        self.n_differing == 0 && self.cold_hash == self.warm_hash
    }
}

impl From<&PairStep> for StepOutcome {
    fn from(step: &PairStep) -> Self {
        Self {
            cold: step.cold.ids[0],
            warm: step.warm.ids[0],
            gap: step.cold_gap(),
            gap_change: step.change.gap,
            largest: step.change.largest,
            n_differing: step.change.n_differing,
            cold_hash: hex_digits(step.cold.hash),
            warm_hash: hex_digits(step.warm.hash),
        }
    }
}

/// A pair from the prompt to the cold run's end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairOutcome {
    /// Tokens in the prompt.
    pub prompt_tokens: usize,
    /// Of these reused by the warm run.
    pub reused_tokens: usize,
    /// The steps.
    pub steps: Vec<StepOutcome>,
}

impl PairOutcome {
    /// Where free runs fork: number of the first token in which the two differ.
    pub fn fork(&self) -> Option<usize> {
        self.steps.iter().position(StepOutcome::flipped)
    }
}

pub(super) async fn measure(
    engine: &mut Engine,
    scenario: ScenarioName,
    prompt: usize,
    max_tokens: usize,
) -> Result<PairOutcome, GenerateError> {
    let scenario = match scenario {
        ScenarioName::S1 => Scenario::SamePrompt,
        ScenarioName::S2 => Scenario::SecondTurn { follow_up: FOLLOW_UP.to_owned(), reply_tokens: max_tokens },
    };
    let prompt = Prompt::Chat { user: PROMPTS[prompt].to_owned() };
    let Schedules { ids, n_reused, cold, warm } = Schedules::new(engine, &prompt, &scenario).await?;
    let mut steps: Vec<StepOutcome> = Vec::new();
    let mut pair = Pair::new(engine)?;
    let mut step = pair.prefill(&ids, &cold, &warm).await?;
    loop {
        steps.push((&step).into());
        let chosen = step.cold.ids[0];
        if pair.engine().tokenizer().is_end_of_turn(chosen) || steps.len() >= max_tokens {
            break;
        }
        step = pair.step(chosen).await?;
    }
    Ok(PairOutcome { prompt_tokens: ids.len(), reused_tokens: n_reused, steps })
}
