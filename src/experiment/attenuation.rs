//! E25: float arithmetic behind a coarse cache. A coarse grid mostly swallows the noise of the order, and rarely lets it jump.

use super::Experiment;
use super::case::{Case, Measured, ScenarioName, Sizes};
use super::divergence::{pair_cases, pairs};
use super::pairs::StepOutcome;
use super::setting::Setting;
use super::statistics::quantile;
use super::table::{Judged, Row};
use crate::numerics::Order;

/// Finest cache first.
const CACHES: [Setting; 3] = [Setting::Float, Setting::FloatKvQ8, Setting::FloatKvQ4];

pub(super) fn cases(sizes: &Sizes) -> Vec<Case> {
    pair_cases(&CACHES, Order::ByShape, ScenarioName::S1, sizes)
}

pub(super) fn rows(measured: &[&Measured]) -> Vec<Row> {
    let mut rows = Vec::new();
    let (mut shares, mut jumps) = (Vec::new(), Vec::new());
    for setting in CACHES {
        let of_setting = pairs(measured).filter(|(case, _)| case.setting == setting).map(|(_, pair)| pair);
        let steps: Vec<&StepOutcome> = of_setting.flat_map(|pair| &pair.steps).collect();
        let identical = steps.iter().filter(|step| step.is_bit_identical()).count();
        let what = |what: &str| format!("{} by-shape: {what}", setting.name());
        rows.push(Row::count(Experiment::E25, what("steps of which no bit differs"), identical, steps.len()));
        let changes: Vec<f64> = steps.iter().map(|step| step.gap_change.abs()).collect();
        let high = quantile(&changes, 0.95);
        rows.push(Row::value(Experiment::E25, what("95th percentile of the gap's change"), high, steps.len()));
        if !steps.is_empty() {
            shares.push(identical as f64 / steps.len() as f64);
        }
        jumps.extend(changes.iter().copied().reduce(f64::max));
    }
    for (what, values) in [("share of equal steps", shares), ("largest change of the gap", jumps)] {
        let n = values.len().saturating_sub(1);
        let rising = values.windows(2).filter(|pair| pair[0] < pair[1]).count();
        let row = Row::count(Experiment::E25, format!("coarser caches: rises of the {what}"), rising, n);
        rows.push(row.judged("all", Judged::expectation(rising == n)));
    }
    rows
}
