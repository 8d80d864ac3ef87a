//! The order of runs that makes a comparison.

use serde::{Deserialize, Serialize};

use super::SecondTurn;
use super::corruption::Judgement;
use crate::generate::{CancelToken, Engine, GenerateError, Prompt, RunEvent, RunOptions, RunTrace, StopReason};
use crate::model::Pass;
use crate::tokenizer::TokenId;

/// Where the warm run's cache comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Scenario {
    /// S1: the same prompt was sent before.
    SamePrompt,
    /// S2: the prompt is the second turn of a chat whose first turn is in the cache.
    SecondTurn {
        /// The second message.
        follow_up: String,
        /// Most tokens of the model's answer to the first.
        reply_tokens: usize,
    },
}

/// One comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CompareRequest {
    /// The prompt (of the first turn).
    pub prompt: Prompt,
    /// Where the warm run's cache comes from.
    pub scenario: Scenario,
    /// Prompts to be completed by one token each between the cold runs and the warm one.
    #[serde(default)]
    pub before: Vec<String>,
    /// Most tokens of each run.
    pub max_tokens: usize,
}

/// Which run of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum RunName {
    /// S2 only: the first turn, whose answer is part of the prompt.
    FirstTurn,
    /// Empty cache.
    ColdA,
    /// Empty cache again: the control.
    ColdB,
    /// Longest cached prefix reused.
    Warm,
}

impl RunName {
    /// Its name for a person.
    pub fn words(self) -> &'static str {
        match self {
            Self::FirstTurn => "first turn",
            Self::ColdA => "cold A",
            Self::ColdB => "cold B",
            Self::Warm => "warm",
        }
    }
}

/// What a comparison tells while it goes.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareEvent {
    /// Of which run.
    pub run: RunName,
    /// What.
    pub event: RunEvent,
}

/// The runs of a comparison; those that did not happen are missing, the error is that of the first that failed.
#[derive(Debug, Default)]
pub struct Runs {
    /// S2 only: the first turn.
    pub first_turn: Option<RunTrace>,
    /// Cold A.
    pub cold_a: Option<RunTrace>,
    /// Cold B.
    pub cold_b: Option<RunTrace>,
    /// Warm.
    pub warm: Option<RunTrace>,
    /// The prompt of the three runs, as the model was given it.
    pub prompt_ids: Vec<TokenId>,
    /// What ended the comparison early.
    pub error: Option<GenerateError>,
    /// The warm run's own first turn gave another answer than the one in the prompt.
    pub first_turn_differs: bool,
    /// Whether the warm run's cache is further from a cold one than rounding, where that was looked at.
    pub noise: Option<Judgement>,
}

/// Runs a comparison. An error of a run is kept beside the runs before it: nothing that was computed is lost.
pub async fn compare<P: Pass>(
    engine: &mut Engine<P>,
    request: &CompareRequest,
    cancel: &CancelToken,
    mut on_event: impl FnMut(CompareEvent),
) -> Runs {
    let mut runs = Runs::default();
    if let Err(error) = run_all(engine, request, cancel, &mut on_event, &mut runs).await {
        runs.error = Some(error);
    }
    runs
}

async fn run_all<P: Pass>(
    engine: &mut Engine<P>,
    request: &CompareRequest,
    cancel: &CancelToken,
    on_event: &mut impl FnMut(CompareEvent),
    runs: &mut Runs,
) -> Result<(), GenerateError> {
    check(request)?;
    let first_ids = engine.encode(&request.prompt).await?;
    let mut before = Vec::new();
    for text in &request.before {
        let ids = engine.encode(&Prompt::Complete { text: text.clone() }).await?;
        engine.check_prompt(&ids)?;
        before.push(ids);
    }
    let options = RunOptions::tokens(request.max_tokens);
    let mut run = async |engine: &mut Engine<P>, name: RunName, ids: &[TokenId], options: RunOptions| {
        engine.run(ids, options, cancel, |event| on_event(CompareEvent { run: name, event })).await
    };

    let (ids, first_turn) = match (&request.scenario, &request.prompt) {
        (Scenario::SecondTurn { follow_up, reply_tokens }, Prompt::Chat { user }) => {
            engine.reset()?;
            let options = RunOptions::tokens(*reply_tokens);
            let first = run(engine, RunName::FirstTurn, &first_ids, options).await?;
            let ids = SecondTurn::new(engine, user, &first_ids, &first, follow_up).await?.ids;
            let stopped = first.stop == StopReason::Cancelled;
            runs.first_turn = Some(first.clone());
            if stopped {
                return Ok(());
            }
            (ids, Some((first, options)))
        }
        _ => (first_ids.clone(), None),
    };

    runs.prompt_ids.clone_from(&ids);
    engine.reset()?;
    runs.cold_a = Some(run(engine, RunName::ColdA, &ids, options).await?);
    if cancel.is_cancelled() {
        return Ok(());
    }
    engine.reset()?;
    runs.cold_b = Some(run(engine, RunName::ColdB, &ids, options).await?);
    if cancel.is_cancelled() {
        return Ok(());
    }
    if let Some((first, options)) = first_turn {
        // The warm run's cache is what the conversation itself left: the first turn's prompt and its answer, decoded token by token.
        engine.reset()?;
        let again = run(engine, RunName::FirstTurn, &first_ids, options).await?;
        runs.first_turn_differs = again.stop != StopReason::Cancelled
            && (again.steps.len() != first.steps.len()
                || again.steps.iter().zip(&first.steps).any(|(again, first)| !again.has_bits_of(first)));
    }
    for ids in &before {
        engine.run(ids, RunOptions::tokens(1), cancel, |_| ()).await?;
    }
    if cancel.is_cancelled() {
        return Ok(());
    }
    runs.warm = Some(run(engine, RunName::Warm, &ids, options).await?);
    Ok(())
}

/// Settings that cannot be, refused before anything runs.
fn check(request: &CompareRequest) -> Result<(), GenerateError> {
    const MOST: u64 = 100_000;
    let check = |setting, n: usize| {
        let found = n as u64;
        if (1..=MOST).contains(&found) {
            return Ok(());
        }
        Err(GenerateError::Setting { setting, found, expected: "1 to 100,000" })
    };
    check("max_tokens", request.max_tokens)?;
    if let Scenario::SecondTurn { reply_tokens, .. } = request.scenario {
        check("reply_tokens", reply_tokens)?;
        if !matches!(request.prompt, Prompt::Chat { .. }) {
            return Err(GenerateError::SecondTurnOfText);
        }
    }
    Ok(())
}
