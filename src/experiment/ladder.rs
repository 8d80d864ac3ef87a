//! E5: how loudly the same change of order shows, by the coarsest rounding on the path.

use super::Experiment;
use super::case::{Case, Measured, ScenarioName, Sizes};
use super::divergence::{flips, pair_cases, pairs};
use super::pairs::{PairOutcome, StepOutcome};
use super::setting::Setting;
use super::statistics::median;
use super::table::{Judged, Row};
use crate::numerics::Order;

/// Settings of one rung, with the range in which the median of a step's largest change of a logit was expected.
type Rung = (&'static [Setting], f64, f64);

/// Finest first.
const LADDER: [Rung; 4] = [
    (&[Setting::F32], 1e-6, 1e-4),
    (&[Setting::Float], 1e-3, 1e-2),
    (&[Setting::F16Activations, Setting::Half, Setting::F16InPrefill], 1e-2, 1e-1),
    (&[Setting::Int8, Setting::Int8InPrefill], 0.3, 1.5),
];

fn settings() -> impl Iterator<Item = (usize, Setting, f64, f64)> {
    let of_rung = |(rung, (settings, low, high)): (usize, Rung)| settings.iter().map(move |s| (rung, *s, low, high));
    LADDER.into_iter().enumerate().flat_map(of_rung)
}

pub(super) fn cases(sizes: &Sizes) -> Vec<Case> {
    let settings: Vec<Setting> = settings().map(|(_, setting, ..)| setting).collect();
    pair_cases(&settings, Order::ByShape, ScenarioName::S1, sizes)
}

pub(super) fn rows(measured: &[&Measured]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut medians: [Vec<f64>; LADDER.len()] = Default::default();
    for (rung, setting, low, high) in settings() {
        let of_setting: Vec<&PairOutcome> =
            pairs(measured).filter(|(case, _)| case.setting == setting).map(|(_, pair)| pair).collect();
        let largest: Vec<f64> = steps(&of_setting).map(|step| step.largest).collect();
        let middle = median(&largest);
        medians[rung].extend(middle);
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
    let measured: Vec<&Vec<f64>> = medians.iter().filter(|medians| !medians.is_empty()).collect();
    let below = |a: &[f64], b: &[f64]| a.iter().all(|a| b.iter().all(|b| a < b));
    let rising = measured.windows(2).filter(|pair| below(pair[0], pair[1])).count();
    let n = measured.len().saturating_sub(1);
    let row = Row::count(Experiment::E5, "rungs of the ladder wholly above the one before", rising, n);
    rows.push(row.judged("all", Judged::expectation(rising == n)));
    rows
}

fn steps<'a>(pairs: &'a [&PairOutcome]) -> impl Iterator<Item = &'a StepOutcome> {
    pairs.iter().flat_map(|pair| &pair.steps)
}
