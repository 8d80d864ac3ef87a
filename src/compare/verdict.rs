//! One word for a comparison of cold A, cold B and warm.

use serde::{Deserialize, Serialize};

use super::fork::{drift, fork, steps_in_common};
use crate::generate::trace::{RunTrace, Step, StopReason};

/// What a comparison shows. The first that applies, in the order of declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A run failed, or the three were not runs of one request.
    Error,
    /// A run was stopped.
    Cancelled,
    /// Cold A and cold B differ in a bit: this device does not repeat itself.
    ControlFailed,
    /// Nothing was put to the test: the warm run reused nothing, a cold run was not cold, or no token was decoded.
    Vacuous,
    /// The difference is larger than noise explains: a fault, not an order of addition.
    Corrupt,
    /// The runs forked where a run's two largest logits are exactly equal, so the tie rule chose.
    Tie,
    /// The runs chose different tokens.
    Forked,
    /// The same tokens, but some bit of some logits differs.
    SameTokens,
    /// The same tokens and the same bits in everything compared.
    BitIdentical,
}

/// What became of one of the three runs.
#[derive(Clone, Copy, Debug)]
pub enum RunOutcome<'a> {
    /// It came to a stop; cancelled runs included.
    Ended(&'a RunTrace),
    /// It failed with an error.
    Failed,
    /// It never started, because an earlier run failed or was cancelled.
    NotStarted,
}

/// Whether the size and kind of the difference point to a fault (the rules of noise and corruption).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Explained by noise, or not looked at.
    None,
    /// Too large for noise.
    Found,
}

/// Judges a comparison: cold A against cold B is the control, cold B against warm the question.
///
/// All three must be runs of one request: the same prompt and the same limits. The end-of-turn token is a step, so under equal
/// limits two runs of different length differ in an id somewhere. Where one run's ids are merely the beginning of the other's, or
/// equal ids ended for different reasons, the limits were not equal, and the verdict is [`Verdict::Error`] rather than a guess.
pub fn verdict(cold_a: RunOutcome<'_>, cold_b: RunOutcome<'_>, warm: RunOutcome<'_>, fault: Fault) -> Verdict {
    let runs = [cold_a, cold_b, warm];
    if runs.iter().any(|run| matches!(run, RunOutcome::Failed)) {
        return Verdict::Error;
    }
    let (RunOutcome::Ended(cold_a), RunOutcome::Ended(cold_b), RunOutcome::Ended(warm)) = (cold_a, cold_b, warm) else {
        return Verdict::Cancelled;
    };
    let traces = [cold_a, cold_b, warm];
    if traces.iter().any(|run| run.steps.iter().any(has_nan)) {
        return Verdict::Error;
    }
    if traces.iter().any(|run| run.stop == StopReason::Cancelled) {
        return Verdict::Cancelled;
    }
    if !is_one_request(cold_a, cold_b) || !is_one_request(cold_b, warm) {
        return Verdict::Error;
    }

    if fork(cold_a, cold_b).is_some() || drift(cold_a, cold_b).is_some() {
        return Verdict::ControlFailed;
    }
    let is_cold = |run: &RunTrace| run.reused_tokens == 0;
    if !is_cold(cold_a) || !is_cold(cold_b) || is_cold(warm) || warm.steps.is_empty() {
        return Verdict::Vacuous;
    }
    if fault == Fault::Found {
        return Verdict::Corrupt;
    }
    match fork(cold_b, warm) {
        Some(fork) if is_tied(&cold_b.steps[fork.position]) || is_tied(&warm.steps[fork.position]) => Verdict::Tie,
        Some(_) => Verdict::Forked,
        None if drift(cold_b, warm).is_some() => Verdict::SameTokens,
        None => Verdict::BitIdentical,
    }
}

/// Equal prompts, and nothing that only unequal limits explain.
fn is_one_request(a: &RunTrace, b: &RunTrace) -> bool {
    let n_common = steps_in_common(a, b);
    let has_fork = n_common < a.steps.len().min(b.steps.len());
    let has_equal_end = a.steps.len() == b.steps.len() && a.stop == b.stop;
    a.prompt_tokens == b.prompt_tokens && (has_fork || has_equal_end)
}

fn is_tied(step: &Step) -> bool {
    step.top[0].1 == step.top[1].1
}

