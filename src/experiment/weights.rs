//! E6 and E7: coarser weights flip more tokens, and how much of the noise is theirs.

use super::Experiment;
use super::case::{Case, Measured, ScenarioName, Sizes};
use super::divergence::{flips, pair_cases, pairs};
use super::pairs::PairOutcome;
use super::setting::Setting;
use super::statistics::{cochran_armitage, mcnemar_exact, newcombe_95};
use super::table::{Judged, Row};
use crate::numerics::Order;

/// The same kernels' order and activations, weights from fine to coarse.
const TREND: [Setting; 4] = [Setting::Int8Q8, Setting::Int8Q4, Setting::Int8Q3, Setting::Int8Q2];

/// Weights fine and coarse, in the rows; activations fine and coarse, in the columns.
const FACTORS: [[Setting; 2]; 2] = [[Setting::F16Q8, Setting::Int8Q8], [Setting::F16Q3, Setting::Int8Q3]];

pub(super) fn trend_cases(sizes: &Sizes) -> Vec<Case> {
    pair_cases(&TREND, Order::ByShape, ScenarioName::S1, sizes)
}

pub(super) fn factor_cases(sizes: &Sizes) -> Vec<Case> {
    pair_cases(FACTORS.as_flattened(), Order::ByShape, ScenarioName::S1, sizes)
}

fn of<'a>(measured: &'a [&Measured], setting: Setting) -> Vec<&'a PairOutcome> {
    pairs(measured).filter(|(case, _)| case.setting == setting).map(|(_, pair)| pair).collect()
}

pub(super) fn trend(measured: &[&Measured]) -> Vec<Row> {
    let groups = TREND.map(|setting| {
        let (n_steps, n_flips) = flips(&of(measured, setting));
        (n_flips, n_steps)
    });
    let mut rows: Vec<Row> = Vec::new();
    for (setting, (k, n)) in TREND.iter().zip(groups) {
        rows.push(Row::count(Experiment::E6, format!("{}: flips of forced steps", setting.name()), k, n));
    }
    let n = groups.iter().map(|(_, n)| n).sum();
    let rising = groups.windows(2).filter(|pair| pair[0].0 * pair[1].1 <= pair[1].0 * pair[0].1).count();
    rows.push(
        Row::count(Experiment::E6, "neighbours from fine to coarse that do not fall", rising, groups.len() - 1)
            .judged("all", Judged::expectation(rising == groups.len() - 1)),
    );
    let trend = cochran_armitage(&groups);
    rows.push(Row::value(Experiment::E6, "trend, z of Cochran-Armitage", trend.map(|trend| trend.z), n));
    let met = trend.is_some_and(|trend| trend.z > 0.0 && trend.p < 0.05);
    rows.push(
        Row::value(Experiment::E6, "trend, two-sided p", trend.map(|trend| trend.p), n)
            .judged("rising, below 0.05", Judged::expectation(met)),
    );
    rows
}

pub(super) fn factors(measured: &[&Measured]) -> Vec<Row> {
    let all = FACTORS.map(|row| row.map(|setting| of(measured, setting)));
    let counts = all.each_ref().map(|row| row.each_ref().map(|pairs| flips(pairs)));
    let mut rows = Vec::new();
    for (settings, counts) in FACTORS.iter().zip(counts) {
        for (setting, (n_steps, n_flips)) in settings.iter().zip(counts) {
            let what = format!("{}: flips of forced steps", setting.name());
            rows.push(Row::count(Experiment::E7, what, n_flips, n_steps));
        }
    }
    let [[fine_fine, fine_coarse], [coarse_fine, coarse_coarse]] = counts;
    let more = |(n_a, k_a): (usize, usize), (n_b, k_b): (usize, usize)| newcombe_95(k_a, n_a, k_b, n_b);
    let effects = [
        ("int8 activations instead of f16, weights q8_0", more(fine_coarse, fine_fine), fine_coarse.0),
        ("int8 activations instead of f16, weights q3_32", more(coarse_coarse, coarse_fine), coarse_coarse.0),
        ("weights q3_32 instead of q8_0, f16 activations", more(coarse_fine, fine_fine), coarse_fine.0),
        ("weights q3_32 instead of q8_0, int8 activations", more(coarse_coarse, fine_coarse), coarse_coarse.0),
    ];
    for (what, effect, n) in effects {
        let interval = effect.map_or(String::new(), |(_, low, high)| format!("95 %: {low:+.4} to {high:+.4}"));
        let row = Row::value(Experiment::E7, format!("more flips a step by {what}"), effect.map(|effect| effect.0), n);
        rows.push(row.judged(interval, Judged::Measured));
    }
    let mean = |a: usize, b: usize| Some((effects[a].1?.0 + effects[b].1?.0) / 2.0);
    let dominates = mean(0, 1).zip(mean(2, 3)).is_some_and(|(activations, weights)| activations > weights);
    let n = effects.iter().map(|(.., n)| n).sum();
    rows.push(
        Row::value(
            Experiment::E7,
            "activations' effect minus weights', flips a step",
            mean(0, 1).zip(mean(2, 3)).map(|(a, w)| a - w),
            n,
        )
        .judged("above 0: the activations dominate", Judged::expectation(dominates)),
    );
    // The same prompts under both: did the fork come with the activations?
    let forked = |pairs: &[&PairOutcome]| pairs.iter().map(|pair| pair.fork().is_some()).collect::<Vec<_>>();
    let (f16, int8) = (forked(&all[0][0]), forked(&all[0][1]));
    let only = |a: &[bool], b: &[bool]| a.iter().zip(b).filter(|(a, b)| **a && !**b).count();
    let (only_int8, only_f16) = (only(&int8, &f16), only(&f16, &int8));
    let what = format!("prompts forked under int8 alone {only_int8}, f16 alone {only_f16}: McNemar p");
    rows.push(Row::value(Experiment::E7, what, Some(mcnemar_exact(only_int8, only_f16)), int8.len()));
    rows
}
