//! E3 and E4: how often the warm answer forks from the cold one, the same prompt sent again and in the second turn of a chat.

use super::Experiment;
use super::case::{Case, Measured, Outcome, ScenarioName, Sizes, Work};
use super::pairs::PairOutcome;
use super::setting::Setting;
use super::statistics::median;
use super::table::{Judged, Row};
use crate::numerics::Order;

pub(super) fn same_prompt_cases(sizes: &Sizes) -> Vec<Case> {
    let work = |prompt| Work::Pair { scenario: ScenarioName::S1, prompt, max_tokens: sizes.tokens };
    (0..sizes.prompts)
        .map(|prompt| Case { setting: Setting::Int8, order: Order::ByShape, work: work(prompt) })
        .collect()
}

pub(super) fn second_turn_cases(sizes: &Sizes) -> Vec<Case> {
    pair_cases(&[Setting::Int8], Order::ByShape, ScenarioName::S2, sizes)
}

/// Pairs of the few prompts under each setting.
pub(super) fn pair_cases(settings: &[Setting], order: Order, scenario: ScenarioName, sizes: &Sizes) -> Vec<Case> {
    let works = || (0..sizes.few_prompts).map(|prompt| Work::Pair { scenario, prompt, max_tokens: sizes.few_tokens });
    settings.iter().flat_map(|&setting| works().map(move |work| Case { setting, order, work })).collect()
}

/// The pairs among what was measured.
pub(super) fn pairs<'a>(measured: &'a [&Measured]) -> impl Iterator<Item = (&'a Case, &'a PairOutcome)> {
    measured.iter().filter_map(|measured| match &measured.outcome {
        Outcome::Pair(pair) => Some((&measured.case, pair)),
        _ => None,
    })
}

pub(super) fn same_prompt(measured: &[&Measured]) -> Vec<Row> {
    let pairs: Vec<&PairOutcome> = pairs(measured).map(|(_, pair)| pair).collect();
    let forks: Vec<f64> = pairs.iter().filter_map(|pair| Some(pair.fork()? as f64)).collect();
    let (n_steps, n_flips) = flips(&pairs);
    let first = median(&forks);
    vec![
        Row::count(Experiment::E3, "int8 by-shape, same prompt: forked", forks.len(), pairs.len())
            .judged("at least 65 %", Judged::expectation(20 * forks.len() >= 13 * pairs.len())),
        Row::count(Experiment::E3, "int8 by-shape, same prompt: flips of forced steps", n_flips, n_steps)
            .judged("1 to 6 %", Judged::expectation((n_steps..=6 * n_steps).contains(&(100 * n_flips)))),
        Row::value(Experiment::E3, "int8 by-shape, same prompt: median token of the fork", first, forks.len())
            .judged("10 to 40", Judged::expectation(first.is_some_and(|first| (10.0..=40.0).contains(&first)))),
    ]
}

pub(super) fn second_turn(measured: &[&Measured]) -> Vec<Row> {
    let pairs: Vec<&PairOutcome> = pairs(measured).map(|(_, pair)| pair).collect();
    let forked = pairs.iter().filter(|pair| pair.fork().is_some()).count();
    let (n_steps, n_flips) = flips(&pairs);
    vec![
        Row::count(Experiment::E4, "int8 by-shape, second turn: forked", forked, pairs.len())
            .judged("at least 30 %", Judged::expectation(10 * forked >= 3 * pairs.len())),
        Row::count(Experiment::E4, "int8 by-shape, second turn: flips of forced steps", n_flips, n_steps),
    ]
}

/// Forced steps, and how many of them flipped.
pub(super) fn flips(pairs: &[&PairOutcome]) -> (usize, usize) {
    let steps = || pairs.iter().flat_map(|pair| &pair.steps);
    (steps().count(), steps().filter(|step| step.flipped()).count())
}
