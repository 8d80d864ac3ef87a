//! Rows of the table: what was counted or measured, beside what was expected.

use serde::{Deserialize, Serialize};

use super::Experiment;
use super::statistics::wilson_95;

/// Whether a row is what was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judged {
    /// As it must be, or as it was expected.
    Pass,
    /// A promise is broken.
    Fail,
    /// Not what was expected. The expectation came from an emulation with few prompts; it is no promise.
    Finding,
    /// Measured, with nothing to hold it against.
    Measured,
}

impl Judged {
    /// Of something that must hold.
    pub(super) fn promise(holds: bool) -> Self {
        if holds { Self::Pass } else { Self::Fail }
    }

    /// Of something that was expected.
    pub(super) fn expectation(met: bool) -> Self {
        if met { Self::Pass } else { Self::Finding }
    }
}

/// One row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Which experiment.
    pub experiment: Experiment,
    /// What was counted or measured.
    pub what: String,
    /// How many of [`n`](Self::n), where something was counted.
    pub k: Option<usize>,
    /// Of how many.
    pub n: usize,
    /// Wilson 95 % interval of the share.
    pub share_95: Option<(f64, f64)>,
    /// What was measured, where it is no count.
    pub value: Option<f64>,
    /// What was expected, in words.
    pub expected: String,
    /// Whether it is so.
    pub judged: Judged,
}

impl Row {
    /// `k` of `n`.
    pub(super) fn count(experiment: Experiment, what: impl Into<String>, k: usize, n: usize) -> Self {
        let share_95 = wilson_95(k, n);
        let (what, expected) = (what.into(), String::new());
        Self { experiment, what, k: Some(k), n, share_95, value: None, expected, judged: Judged::Measured }
    }

    /// A value from `n` measurements.
    pub(super) fn value(experiment: Experiment, what: impl Into<String>, value: Option<f64>, n: usize) -> Self {
        let (what, expected) = (what.into(), String::new());
        Self { experiment, what, k: None, n, share_95: None, value, expected, judged: Judged::Measured }
    }

    /// Holds it against an expectation. What was never tried is judged neither way.
    pub(super) fn judged(self, expected: impl Into<String>, judged: Judged) -> Self {
        let judged = if self.n == 0 { Judged::Measured } else { judged };
        Self { expected: expected.into(), judged, ..self }
    }
}

/// The rows for a person.
pub fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let found = match (row.k, row.value) {
            (Some(k), _) => format!("{k} of {}", row.n),
            (None, Some(value)) => format!("{value:.4e} of {}", row.n),
            (None, None) => format!("none of {}", row.n),
        };
        let interval =
            row.share_95.map_or(String::new(), |(low, high)| format!("{:.1}-{:.1} %", low * 100.0, high * 100.0));
        let judged = match row.judged {
            Judged::Pass => "pass",
            Judged::Fail => "FAIL",
            Judged::Finding => "finding",
            Judged::Measured => "",
        };
        let name = row.experiment.name();
        text += &format!("{name:<4} {:<58} {found:<20} {interval:<14} {judged:<8} {}\n", row.what, row.expected);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_tells_count_interval_and_expectation() {
        let row = Row::count(Experiment::E3, "int8 forked", 18, 40).judged("at least 65 %", Judged::expectation(false));
        let text = table(&[row.clone(), Row::value(Experiment::E5, "median", Some(0.25), 400)]);
        for words in ["E3", "18 of 40", "30.7-60.2 %", "finding", "at least 65 %", "2.5000e-1 of 400"] {
            assert!(text.contains(words), "{words:?} is not in\n{text}");
        }
        let nothing = Row::count(Experiment::E1, "int8", 0, 0).judged("all", Judged::promise(false));
        assert_eq!((nothing.judged, nothing.share_95), (Judged::Measured, None));
        let read: Row = serde_json::from_str(&serde_json::to_string(&row).expect("plain data")).expect("a row");
        assert_eq!(read, row);
    }
}
