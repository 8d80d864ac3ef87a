//! What was found, as it crosses to whoever asked.

use std::collections::BTreeMap;

use serde::Serialize;

use super::number::NumberFacts;
use super::request::{LessonRequest, Work};
use crate::reference::tree_sum::bits_of;

/// An answer, and what computed it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "LessonAnswer"))]
pub struct LessonReply {
    /// What computed it.
    pub computed: Computed,
    /// What was found.
    #[serde(flatten)]
    pub answer: LessonAnswer,
}

/// What computed the sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "on", rename_all = "kebab-case")]
pub enum Computed {
    /// The device; the twin computed the same beside it.
    Gpu {
        /// Sums that both computed.
        n_sums: usize,
        /// Those whose bits differ.
        n_differing: usize,
    },
    /// The twin alone.
    CpuTwin,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum LessonAnswer {
    /// Of [`LessonRequest::Trees`].
    Trees {
        /// In the order of the request.
        trees: Vec<TreeResult>,
        /// The sum without any rounding, where f64 can hold it.
        exact: Option<f64>,
    },
    /// Of [`LessonRequest::Orders`].
    Orders {
        /// Orders there are.
        n_orders: usize,
        /// The different results, smallest first.
        results: Vec<OrderResult>,
        /// The sum without any rounding, where f64 can hold it.
        exact: Option<f64>,
    },
    /// Of [`LessonRequest::Number`].
    Number {
        /// Read off its bits.
        #[serde(flatten)]
        facts: NumberFacts,
        /// The number and what is added, none at the ends of the format's range.
        sum: Option<f32>,
    },
}

/// The sums of one tree.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TreeResult {
    /// The whole sum.
    pub total: f32,
    /// Its bits in the format.
    pub bits: u32,
    /// The sum after each addition, in postfix order: left before right before their sum.
    pub partial: Vec<f32>,
}

/// One result of many orders.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OrderResult {
    /// The sum.
    pub value: f32,
    /// Orders that give it.
    pub n_orders: usize,
}

impl LessonRequest {
    /// `sums`: after every addition of every tree.
    pub(super) fn answer(&self, work: &Work, sums: &[f32]) -> LessonAnswer {
        let trees = sums.chunks_exact(work.n_additions());
        let totals = trees.clone().filter_map(|partial| partial.last().copied());
        match self {
            Self::Trees { .. } => {
                let result = |partial: &[f32]| {
                    let total = partial.last().copied().unwrap_or(0.0);
                    TreeResult { total, bits: bits_of(work.format, total), partial: partial.to_vec() }
                };
                LessonAnswer::Trees { trees: trees.map(result).collect(), exact: exact_sum(&work.values) }
            }
            Self::Orders { .. } => {
                let mut counts: BTreeMap<i64, OrderResult> = BTreeMap::new();
                for value in totals {
                    let of_value = || OrderResult { value, n_orders: 0 };
                    counts.entry(ascending(value)).or_insert_with(of_value).n_orders += 1;
                }
                let results = counts.into_values().collect();
                LessonAnswer::Orders { n_orders: work.n_trees(), results, exact: exact_sum(&work.values) }
            }
            Self::Number { format, bits, .. } => {
                LessonAnswer::Number { facts: NumberFacts::new(*format, *bits), sum: sums.first().copied() }
            }
        }
    }
}

/// Numbers that ascend as the values do.
fn ascending(value: f32) -> i64 {
    let magnitude = i64::from(value.to_bits() & 0x7FFF_FFFF);
    if value.is_sign_negative() { -magnitude } else { magnitude }
}

/// The sum of the values, where no addition in f64 had to round: then it is the sum on paper.
fn exact_sum(values: &[f32]) -> Option<f64> {
    values.iter().try_fold(0.0, |sum: f64, value| {
        let value = f64::from(*value);
        let next = sum + value;
        // What the addition lost of either; Knuth's two-sum.
        let (of_value, of_sum) = (next - sum, next - (next - sum));
        ((value - of_value) + (sum - of_sum) == 0.0).then_some(next)
    })
}