/// An engine that lets a NaN through has failed, whatever token it chose.
fn has_nan(step: &Step) -> bool {
    step.top.iter().any(|(_, logit)| logit.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::trace::example::{END_OF_TURN, cold, warm};

    /// Judges three traces and expects a word.
    fn check(a: &RunTrace, b: &RunTrace, w: &RunTrace, fault: Fault, expected: Verdict) {
        let [a, b, w] = [a, b, w].map(RunOutcome::Ended);
        assert_eq!(verdict(a, b, w, fault), expected, "{a:?}\n{b:?}\n{w:?}");
    }

    fn check_warm(w: &RunTrace, expected: Verdict) {
        check(&cold(&[5, 6, 7]), &cold(&[5, 6, 7]), w, Fault::None, expected);
    }

    fn drifted(mut run: RunTrace) -> RunTrace {
        run.steps[1].logits_hash = [99; 4];
        run
    }

    fn tied(mut run: RunTrace, at: usize) -> RunTrace {
        run.steps[at].top[1].1 = run.steps[at].top[0].1;
        run
    }

    #[test]
    fn bit_identical_same_tokens_and_forked() {
        check_warm(&warm(&[5, 6, 7]), Verdict::BitIdentical);
        check_warm(&drifted(warm(&[5, 6, 7])), Verdict::SameTokens);
        check_warm(&warm(&[5, 6, 8]), Verdict::Forked);
        check_warm(&warm(&[5, END_OF_TURN]), Verdict::Forked);
        // Other kernels ran and other times passed: neither is a bit of the result.
        let mut other = warm(&[5, 6, 7]);
        other.kernels = vec!["matmul_tiled".to_owned()];
        other.steps[0].elapsed_ms = 77.0;
        check_warm(&other, Verdict::BitIdentical);
    }

    #[test]
    fn a_tie_needs_a_fork_and_equal_logits_at_it_in_either_run() {
        check_warm(&tied(warm(&[5, 6, 8]), 2), Verdict::Tie);
        check_warm(&tied(warm(&[5, 6, 8]), 1), Verdict::Forked);
        check_warm(&tied(warm(&[5, 6, 7]), 2), Verdict::SameTokens);
        let cold = tied(cold(&[5, 6, 7]), 2);
        check(&cold, &cold, &warm(&[5, 6, 8]), Fault::None, Verdict::Tie);
        let mut nearly = warm(&[5, 6, 8]);
        nearly.steps[2].top[1].1 = nearly.steps[2].top[0].1.next_down();
        check_warm(&nearly, Verdict::Forked);
    }

    #[test]
    fn corrupt_is_told_by_the_caller() {
        let cold = cold(&[5, 6, 7]);
        check(&cold, &cold, &tied(warm(&[5, 6, 8]), 2), Fault::Found, Verdict::Corrupt);
        check(&cold, &cold, &warm(&[5, 6, 7]), Fault::Found, Verdict::Corrupt);
    }

    #[test]
    fn vacuous_when_nothing_was_put_to_the_test() {
        check_warm(&cold(&[5, 6, 7]), Verdict::Vacuous);
        check_warm(&cold(&[5, 6, 8]), Verdict::Vacuous);
        check(&cold(&[]), &cold(&[]), &warm(&[]), Fault::None, Verdict::Vacuous);
        let not_cold = warm(&[5, 6, 7]);
        check(&not_cold, &not_cold, &not_cold, Fault::None, Verdict::Vacuous);
        check(&cold(&[5, 6, 7]), &cold(&[5, 6, 7]), &cold(&[5, 6, 7]), Fault::Found, Verdict::Vacuous);
    }

    #[test]
    fn control_failed_comes_before_everything_about_the_warm_run() {
        let failing = [cold(&[5, 6, 8]), drifted(cold(&[5, 6, 7])), cold(&[5, END_OF_TURN])];
        for a in failing {
            for w in [cold(&[5, 6, 7]), warm(&[5, 6, 7]), tied(warm(&[5, 6, 8]), 2)] {
                check(&a, &cold(&[5, 6, 7]), &w, Fault::Found, Verdict::ControlFailed);
            }
        }
    }

    #[test]
    fn equal_logits_with_another_choice_are_no_agreement() {
        let run = cold(&[5, 6, 7]);
        let mut other = run.clone();
        other.steps[2].id = 9000;
        check(&run, &other, &warm(&[5, 6, 7]), Fault::None, Verdict::ControlFailed);
        let other = RunTrace { reused_tokens: 39, ..other };
        check(&run, &run, &other, Fault::None, Verdict::Forked);
    }

    #[test]
    fn cancelled_and_error_come_first() {
        let run = cold(&[5, 6, 7]);
        let other = drifted(run.clone());
        let mut stopped = cold(&[5]);
        stopped.stop = StopReason::Cancelled;
        check(&other, &run, &stopped, Fault::Found, Verdict::Cancelled);
        check(&stopped, &other, &run, Fault::None, Verdict::Cancelled);

        use RunOutcome::{Ended, Failed, NotStarted};
        let judge = |a, b, w| verdict(a, b, w, Fault::Found);
        assert_eq!(judge(Ended(&stopped), NotStarted, NotStarted), Verdict::Cancelled);
        assert_eq!(judge(NotStarted, NotStarted, NotStarted), Verdict::Cancelled);
        assert_eq!(judge(Failed, NotStarted, NotStarted), Verdict::Error);
        assert_eq!(judge(Ended(&run), Ended(&stopped), Failed), Verdict::Error);
        assert_eq!(judge(Ended(&run), Ended(&other), Failed), Verdict::Error);
    }

    #[test]
    fn unequal_requests_and_nan_are_errors() {
        check_warm(&warm(&[5, 6]), Verdict::Error);
        check_warm(&warm(&[5, 6, 7, 8]), Verdict::Error);
        let mut other = warm(&[5, 6, 7]);
        other.stop = StopReason::ContextFull;
        check_warm(&other, Verdict::Error);
        let mut other = warm(&[5, 6, 8]);
        other.prompt_tokens = 41;
        check_warm(&other, Verdict::Error);
        let mut other = warm(&[5, 6, 7]);
        other.steps[1].top[4].1 = f32::NAN;
        check_warm(&other, Verdict::Error);
    }

    #[test]
    fn the_words_in_their_order() {
        use Verdict::{BitIdentical, Cancelled, ControlFailed, Corrupt, Error, Forked, SameTokens, Tie, Vacuous};
        let all = [Error, Cancelled, ControlFailed, Vacuous, Corrupt, Tie, Forked, SameTokens, BitIdentical];
        let words = serde_json::to_string(&all).expect("words");
        let expected = concat!(
            r#"["error","cancelled","control-failed","vacuous","corrupt","#,
            r#""tie","forked","same-tokens","bit-identical"]"#
        );
        assert_eq!(words, expected);
        assert!(all.is_sorted());
    }
}
