//! E14 and E15: when a flip is impossible, and how likely it is otherwise, from this device's own noise.

use super::Experiment;
use super::case::Measured;
use super::divergence::pairs;
use super::pairs::StepOutcome;
use super::table::{Judged, Row};
use crate::compare::flip_law::FlipLaw;
use crate::numerics::Order;

/// Steps of pairs in order by-shape; in the other nothing changes.
fn steps<'a>(measured: &'a [&Measured]) -> Vec<&'a StepOutcome> {
    let by_shape = pairs(measured).filter(|(case, _)| case.order == Order::ByShape);
    by_shape.flat_map(|(_, pair)| &pair.steps).collect()
}

/// Two logits that change by at most epsilon each cannot pass each other across a gap of more than two epsilon.
pub(super) fn two_epsilon(measured: &[&Measured]) -> Vec<Row> {
    let steps = steps(measured);
    let safe: Vec<_> = steps.iter().filter(|step| step.gap > 2.0 * step.largest).collect();
    let flipped = safe.iter().filter(|step| step.flipped()).count();
    vec![
        Row::count(Experiment::E14, "flips where the gap is over twice the largest change", flipped, safe.len())
            .judged("none", Judged::promise(flipped == 0)),
        Row::count(Experiment::E14, "steps with such a gap", safe.len(), steps.len()),
    ]
}

/// The flip law, its one parameter from the measured changes of the gap.
pub(super) fn probit(measured: &[&Measured]) -> Vec<Row> {
    let steps = steps(measured);
    let changes: Vec<f64> = steps.iter().map(|step| step.gap_change).collect();
    let Some(law) = FlipLaw::fitted(&changes) else { return Vec::new() };
    let pairs: Vec<(f64, bool)> = steps.iter().map(|step| (step.gap, step.flipped())).collect();
    let (n, n_flipped) = (steps.len(), steps.iter().filter(|step| step.flipped()).count());
    let predicted = pairs.iter().map(|(gap, _)| law.flip_chance(*gap)).sum::<f64>() / n as f64;
    let mut rows = vec![
        Row::value(Experiment::E15, "spread of the gap's change, in logits", Some(law.spread), n),
        Row::value(Experiment::E15, "predicted flip risk per token", Some(predicted), n),
        Row::count(Experiment::E15, "flips of forced steps", n_flipped, n),
    ];
    for bin in law.by_gap(&pairs) {
        let what = format!("flips at gaps from {}", bin.from);
        let expected = format!("{:.3} by the law, within 0.1", bin.predicted);
        let met = bin.measured().is_some_and(|measured| (measured - bin.predicted).abs() <= 0.1);
        let row = Row::count(Experiment::E15, what, bin.n_flipped, bin.n);
        // A share of fewer steps is too uncertain to be held against anything.
        let judged = if bin.n < 30 { Judged::Measured } else { Judged::expectation(met) };
        rows.push(row.judged(expected, judged));
    }
    rows
}
