//! E8 to E10: one order of addition gives one answer, in every format and shape; and the check that says so can fail.

use super::Experiment;
use super::case::{Case, Measured, Outcome, ScenarioName, Sizes, Work};
use super::divergence::{pair_cases, pairs};
use super::pairs::StepOutcome;
use super::setting::Setting;
use super::sweep::{PLAIN, SweepOutcome};
use super::table::{Judged, Row};
use crate::numerics::{Order, WeightFormat};

pub(super) fn cases(sizes: &Sizes) -> Vec<Case> {
    let is_own = |setting: &Setting| setting.numerics(Order::Invariant, 64).weights == WeightFormat::AsInFile;
    let (own, requantised): (Vec<Setting>, Vec<Setting>) = sizes.settings_in(Order::Invariant).partition(is_own);
    // Other weights run through the same code as the file's: two prompts of each will do.
    let fewer = Sizes { few_prompts: sizes.few_prompts.min(2), ..*sizes };
    let of = |scenario| {
        let own = pair_cases(&own, Order::Invariant, scenario, sizes);
        [own, pair_cases(&requantised, Order::Invariant, scenario, &fewer)].concat()
    };
    [of(ScenarioName::S1), of(ScenarioName::S2)].concat()
}

pub(super) fn cold_equals_warm(sizes: &Sizes, measured: &[&Measured]) -> Vec<Row> {
    let mut rows = Vec::new();
    for setting in sizes.settings_in(Order::Invariant) {
        for scenario in [ScenarioName::S1, ScenarioName::S2] {
            let of_arm = |case: &Case| {
                case.setting == setting && matches!(case.work, Work::Pair { scenario: s, .. } if s == scenario)
            };
            let arm = || pairs(measured).filter(|(case, _)| of_arm(case)).map(|(_, pair)| pair);
            // What reused nothing was not put to the test.
            let n = arm().filter(|pair| pair.reused_tokens > 0).map(|pair| pair.steps.len()).sum();
            let k = arm().flat_map(|pair| &pair.steps).filter(|step: &&StepOutcome| step.is_bit_identical()).count();
            let what = format!("{} invariant, {scenario:?}: steps with every bit equal", setting.name());
            rows.push(Row::count(Experiment::E8, what, k, n).judged("all", Judged::promise(k == n)));
        }
    }
    rows
}

/// A shape of the sweep: the axis that it moves along, and whether its bits are those of the plain shape.
struct Compared {
    setting: Setting,
    axis: &'static str,
    equal: bool,
}

fn compared(measured: &[&Measured]) -> Vec<Compared> {
    let sweeps = || {
        measured.iter().filter_map(|measured| match (&measured.case.work, &measured.outcome) {
            (Work::Sweep { chunk_rows, reused, neighbours, shards, .. }, Outcome::Sweep(outcome)) => {
                Some(((measured.case.setting, *shards), (*chunk_rows, *reused, *neighbours), outcome))
            }
            _ => None,
        })
    };
    let plain: Vec<((Setting, u32), &SweepOutcome)> =
        sweeps().filter(|(_, shape, _)| *shape == PLAIN).map(|(of, _, outcome)| (of, outcome)).collect();
    let mut found = Vec::new();
    for ((setting, shards), shape, outcome) in sweeps().filter(|(_, shape, _)| *shape != PLAIN) {
        let Some((_, plain)) = plain.iter().find(|(of, _)| *of == (setting, shards)) else { continue };
        let axis = match shape {
            _ if shards > 1 => "shards",
            (_, 0, 0) => "chunks",
            (chunk, _, 0) if chunk == PLAIN.0 => "reuse lengths",
            (chunk, 0, _) if chunk == PLAIN.0 => "neighbours",
            _ => "combinations",
        };
        found.push(Compared { setting, axis, equal: outcome == *plain });
    }
    found
}

pub(super) fn one_order(sizes: &Sizes, measured: &[&Measured]) -> Vec<Row> {
    let found = compared(measured);
    let rows = |what: String, of: Vec<&Compared>| {
        let (k, n) = (of.iter().filter(|shape| shape.equal).count(), of.len());
        Row::count(Experiment::E9, what, k, n).judged("all", Judged::promise(k == n))
    };
    let axes = ["chunks", "reuse lengths", "neighbours", "shards", "combinations"];
    let by_axis = axes.map(|axis| {
        let of = found.iter().filter(|shape| shape.axis == axis).collect();
        rows(format!("invariant, {axis}: the bits of one plain cold run"), of)
    });
    let by_setting = sizes.settings_in(Order::Invariant).map(|setting| {
        let of = found.iter().filter(|shape| shape.setting == setting).collect();
        rows(format!("invariant, {}: the bits of one plain cold run", setting.name()), of)
    });
    by_axis.into_iter().chain(by_setting).collect()
}

pub(super) fn power(sizes: &Sizes, measured: &[&Measured]) -> Vec<Row> {
    let found = compared(measured);
    let of_setting = |setting| {
        let of: Vec<&Compared> = found.iter().filter(|shape| shape.setting == setting).collect();
        let differing = of.iter().filter(|shape| !shape.equal).count();
        let what = format!("by-shape, {}: shapes of which a bit differs", setting.name());
        Row::count(Experiment::E10, what, differing, of.len()).judged("some", Judged::promise(differing > 0))
    };
    sizes.settings.iter().copied().map(of_setting).collect()
}
