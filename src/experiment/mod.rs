//! Experiments: many runs under one protocol, measured, kept, counted, and held against what was expected.
//!
//! A [`Case`] is one piece of work; cases do not depend on each other, and several experiments look at the same ones, so each is
//! measured once. A [`Record`] keeps what was measured, and an interrupted set goes on where it stopped. An [`Experiment`] says which
//! cases it needs and turns their outcomes into rows of the table.

mod attenuation;
mod case;
mod controls;
mod divergence;
mod faults;
mod flip_law;
mod invariance;
mod ladder;
mod origins;
mod pairs;
pub mod prompts;
mod record;
mod runs;
mod setting;
pub mod statistics;
mod sweep;
mod table;
mod weights;

pub use case::{Case, Measured, Outcome, ScenarioName, Sizes, Work, measure};
pub use controls::order_name;
pub use faults::{Injected, JudgedPair};
pub use origins::OriginOutcome;
pub use pairs::{PairOutcome, StepOutcome};
pub use record::{Origin, Record, RecordError};
pub use runs::{Answer, RepeatsOutcome, RunsOutcome};
pub use setting::Setting;
pub use sweep::{Reuse, SweepOutcome};
pub use table::{Judged, Row, table};

use serde::{Deserialize, Serialize};

/// The experiments, by the numbers of their protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Experiment {
    /// Two cold runs agree in every bit, under every setting.
    E1,
    /// Two warm runs from a rebuilt cache agree in every bit.
    E2,
    /// How often the warm answer forks from the cold one: same prompt.
    E3,
    /// The same in the second turn of a chat.
    E4,
    /// Noise by precision.
    E5,
    /// Flips by the coarseness of the weights.
    E6,
    /// Whether weights or activations make the noise.
    E7,
    /// Invariant order: cold equals warm.
    E8,
    /// Invariant order: any chunk, any reuse, any neighbours.
    E9,
    /// The check of E9 fails where it should.
    E10,
    /// Warm runs reuse something, cold runs nothing.
    E13,
    /// No flip where the gap is more than twice the largest change.
    E14,
    /// Flips follow the measured noise.
    E15,
    /// Faults are told from noise.
    E16,
    /// The origin of a difference, and what removes it.
    E17,
    /// A fork stays where it is.
    E24,
    /// A coarse cache swallows noise, or lets it jump.
    E25,
}

impl Experiment {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::E1,
        Self::E2,
        Self::E3,
        Self::E4,
        Self::E5,
        Self::E6,
        Self::E7,
        Self::E8,
        Self::E9,
        Self::E10,
        Self::E13,
        Self::E14,
        Self::E15,
        Self::E16,
        Self::E17,
        Self::E24,
        Self::E25,
    ];

    /// Its number.
    pub fn name(self) -> &'static str {
        match self {
            Self::E1 => "E1",
            Self::E2 => "E2",
            Self::E3 => "E3",
            Self::E4 => "E4",
            Self::E5 => "E5",
            Self::E6 => "E6",
            Self::E7 => "E7",
            Self::E8 => "E8",
            Self::E9 => "E9",
            Self::E10 => "E10",
            Self::E13 => "E13",
            Self::E14 => "E14",
            Self::E15 => "E15",
            Self::E16 => "E16",
            Self::E17 => "E17",
            Self::E24 => "E24",
            Self::E25 => "E25",
        }
    }

    /// What it asks.
    pub fn question(self) -> &'static str {
        match self {
            Self::E1 => "Do two cold runs agree in every bit, under every setting?",
            Self::E2 => "Do two warm runs from a rebuilt cache agree in every bit?",
            Self::E3 => "How often does the same prompt, sent again, get another answer?",
            Self::E4 => "How often does the second turn of a chat?",
            Self::E5 => "How large is the change of the logits, by precision?",
            Self::E6 => "Do coarser weights flip more tokens?",
            Self::E7 => "Is it the weights' rounding or the activations' that makes the noise?",
            Self::E8 => "In order invariant, has the warm run the bits of the cold one?",
            Self::E9 => "In order invariant, do any chunks, reuse and neighbours give the same bits?",
            Self::E10 => "Does the check of E9 fail in order by-shape, as it must?",
            Self::E13 => "Does a warm run reuse something, and a cold one nothing?",
            Self::E14 => "Is a flip impossible where the gap is over twice the largest change?",
            Self::E15 => "Do flips follow from the measured noise?",
            Self::E16 => "Is every fault called corrupt, and no sound pair of runs?",
            Self::E17 => "Where is the first different bit, and does the invariant order there remove it?",
            Self::E25 => "Does a coarse cache swallow the noise, or let it jump?",
            Self::E24 => "Does a fork stay at its token when everything is repeated?",
        }
    }

    /// The cases that it looks at.
    pub fn cases(self, sizes: &Sizes) -> Vec<Case> {
        match self {
            Self::E1 => controls::cold_cases(sizes),
            Self::E2 | Self::E13 => controls::demo_cases(sizes),
            Self::E24 => controls::repeat_cases(sizes),
            Self::E16 => faults::cases(sizes),
            Self::E17 => origins::cases(sizes),
            Self::E25 => attenuation::cases(sizes),
            Self::E3 | Self::E14 | Self::E15 => divergence::same_prompt_cases(sizes),
            Self::E4 => divergence::second_turn_cases(sizes),
            Self::E5 => ladder::cases(sizes),
            Self::E6 => weights::trend_cases(sizes),
            Self::E7 => weights::factor_cases(sizes),
            Self::E8 => invariance::cases(sizes),
            Self::E9 => sweep::cases(sizes, crate::numerics::Order::Invariant),
            Self::E10 => sweep::cases(sizes, crate::numerics::Order::ByShape),
        }
    }

    /// What the measured ones of its cases show.
    pub fn rows(self, sizes: &Sizes, record: &Record) -> Vec<Row> {
        let measured = record.measured_of(&cases(&[self], sizes));
        match self {
            Self::E1 => controls::cold_equals_cold(sizes, &measured),
            Self::E2 => controls::warm_equals_warm(&measured),
            Self::E13 => controls::exposure(&measured),
            Self::E24 => controls::repeats(&measured),
            Self::E16 => faults::rows(&measured),
            Self::E17 => origins::rows(&measured),
            Self::E25 => attenuation::rows(&measured),
            Self::E3 => divergence::same_prompt(&measured),
            Self::E4 => divergence::second_turn(&measured),
            // A certainty: it holds for every pair that any experiment measured.
            Self::E14 => flip_law::two_epsilon(&record.measured.iter().collect::<Vec<_>>()),
            Self::E15 => flip_law::probit(&measured),
            Self::E5 => ladder::rows(&measured),
            Self::E6 => weights::trend(&measured),
            Self::E7 => weights::factors(&measured),
            Self::E8 => invariance::cold_equals_warm(sizes, &measured),
            Self::E9 => invariance::one_order(sizes, &measured),
            Self::E10 => invariance::power(sizes, &measured),
        }
    }
}

/// Every case that the experiments need, each once, those of one setting together: another setting needs other kernels.
pub fn cases(experiments: &[Experiment], sizes: &Sizes) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for case in experiments.iter().flat_map(|experiment| experiment.cases(sizes)) {
        if !cases.contains(&case) {
            cases.push(case);
        }
    }
    cases.sort_by_key(|case| case.setting);
    cases
}
