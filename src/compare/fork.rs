//! Where two runs part, where their bits part, and how the margin of the parting pair went on the way.

use serde::Serialize;

use crate::generate::trace::{RunTrace, Step};

/// The first position at which the two runs' token ids differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fork {
    /// Index of the step, equal to the number of tokens in common.
    pub position: usize,
    /// The cold run's token there: `a` of the pair.
    pub cold_id: u32,
    /// The warm run's token there: `b` of the pair.
    pub warm_id: u32,
    /// The pair's signed margins at every step up to and with the fork, `[position + 1]`.
    pub margins: Vec<PairMargins>,
}

/// Logit of `a` minus logit of `b` at one step, exact, in each run; none where one of the two is not among the run's largest.
///
/// At a greedy fork the cold margin is at least 0 and the warm one at most 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PairMargins {
    /// In the cold run.
    pub cold: Option<f64>,
    /// In the warm run.
    pub warm: Option<f64>,
}

/// Finds the fork of two runs and the margins that lead to it.
///
/// A run that ends its turn early has the end-of-turn id as its last step, so it forks there if the other run went on.
/// Lists of which one is the beginning of the other do not fork: no position has two ids.
pub fn fork(cold: &RunTrace, warm: &RunTrace) -> Option<Fork> {
    let position = steps_in_common(cold, warm);
    let cold_id = cold.steps.get(position)?.id;
    let warm_id = warm.steps.get(position)?.id;
    let up_to_fork = cold.steps.iter().zip(&warm.steps).take(position + 1);
    let margins = up_to_fork.map(|(cold, warm)| PairMargins {
        cold: pair_margin(cold, cold_id, warm_id),
        warm: pair_margin(warm, cold_id, warm_id),
    });
    Some(Fork { position, cold_id, warm_id, margins: margins.collect() })
}

/// The first step at which any compared bit of the logits differs.
///
/// The step of the fork is the last one looked at: behind it the runs are fed different tokens, and nothing is comparable.
pub fn drift(cold: &RunTrace, warm: &RunTrace) -> Option<usize> {
    let comparable = cold.steps.iter().zip(&warm.steps).take(steps_in_common(cold, warm) + 1);
    comparable.into_iter().position(|(cold, warm)| !cold.has_bits_of(warm))
}

/// Steps at the start of both runs that chose the same ids.
pub fn steps_in_common(cold: &RunTrace, warm: &RunTrace) -> usize {
    let pairs = cold.steps.iter().zip(&warm.steps);
    pairs.take_while(|(cold, warm)| cold.id == warm.id).count()
}

fn pair_margin(step: &Step, a: u32, b: u32) -> Option<f64> {
    Some(f64::from(step.logit(a)?) - f64::from(step.logit(b)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::trace::example::{END_OF_TURN, cold, warm};

    #[test]
    fn fork_positions() {
        let end = END_OF_TURN;
        let cases: [(&[u32], &[u32], Option<usize>); 8] = [
            (&[], &[], None),
            (&[5], &[5], None),
            (&[5], &[6], Some(0)),
            (&[5, 6, 7], &[5, 6, 8], Some(2)),
            (&[5, 6, 7], &[5, 9, 7], Some(1)),
            (&[5, 6, end], &[5, 6, 7, 8], Some(2)), // one run ends its turn where the other goes on
            (&[5, 6, 7, 8], &[5, end], Some(1)),
            (&[5, 6], &[5, 6, 7], None), // cut short: no position has two ids
        ];
        for (a, b, expected) in cases {
            let found = fork(&cold(a), &warm(b));
            assert_eq!(found.as_ref().map(|fork| fork.position), expected, "{a:?} {b:?}");
            let back = fork(&warm(b), &cold(a));
            assert_eq!(back.as_ref().map(|fork| fork.position), expected, "{b:?} {a:?}");
            if let (Some(fork), Some(back)) = (found, back) {
                assert_eq!((fork.cold_id, fork.warm_id), (back.warm_id, back.cold_id));
            }
        }
    }

    #[test]
    fn the_margin_of_the_pair_changes_sign_at_the_fork() {
        let mut a = cold(&[5, 6, 7]);
        let mut b = warm(&[5, 6, 8]);
        a.steps[0].top = [(5, 9.0), (8, 4.0), (7, 3.5), (1, 1.0), (3, 0.0)];
        b.steps[0].top = [(5, 9.0), (8, 4.25), (7, 3.5), (1, 1.0), (3, 0.0)];
        // Step 1: token 8 is not among the cold run's five.
        b.steps[1].top = [(6, 9.0), (7, 4.0), (8, 3.0), (1, 1.0), (3, 0.0)];
        a.steps[2].top = [(7, 6.0), (8, 5.75), (1, 1.0), (3, 0.0), (4, 0.0)];
        b.steps[2].top = [(8, 6.0), (7, 5.5), (1, 1.0), (3, 0.0), (4, 0.0)];
        let margin = |cold, warm| PairMargins { cold, warm };
        let found = fork(&a, &b).expect("ids differ");
        assert_eq!((found.cold_id, found.warm_id), (7, 8));
        let expected = [margin(Some(-0.5), Some(-0.75)), margin(None, Some(1.0)), margin(Some(0.25), Some(-0.5))];
        assert_eq!(found.margins, expected);
    }

    #[test]
    fn drift_is_the_first_differing_hash_up_to_the_fork() {
        let a = cold(&[5, 6, 7, 8]);
        assert_eq!(drift(&a, &warm(&[5, 6, 7, 8])), None);
        let mut b = warm(&[5, 6, 7, 8]);
        b.steps[2].logits_hash = [0; 4];
        b.steps[3].logits_hash = [0; 4];
        assert_eq!(drift(&a, &b), Some(2));
        // Equal hashes at a fork would be odd, and a difference behind it means nothing.
        let mut b = warm(&[5, 9, 7, 8]);
        b.steps[1] = Step { id: 9, ..a.steps[1] };
        b.steps[2].logits_hash = [0; 4];
        assert_eq!(drift(&a, &b), None);
        assert_eq!(drift(&a, &warm(&[5, 9])), Some(1));
    }
}
