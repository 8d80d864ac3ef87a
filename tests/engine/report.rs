//! What a comparison reports, from runs written by hand.

use lastbit::compare::report::Comparison;
use lastbit::compare::{Runs, Verdict};
use lastbit::generate::{RunTrace, Step, StopReason};
use lastbit::gguf::GgufFile;
use lastbit::numerics::{Formats, Order};
use lastbit::tokenizer::Tokenizer;

/// A step whose two largest logits are these.
fn step(first: (u32, f32), second: (u32, f32), hash: u32) -> Step {
    Step {
        id: first.0,
        top: [first, second, (9, 0.0), (10, -1.0), (11, -2.0)],
        logits_hash: [hash; 4],
        elapsed_ms: 1.0,
    }
}

fn trace(reused_tokens: usize, steps: Vec<Step>) -> RunTrace {
    RunTrace {
        prompt_tokens: 20,
        reused_tokens,
        steps,
        stop: StopReason::MaxTokens,
        time_to_first_token_ms: Some(1.0),
        kernels: Vec::new(),
    }
}

fn forked() -> Runs {
    let cold = || trace(0, vec![step((5, 9.0), (6, 3.0), 1), step((7, 8.5), (8, 8.0), 2)]);
    let warm = trace(19, vec![step((5, 9.0), (6, 3.0), 1), step((8, 8.25), (7, 8.0), 3)]);
    Runs { cold_a: Some(cold()), cold_b: Some(cold()), warm: Some(warm), ..Runs::default() }
}

fn report(runs: &Runs) -> Comparison {
    let file = GgufFile::parse(&lastbit::tiny_model::gguf_bytes(7)).expect("the tiny model is a file");
    let tokenizer = Tokenizer::from_metadata(&file.metadata).expect("it has a tokenizer");
    Comparison::new(runs, &tokenizer, Formats::Int8, Order::ByShape)
}

#[test]
fn a_fork_has_the_margin_of_one_pair_in_each_run_with_its_sign() {
    let found = report(&forked());
    assert_eq!(found.verdict, Verdict::Forked);
    assert_eq!((found.exposure, found.first_differing_logits), (19, Some(1)));
    let fork = found.fork.expect("the tokens part");
    assert_eq!((fork.index, fork.cold.id, fork.warm.id), (1, 7, 8));
    assert_eq!((fork.cold_pair_margin, fork.warm_pair_margin), (Some(0.5), Some(-0.25)));
    assert_eq!((fork.cold.logit, fork.warm.logit), (8.5, 8.25));
}

#[test]
fn a_first_turn_that_does_not_repeat_itself_fails_the_control() {
    let found = report(&Runs { first_turn_differs: true, ..forked() });
    assert_eq!(found.verdict, Verdict::ControlFailed);
    let control = found.control.expect("both cold runs ended");
    assert!(!control.same_bits && !control.same_tokens);
}

#[test]
fn cold_runs_that_differ_in_one_bit_fail_the_control() {
    let mut runs = forked();
    runs.cold_b = Some(trace(0, vec![step((5, 9.0), (6, 3.0), 1), step((7, 8.5), (8, 8.0), 4)]));
    let found = report(&runs);
    assert_eq!(found.verdict, Verdict::ControlFailed);
    let control = found.control.expect("both cold runs ended");
    assert!(control.same_tokens && !control.same_bits);
}
