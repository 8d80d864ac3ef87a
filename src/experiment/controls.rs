//! E1, E2, E13, E24: before a difference means anything, runs must repeat themselves, and warm must be warm.

use super::Experiment;
use super::case::{Case, Measured, Outcome, Sizes, Work};
use super::runs::{RepeatsOutcome, RunsOutcome};
use super::setting::Setting;
use super::table::{Judged, Row};
use crate::numerics::Order;

/// Runs of the demonstration's setting.
pub(super) fn demo_cases(sizes: &Sizes) -> Vec<Case> {
    let work = |prompt| Work::Runs { prompt, max_tokens: sizes.tokens };
    (0..sizes.prompts)
        .map(|prompt| Case { setting: Setting::Int8, order: Order::ByShape, work: work(prompt) })
        .collect()
}

/// The same, and some under every other setting and order.
pub(super) fn cold_cases(sizes: &Sizes) -> Vec<Case> {
    let mut cases = demo_cases(sizes);
    for &setting in sizes.settings {
        for order in [Order::ByShape, Order::Invariant] {
            if setting.runs_in(order) && (setting, order) != (Setting::Int8, Order::ByShape) {
                let work = |prompt| Work::Runs { prompt, max_tokens: sizes.few_tokens.min(20) };
                cases.extend((0..sizes.few_prompts.min(2)).map(|prompt| Case { setting, order, work: work(prompt) }));
            }
        }
    }
    cases
}

pub(super) fn repeat_cases(sizes: &Sizes) -> Vec<Case> {
    let work = |prompt| Work::Repeats { prompt, max_tokens: sizes.few_tokens, times: sizes.repeats };
    let prompts = 0..sizes.few_prompts.min(3);
    prompts.map(|prompt| Case { setting: Setting::Int8, order: Order::ByShape, work: work(prompt) }).collect()
}

fn runs<'a>(measured: &'a [&Measured]) -> impl Iterator<Item = (&'a Case, &'a RunsOutcome)> {
    measured.iter().filter_map(|measured| match &measured.outcome {
        Outcome::Runs(runs) => Some((&measured.case, runs)),
        _ => None,
    })
}

pub(super) fn cold_equals_cold(sizes: &Sizes, measured: &[&Measured]) -> Vec<Row> {
    let mut rows = Vec::new();
    for &setting in sizes.settings {
        for order in [Order::ByShape, Order::Invariant].into_iter().filter(|order| setting.runs_in(*order)) {
            let of_mode: Vec<&RunsOutcome> = runs(measured)
                .filter(|(case, _)| (case.setting, case.order) == (setting, order))
                .map(|(_, runs)| runs)
                .collect();
            let k = of_mode.iter().filter(|runs| runs.cold[0].has_bits_of(&runs.cold[1])).count();
            let what = format!("{} {}: cold A = cold B, tokens and bits", setting.name(), order_name(order));
            let row = Row::count(Experiment::E1, what, k, of_mode.len());
            rows.push(row.judged("all", Judged::promise(k == of_mode.len())));
        }
    }
    rows
}

pub(super) fn warm_equals_warm(measured: &[&Measured]) -> Vec<Row> {
    let all: Vec<&RunsOutcome> = runs(measured).map(|(_, runs)| runs).collect();
    let count = |holds: &dyn Fn(&RunsOutcome) -> bool| all.iter().filter(|runs| holds(runs)).count();
    let n = all.len();
    let cold = count(&|runs| runs.cold[0].has_bits_of(&runs.cold[1]));
    let warm = count(&|runs| runs.warm[0].has_bits_of(&runs.warm[1]));
    let parted = count(&|runs| runs.cold[0].fork(&runs.warm[0]).is_some());
    let row = |what, k| Row::count(Experiment::E2, what, k, n);
    vec![
        row("int8 by-shape: cold = cold from a rebuilt cache", cold).judged("all", Judged::promise(cold == n)),
        row("int8 by-shape: warm = warm from a rebuilt cache", warm).judged("all", Judged::promise(warm == n)),
        row("int8 by-shape: cold and warm choose other tokens", parted)
            .judged("more than none; 26 to 40 of 40", Judged::expectation(20 * parted >= 13 * n)),
    ]
}

pub(super) fn exposure(measured: &[&Measured]) -> Vec<Row> {
    let all: Vec<&RunsOutcome> = runs(measured).map(|(_, runs)| runs).collect();
    let n = 2 * all.len();
    let of = |answers: &dyn Fn(&RunsOutcome) -> usize| all.iter().map(|runs| answers(runs)).sum::<usize>();
    let warm = of(&|runs| runs.warm.iter().filter(|answer| answer.reused_tokens > 0).count());
    let cold = of(&|runs| runs.cold.iter().filter(|answer| answer.reused_tokens == 0).count());
    let row = |what, k| Row::count(Experiment::E13, what, k, n).judged("all", Judged::promise(k == n));
    vec![row("warm runs that reuse something", warm), row("runs after a reset that reuse nothing", cold)]
}

pub(super) fn repeats(measured: &[&Measured]) -> Vec<Row> {
    let mut rows = Vec::new();
    for measured in measured {
        let (Outcome::Repeats(RepeatsOutcome { forks }), Work::Repeats { prompt, .. }) =
            (&measured.outcome, measured.case.work)
        else {
            continue;
        };
        let first = forks.first().copied().flatten();
        let k = forks.iter().filter(|fork| **fork == first).count();
        let place = first.map_or("no fork".to_owned(), |token| format!("fork at token {token}"));
        let what = format!("int8 by-shape, prompt {}: {place}", prompt + 1);
        let row = Row::count(Experiment::E24, what, k, forks.len());
        rows.push(row.judged("all at the same token", Judged::promise(k == forks.len())));
    }
    rows
}

/// The name in tables.
pub fn order_name(order: Order) -> &'static str {
    match order {
        Order::ByShape => "by-shape",
        Order::Invariant => "invariant",
        Order::Vector => "vector",
        Order::Tiled => "tiled",
    }
}
