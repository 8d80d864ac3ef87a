//! Outcomes of one arm, counted.

use serde::{Deserialize, Serialize};

use super::forks::{Arm, Outcome};
use super::statistics::wilson_95;
use crate::compare::Verdict;

/// Outcomes of one arm, counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Which arm.
    #[serde(flatten)]
    pub arm: Arm,
    /// Comparisons made.
    pub n: usize,
    /// Of these with cold A and cold B equal in every bit.
    pub n_control_equal: usize,
    /// Of these that put reuse to the test: control equal, something reused, no error. The rates below are of these.
    pub n_judged: usize,
    /// Different tokens; ties included.
    pub n_forked: usize,
    /// Of the forked, those at an exact tie.
    pub n_tied: usize,
    /// Same tokens, some bit differs.
    pub n_same_tokens: usize,
    /// The same bits.
    pub n_bit_identical: usize,
    /// Wilson 95 % interval of the share of forks.
    pub fork_rate_95: Option<(f64, f64)>,
    /// Wilson 95 % interval of the share of bit-identical comparisons.
    pub bit_identical_rate_95: Option<(f64, f64)>,
    /// Median number of the token at which the forked ones part; the lower of the two middle ones.
    pub median_fork_index: Option<usize>,
}

/// Counts each arm's outcomes, arms in the order in which they first appear.
pub fn summarise(outcomes: &[Outcome]) -> Vec<Summary> {
    let mut arms: Vec<Arm> = Vec::new();
    for outcome in outcomes {
        if !arms.contains(&outcome.case.arm) {
            arms.push(outcome.case.arm);
        }
    }
    arms.into_iter().map(|arm| count(arm, outcomes.iter().filter(|outcome| outcome.case.arm == arm))).collect()
}

fn count<'a>(arm: Arm, outcomes: impl Iterator<Item = &'a Outcome>) -> Summary {
    let outcomes: Vec<&Outcome> = outcomes.collect();
    let with = |verdict: Verdict| outcomes.iter().filter(|outcome| outcome.verdict == verdict).count();
    let n_tied = with(Verdict::Tie);
    let n_forked = with(Verdict::Forked) + n_tied;
    let (n_same_tokens, n_bit_identical) = (with(Verdict::SameTokens), with(Verdict::BitIdentical));
    let n_judged = n_forked + n_same_tokens + n_bit_identical;
    let forked = outcomes.iter().filter(|outcome| matches!(outcome.verdict, Verdict::Forked | Verdict::Tie));
    let mut forks: Vec<usize> = forked.filter_map(|outcome| Some(outcome.fork.as_ref()?.index)).collect();
    forks.sort_unstable();
    Summary {
        arm,
        n: outcomes.len(),
        n_control_equal: outcomes.iter().filter(|outcome| outcome.control_equal == Some(true)).count(),
        n_judged,
        n_forked,
        n_tied,
        n_same_tokens,
        n_bit_identical,
        fork_rate_95: wilson_95(n_forked, n_judged),
        bit_identical_rate_95: wilson_95(n_bit_identical, n_judged),
        median_fork_index: (!forks.is_empty()).then(|| forks[(forks.len() - 1) / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::forks::{Case, ForkFound, ScenarioName};
    use super::*;
    use crate::numerics::{Formats, Order};

    fn outcome(order: Order, prompt: usize, verdict: Verdict, fork: Option<usize>) -> Outcome {
        let margins = |index| ForkFound {
            index,
            cold: " a".to_owned(),
            warm: " the".to_owned(),
            cold_pair_margin: Some(0.25),
            warm_pair_margin: Some(-0.125),
        };
        Outcome {
            case: Case { prompt, arm: Arm { scenario: ScenarioName::S1, formats: Formats::Int8, order } },
            verdict,
            control_equal: Some(verdict != Verdict::ControlFailed),
            fork: fork.map(margins),
            first_differing_logits: fork.map(|_| 0),
            prompt_tokens: 40,
            exposure: if verdict == Verdict::Vacuous { 0 } else { 39 },
            tokens: 80,
            error: None,
            elapsed_s: 1.0,
        }
    }

    #[test]
    fn only_comparisons_that_tested_something_count_towards_a_rate() {
        let shape = |prompt, verdict, fork| outcome(Order::ByShape, prompt, verdict, fork);
        let outcomes = [
            shape(0, Verdict::Forked, Some(30)),
            shape(1, Verdict::Tie, Some(4)),
            shape(2, Verdict::Forked, Some(12)),
            shape(3, Verdict::SameTokens, None),
            shape(4, Verdict::ControlFailed, None),
            shape(5, Verdict::Vacuous, None),
            shape(6, Verdict::Forked, Some(50)),
            outcome(Order::Invariant, 0, Verdict::BitIdentical, None),
        ];
        let [by_shape, invariant] = summarise(&outcomes).try_into().expect("two arms");
        assert_eq!((by_shape.n, by_shape.n_control_equal, by_shape.n_judged), (7, 6, 5));
        assert_eq!(
            (by_shape.n_forked, by_shape.n_tied, by_shape.n_same_tokens, by_shape.n_bit_identical),
            (4, 1, 1, 0)
        );
        assert_eq!(by_shape.fork_rate_95, wilson_95(4, 5));
        assert_eq!(by_shape.median_fork_index, Some(12), "of 4, 12, 30 and 50");
        assert_eq!((invariant.n_bit_identical, invariant.median_fork_index), (1, None));
        assert_eq!(invariant.arm.order, Order::Invariant);
    }
}
