//! What was measured, kept so that an interrupted set goes on, and never mixed with what was measured under other circumstances.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::case::{Case, Measured};
use super::prompts::{FOLLOW_UP, PROMPTS};
use super::setting::Setting;
use super::table::Row;
use crate::generate::Engine;
use crate::gpu::SHADER_TEXTS;
use crate::numerics::Order;

/// Why a text is no record that a measurement could go on with.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// Another text.
    #[error("not a record of experiments: {0}")]
    NotARecord(#[from] serde_json::Error),
    /// It was changed after it was written.
    #[error("what was measured is not what was written: SHA-256 {found}, and the record says {written}")]
    Altered {
        /// Of what stands there.
        found: String,
        /// What stands beside it.
        written: String,
    },
    /// It goes on from another program, device or model.
    #[error("made under other circumstances: {field} was {found}, and is {expected} now")]
    OtherCircumstances {
        /// The first thing that differs.
        field: &'static str,
        /// In the record.
        found: String,
        /// Now.
        expected: String,
    },
}

/// Under what all cases of a record were measured. Under anything else they are other results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Version of this program.
    pub version: String,
    /// SHA-256 of the shaders' text.
    pub shaders_sha256: String,
    /// SHA-256 of the settings: every name with its numerics.
    pub settings_sha256: String,
    /// SHA-256 of the prompts and the follow-up.
    pub prompts_sha256: String,
    /// SHA-256 of the model file.
    pub model_sha256: String,
    /// Device and driver.
    pub device: String,
    /// Kernel family.
    pub family: String,
}

impl Origin {
    /// Of this engine.
    pub fn new(engine: &Engine) -> Self {
        let report = engine.device().report();
        let settings = Setting::ALL.map(|setting| format!("{setting:?} {:?}", setting.numerics(Order::ByShape, 64)));
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            shaders_sha256: hex_digits(&Sha256::digest(SHADER_TEXTS)),
            settings_sha256: hex_digits(&Sha256::digest(settings.join("\n"))),
            prompts_sha256: hex_digits(&Sha256::digest([&PROMPTS.join("\n"), FOLLOW_UP].join("\n\n"))),
            model_sha256: hex_digits(&engine.model().sha256),
            device: format!("{} ({}, {})", report.name, report.backend, report.driver),
            family: format!("{:?}", report.family),
        }
    }

    /// # Errors
    /// The first thing in which a record's circumstances are not these.
    fn check(&self, record: &Self) -> Result<(), RecordError> {
        let fields = [
            ("the program's version", &self.version, &record.version),
            ("the device", &self.device, &record.device),
            ("the kernel family", &self.family, &record.family),
            ("the model's SHA-256", &self.model_sha256, &record.model_sha256),
            ("the prompts' SHA-256", &self.prompts_sha256, &record.prompts_sha256),
            ("the settings' SHA-256", &self.settings_sha256, &record.settings_sha256),
            ("the shaders' SHA-256", &self.shaders_sha256, &record.shaders_sha256),
        ];
        match fields.into_iter().find(|(_, now, then)| now != then) {
            None => Ok(()),
            Some((field, now, then)) => {
                Err(RecordError::OtherCircumstances { field, found: then.clone(), expected: now.clone() })
            }
        }
    }
}

/// What was measured, and what it shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Under what.
    pub origin: Origin,
    /// The table.
    pub rows: Vec<Row>,
    /// Every case that was measured.
    pub measured: Vec<Measured>,
}

impl Record {
    /// Nothing measured yet.
    pub fn new(origin: Origin) -> Self {
        Self { origin, rows: Vec::new(), measured: Vec::new() }
    }

    /// As JSON, with the SHA-256 of what was measured.
    pub fn to_json(&self) -> serde_json::Value {
        let mut json = serde_json::to_value(self).expect("records have text keys and finite numbers");
        json["measured_sha256"] = self.measured_sha256().into();
        json
    }

    /// The record that a text holds, if a measurement under `origin` can go on with it.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn from_json(text: &str, origin: &Origin) -> Result<Self, RecordError> {
        #[derive(Deserialize)]
        struct Seal {
            measured_sha256: String,
        }
        let record: Self = serde_json::from_str(text)?;
        let Seal { measured_sha256: written } = serde_json::from_str(text)?;
        origin.check(&record.origin)?;
        let found = record.measured_sha256();
        if found == written { Ok(record) } else { Err(RecordError::Altered { found, written }) }
    }

    fn measured_sha256(&self) -> String {
        let text = serde_json::to_vec(&self.measured).expect("records have text keys and finite numbers");
        hex_digits(&Sha256::digest(text))
    }

    /// Those of `cases` that are not measured yet.
    pub fn remaining(&self, cases: &[Case]) -> Vec<Case> {
        cases.iter().filter(|case| self.find(case).is_none()).copied().collect()
    }

    /// Those of `cases` that are measured, in the order of `cases`.
    pub(super) fn measured_of(&self, cases: &[Case]) -> Vec<&Measured> {
        cases.iter().filter_map(|case| self.find(case)).collect()
    }

    fn find(&self, case: &Case) -> Option<&Measured> {
        self.measured.iter().find(|measured| measured.case == *case)
    }
}

