//! E5: how loudly the same change of order shows, by the coarsest rounding on the path.

use super::Experiment;
use super::case::{Case, Measured, ScenarioName, Sizes};
use super::divergence::{flips, pair_cases, pairs};
use super::pairs::{PairOutcome, StepOutcome};
use super::setting::Setting;
use super::statistics::median;
use super::table::{Judged, Row};
use crate::numerics::Order;

/// Finest first, with the range in which the median of a step's largest change of a logit was expected.
const LADDER: [(Setting, f64, f64); 3] =
    [(Setting::F32, 1e-6, 1e-4), (Setting::Float, 1e-3, 1e-2), (Setting::Int8, 0.3, 1.5)];

pub(super) fn cases(sizes: &Sizes) -> Vec<Case> {
    pair_cases(&LADDER.map(|(setting, ..)| setting), Order::ByShape, ScenarioName::S1, sizes)
}

pub(super) fn rows(measured: &[&Measured]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut medians = Vec::new();
    for (setting, low, high) in LADDER {
        let of_setting: Vec<&PairOutcome> =
            pairs(measured).filter(|(case, _)| case.setting == setting).map(|(_, pair)| pair).collect();
        let largest: Vec<f64> = steps(&of_setting).map(|step| step.largest).collect();
        let middle = median(&largest);
        medians.extend(middle);
        let what = |what: &str| format!("{} by-shape: {what}", setting.name());
        let row = Row::value(Experiment::E5, what("median largest change of a logit"), middle, largest.len());
        let met = middle.is_some_and(|middle| (low..=high).contains(&middle));
        rows.push(row.judged(format!("{low:e} to {high:e}"), Judged::expectation(met)));
        let (n_steps, n_flips) = flips(&of_setting);
        let row = Row::count(Experiment::E5, what("flips of forced steps"), n_flips, n_steps);
        rows.push(if setting == Setting::F32 { row.judged("none", Judged::expectation(n_flips == 0)) } else { row });
        if setting == Setting::F32 {
            let differing = steps(&of_setting).filter(|step| !step.is_bit_identical()).count();
            let row = Row::count(Experiment::E5, what("steps of which a bit differs"), differing, n_steps);
            rows.push(row.judged("all", Judged::expectation(differing == n_steps)));
        }
    }
    let rising = medians.windows(2).filter(|pair| pair[0] < pair[1]).count();
    let n = medians.len().saturating_sub(1);
    let row = Row::count(Experiment::E5, "neighbours in the ladder that rise", rising, n);
    rows.push(row.judged("all", Judged::expectation(rising == n)));
    rows
}

fn steps<'a>(pairs: &'a [&PairOutcome]) -> impl Iterator<Item = &'a StepOutcome> {
    pairs.iter().flat_map(|pair| &pair.steps)
}
