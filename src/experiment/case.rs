//! One piece of work, and what it gave.

use serde::{Deserialize, Serialize};
use web_time::Instant;

use super::faults::{self, JudgedPair};
use super::origins::{self, OriginOutcome};
use super::pairs::{self, PairOutcome};
use super::prompts::PROMPTS;
use super::runs::{self, RepeatsOutcome, RunsOutcome};
use super::setting::Setting;
use super::sweep::{self, Reuse, SweepOutcome};
use crate::generate::{Engine, GenerateError};
use crate::numerics::{Numerics, Order, SHARD_COUNTS};

/// Where the warm run's cache comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScenarioName {
    /// The same prompt was sent before.
    S1,
    /// The prompt is the second turn of a chat.
    S2,
}

/// What to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "work", rename_all = "kebab-case")]
pub enum Work {
    /// A cold and a warm run, fed the cold run's tokens.
    Pair {
        /// Where the warm run's cache comes from.
        scenario: ScenarioName,
        /// Number of the prompt.
        prompt: usize,
        /// Most tokens.
        max_tokens: usize,
    },
    /// Cold, warm, and both again from an empty cache, each choosing its own tokens.
    Runs {
        /// Number of the prompt.
        prompt: usize,
        /// Most tokens of each run.
        max_tokens: usize,
    },
    /// One answer, computed in one of many shapes.
    Sweep {
        /// Rows of a prefill step; 0 for as many as fit.
        chunk_rows: usize,
        /// Prompt tokens reused.
        reused: usize,
        /// Rows of other sequences in every step.
        neighbours: u32,
        /// Devices that products are split over.
        shards: u32,
        /// Tokens of the answer.
        max_tokens: usize,
    },
    /// Cold and warm, again and again.
    Repeats {
        /// Number of the prompt.
        prompt: usize,
        /// Most tokens of each run.
        max_tokens: usize,
        /// How often.
        times: usize,
    },
    /// The first bit that differs, and what the invariant order at its kernel does.
    Origin {
        /// Where the warm run's cache comes from.
        scenario: ScenarioName,
        /// Number of the prompt.
        prompt: usize,
    },
    /// Faults and sound pairs, told apart.
    Faults {
        /// Prompts whose sound pairs are judged; the faults go into the last.
        prompts: usize,
    },
}

/// One piece of work under one numerics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Formats.
    pub setting: Setting,
    /// Order of addition.
    pub order: Order,
    /// What.
    #[serde(flatten)]
    pub work: Work,
}

/// What a piece of work gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// Of [`Work::Pair`].
    Pair(PairOutcome),
    /// Of [`Work::Runs`].
    Runs(RunsOutcome),
    /// Of [`Work::Sweep`].
    Sweep(SweepOutcome),
    /// Of [`Work::Repeats`].
    Repeats(RepeatsOutcome),
    /// Of [`Work::Origin`].
    Origin(OriginOutcome),
    /// Of [`Work::Faults`].
    Faults {
        /// Each pair of runs.
        judged: Vec<JudgedPair>,
    },
}

/// A case with its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Which case.
    pub case: Case,
    /// What it gave.
    pub outcome: Outcome,
    /// Seconds that it took.
    pub elapsed_s: f64,
}

/// How much of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Prompts of E1 to E3.
    pub prompts: usize,
    /// Tokens of their answers.
    pub tokens: usize,
    /// Prompts of the others.
    pub few_prompts: usize,
    /// Tokens of their answers, and of the first turn's in S2.
    pub few_tokens: usize,
    /// Settings under which E1 and E8 to E10 look for a broken promise.
    pub settings: &'static [Setting],
    /// Tokens in the prompt of the sweeps.
    pub n_sweep_prompt: usize,
    /// Which reuse lengths they go through.
    pub reuse: Reuse,
    /// Over how many devices they split products.
    pub shards: &'static [u32],
    /// Combinations of all their axes.
    pub combinations: usize,
    /// Repeats of E24.
    pub repeats: usize,
}

impl Sizes {
    /// Its settings that go together with an order.
    pub(super) fn settings_in(&self, order: Order) -> impl Iterator<Item = Setting> {
        self.settings.iter().copied().filter(move |setting| setting.runs_in(order))
    }

    /// The whole set, of this many prompts and tokens at most.
    pub async fn new(engine: &Engine, prompts: usize, tokens: usize) -> Result<Self, GenerateError> {
        Ok(Self {
            prompts: prompts.min(PROMPTS.len()),
            tokens,
            few_prompts: prompts.min(10),
            few_tokens: tokens.min(40),
            settings: &Setting::ALL,
            n_sweep_prompt: sweep::prompt(engine).await?.len(),
            reuse: Reuse::Every,
            shards: most_shards(engine),
            combinations: 50,
            repeats: 10,
        })
    }
}

/// Every number of shards that the model's products can be split into.
fn most_shards(engine: &Engine) -> &'static [u32] {
    let splits = |shards| engine.model().config.check_numerics(&Numerics { shards, ..*engine.numerics() }).is_ok();
    &SHARD_COUNTS[..SHARD_COUNTS.into_iter().take_while(|shards| splits(*shards)).count()]
}

/// Rows of one prefill step, but in sweeps.
const CHUNK_ROWS: u32 = 64;

/// Does one piece of work.
///
/// # Errors
/// GPU errors; numerics that cannot be set up on this device; prompts that do not fit.
pub async fn measure(engine: &mut Engine, case: Case) -> Result<Measured, GenerateError> {
    let started = Instant::now();
    let (chunk_rows, shards) = match case.work {
        Work::Sweep { shards, .. } => (sweep::MOST_ROWS, shards),
        _ => (CHUNK_ROWS, 1),
    };
    engine.configure(Numerics { shards, ..case.setting.numerics(case.order, chunk_rows) }).await?;
    let outcome = match case.work {
        Work::Pair { scenario, prompt, max_tokens } => {
            Outcome::Pair(pairs::measure(engine, scenario, prompt, max_tokens).await?)
        }
        Work::Runs { prompt, max_tokens } => Outcome::Runs(runs::measure(engine, prompt, max_tokens).await?),
        Work::Sweep { chunk_rows, reused, neighbours, max_tokens, .. } => {
            Outcome::Sweep(sweep::measure(engine, chunk_rows, reused, neighbours, max_tokens).await?)
        }
        Work::Repeats { prompt, max_tokens, times } => {
            Outcome::Repeats(runs::repeat(engine, prompt, max_tokens, times).await?)
        }
        Work::Origin { scenario, prompt } => Outcome::Origin(origins::measure(engine, scenario, prompt).await?),
        Work::Faults { prompts } => Outcome::Faults { judged: faults::faults(engine, &PROMPTS[..prompts]).await? },
    };
    Ok(Measured { case, outcome, elapsed_s: started.elapsed().as_secs_f64() })
}