fn hex_digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::case::{Outcome, ScenarioName, Sizes};
    use super::super::pairs::{PairOutcome, StepOutcome};
    use super::super::sweep::Reuse;
    use super::super::{Experiment, Judged, Work, cases};
    use super::*;
    use crate::numerics::SHARD_COUNTS;

    fn origin() -> Origin {
        let text = || "the same".to_owned();
        Origin {
            version: text(),
            shaders_sha256: text(),
            settings_sha256: text(),
            prompts_sha256: text(),
            model_sha256: text(),
            device: text(),
            family: text(),
        }
    }

    fn sizes() -> Sizes {
        Sizes {
            prompts: 40,
            tokens: 100,
            few_prompts: 10,
            few_tokens: 40,
            settings: &Setting::ALL,
            n_sweep_prompt: 71,
            reuse: Reuse::Every,
            shards: &SHARD_COUNTS,
            combinations: 50,
            repeats: 10,
        }
    }

    /// A pair that flips at its second step, at a gap of 0.05.
    fn pair(case: Case) -> Measured {
        let step = |cold, warm, gap: f64| StepOutcome {
            cold,
            warm,
            gap,
            gap_change: -0.1,
            largest: 0.4,
            n_differing: 9,
            cold_hash: "a".to_owned(),
            warm_hash: "b".to_owned(),
        };
        let steps = vec![step(5, 5, 1.0), step(6, 7, 0.05), step(8, 8, 0.3)];
        let outcome = Outcome::Pair(PairOutcome { prompt_tokens: 40, reused_tokens: 39, steps });
        Measured { case, outcome, elapsed_s: 1.5 }
    }

    #[test]
    fn an_interrupted_set_goes_on_where_it_stopped() {
        let all = cases(&Experiment::ALL, &sizes());
        assert!(all.iter().map(|case| case.setting).is_sorted(), "the setting changes as rarely as it can");
        let mut record = Record::new(origin());
        let pairs = Experiment::E3.cases(&sizes());
        record.measured.extend(pairs[..5].iter().map(|case| pair(*case)));
        let written = record.to_json().to_string();
        let read = Record::from_json(&written, &origin()).expect("what was written");
        assert_eq!(read, record);
        assert_eq!(read.remaining(&pairs), pairs[5..]);
        assert_eq!(read.remaining(&all).len(), all.len() - 5);
        let shorter = Sizes { tokens: 50, ..sizes() };
        assert_eq!(read.remaining(&Experiment::E3.cases(&shorter)).len(), 40, "other lengths are other cases");
    }

    #[test]
    fn what_was_altered_or_made_elsewhere_is_refused_by_name() {
        let mut record = Record::new(origin());
        record.measured.extend(Experiment::E3.cases(&sizes())[..2].iter().map(|case| pair(*case)));
        let written = record.to_json().to_string();
        let refused = |text: &str, origin: &Origin| {
            Record::from_json(text, origin).expect_err("no record to go on with").to_string()
        };
        let altered = written.replacen("\"cold_hash\":\"a\"", "\"cold_hash\":\"zz\"", 1);
        assert_ne!(altered, written);
        assert!(refused(&altered, &origin()).contains("not what was written"));
        let elsewhere = Origin { device: "another".to_owned(), ..origin() };
        assert!(refused(&written, &elsewhere).contains("the device was the same, and is another now"));
        assert!(refused("[]", &origin()).contains("not a record"));
    }

    #[test]
    fn experiments_share_what_they_look_at() {
        let n = |experiments: &[Experiment]| cases(experiments, &sizes()).len();
        let forks = n(&[Experiment::E3]);
        assert_eq!(forks, 40);
        assert_eq!(n(&[Experiment::E3, Experiment::E14, Experiment::E15]), forks);
        assert_eq!(n(&[Experiment::E2, Experiment::E13]), 40);
        for (experiment, order) in [(Experiment::E9, Order::Invariant), (Experiment::E10, Order::ByShape)] {
            let cases = experiment.cases(&sizes());
            for case in &cases {
                assert!(matches!(case.work, Work::Sweep { reused, .. } if reused <= 70), "{case:?}");
                assert!(case.order == order && case.setting.runs_in(order), "{case:?}");
            }
            let swept = Setting::ALL.into_iter().filter(|setting| cases.iter().any(|case| case.setting == *setting));
            assert_eq!(swept.count(), if order == Order::ByShape { 16 } else { 14 });
        }
    }

    #[test]
    fn rows_count_what_was_measured_and_nothing_else() {
        let mut record = Record::new(origin());
        assert!(Experiment::E3.rows(&sizes(), &record).iter().all(|row| row.judged == Judged::Measured && row.n == 0));
        record.measured.extend(Experiment::E3.cases(&sizes())[..4].iter().map(|case| pair(*case)));
        let second_turn = Case {
            setting: Setting::Int8,
            order: Order::ByShape,
            work: Work::Pair { scenario: ScenarioName::S2, prompt: 0, max_tokens: 40 },
        };
        record.measured.push(pair(second_turn));
        let rows = Experiment::E3.rows(&sizes(), &record);
        assert_eq!(rows.iter().map(|row| (row.k, row.n)).collect::<Vec<_>>(), [(Some(4), 4), (Some(4), 12), (None, 4)]);
        assert_eq!(rows[2].value, Some(1.0));
        assert_eq!(
            rows[2].judged,
            Judged::Finding,
            "a fork at token 1 is earlier than expected, and no broken promise"
        );
        let rows = Experiment::E14.rows(&sizes(), &record);
        assert_eq!((rows[0].k, rows[0].n, rows[0].judged), (Some(0), 5, Judged::Pass));
        let rows = Experiment::E15.rows(&sizes(), &record);
        assert!((rows[0].value.expect("a spread") - 0.1).abs() < 1e-12);
        assert_eq!(rows[1 + 2 + 1].n, 4, "one gap of 0.05 in each pair");
    }
}
