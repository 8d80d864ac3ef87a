//! Runs that end early, and what is left of them.

use lastbit::compare::report::Comparison;
use lastbit::compare::{CompareRequest, Scenario, Verdict, compare};
use lastbit::generate::{CancelToken, GenerateError, Prompt, RunEvent, RunOptions, StopReason};
use lastbit::numerics::{Formats, Order};
use lastbit::tiny_model::TinyModel;

use crate::{engine, ids};

fn request(max_tokens: usize) -> CompareRequest {
    CompareRequest {
        prompt: Prompt::Complete { text: "One two three four five six seven eight.".to_owned() },
        scenario: Scenario::SamePrompt,
        before: Vec::new(),
        max_tokens,
    }
}

#[test]
fn cancel_takes_effect_at_most_one_step_late_and_what_was_computed_is_reused() {
    pollster::block_on(async {
        let mut engine = engine(&TinyModel::default().gguf_bytes(), Formats::Int8, Order::ByShape).await;
        // A prompt whose answer does not end by itself within eight tokens.
        let mut prompt = Vec::new();
        for seed in 1..50 {
            prompt = ids(20, seed);
            let trace =
                engine.run(&prompt, RunOptions::tokens(8), &CancelToken::default(), |_| ()).await.expect("a run");
            if trace.stop == StopReason::MaxTokens {
                break;
            }
        }
        let cancel = CancelToken::default();
        let trace = engine
            .run(&prompt, RunOptions::tokens(50), &cancel, |event| {
                if matches!(event, RunEvent::Token { index: 3, .. }) {
                    cancel.cancel();
                }
            })
            .await
            .expect("a cancelled run is a run");
        assert_eq!(trace.stop, StopReason::Cancelled);
        assert!((4..=5).contains(&trace.steps.len()), "{} steps", trace.steps.len());
        let again = engine.run(&prompt, RunOptions::tokens(4), &CancelToken::default(), |_| ()).await.expect("a run");
        assert_eq!(again.reused_tokens, 19);
    });
}

#[test]
fn a_cancelled_comparison_keeps_its_runs_and_says_so() {
    pollster::block_on(async {
        let mut engine = engine(&TinyModel::default().gguf_bytes(), Formats::Int8, Order::ByShape).await;
        let cancel = CancelToken::default();
        let mut tokens = 0;
        let runs = compare(&mut engine, &request(6), &cancel, |event| {
            if let RunEvent::Token { .. } = event.event {
                tokens += 1;
                if tokens == 8 {
                    cancel.cancel();
                }
            }
        })
        .await;
        let found = Comparison::new(&runs, engine.tokenizer(), Formats::Int8, Order::ByShape);
        assert_eq!(found.verdict, Verdict::Cancelled);
        assert_eq!(found.runs.len(), 2);
        assert_eq!(found.runs[0].steps.len(), 6);
    });
}

#[test]
fn a_lost_device_is_an_error_and_the_runs_before_it_are_kept() {
    pollster::block_on(async {
        let mut engine = engine(&TinyModel::default().gguf_bytes(), Formats::Int8, Order::ByShape).await;
        let device = engine.device().clone();
        let mut tokens = 0;
        let runs = compare(&mut engine, &request(6), &CancelToken::default(), |event| {
            if let RunEvent::Token { .. } = event.event {
                tokens += 1;
                if tokens == 8 {
                    device.lose();
                }
            }
        })
        .await;
        let found = Comparison::new(&runs, engine.tokenizer(), Formats::Int8, Order::ByShape);
        assert_eq!(found.verdict, Verdict::Error);
        assert_eq!(found.runs.len(), 1);
        assert_eq!(found.error.expect("an error in words").code, "device-lost");
    });
}

#[test]
fn prompts_that_do_not_fit_are_refused_and_a_full_context_ends_a_run() {
    pollster::block_on(async {
        let mut engine = engine(&TinyModel::default().gguf_bytes(), Formats::F32, Order::Invariant).await;
        let cancel = CancelToken::default();
        let mut run = async |prompt: &[u32]| engine.run(prompt, RunOptions::tokens(50), &cancel, |_| ()).await;
        assert!(matches!(run(&[]).await, Err(GenerateError::EmptyPrompt)));
        let long = run(&ids(256, 1)).await;
        assert!(matches!(long, Err(GenerateError::PromptTooLong { n_tokens: 256, context_len: 256 })), "{long:?}");
        let full = run(&ids(250, 1)).await.expect("a run");
        if full.stop != StopReason::EndOfTurn {
            assert_eq!((full.stop, full.steps.len()), (StopReason::ContextFull, 7));
        }
        let unknown = run(&[5, 100_000]).await;
        assert!(unknown.expect_err("no such token").to_string().contains("100000"));
        run(&ids(10, 2)).await.expect("the engine goes on after a refusal");
    });
}

#[test]
fn logits_that_are_not_finite_are_an_error_and_never_a_token() {
    pollster::block_on(async {
        // The last tensor is the last norm, in F32: finite weights, infinite logits.
        let tiny = TinyModel::default();
        let mut bytes = tiny.gguf_bytes();
        let start = bytes.len() - 4 * tiny.embedding_dim();
        for weight in bytes[start..].chunks_exact_mut(4) {
            weight.copy_from_slice(&f32::MAX.to_le_bytes());
        }
        let mut engine = engine(&bytes, Formats::F32, Order::ByShape).await;
        let runs = compare(&mut engine, &request(4), &CancelToken::default(), |_| ()).await;
        let found = Comparison::new(&runs, engine.tokenizer(), Formats::F32, Order::ByShape);
        assert_eq!(found.verdict, Verdict::Error);
        assert!(found.runs.is_empty(), "nothing was chosen");
        assert!(found.error.expect("an error in words").message.contains("not finite"));
    });
}

#[test]
fn prompts_put_before_the_warm_run_are_run_and_bad_ones_are_refused_before_anything_is() {
    pollster::block_on(async {
        let mut engine = engine(&TinyModel::default().gguf_bytes(), Formats::Int8, Order::Invariant).await;
        let steps = |engine: &lastbit::generate::Engine| engine.device().counters().submissions.get();
        let mut counts = Vec::new();
        for before in [vec![], vec!["Alpha beta gamma.".to_owned(), "Delta epsilon.".to_owned()]] {
            let start = steps(&engine);
            let request = CompareRequest { before, ..request(3) };
            let runs = compare(&mut engine, &request, &CancelToken::default(), |_| ()).await;
            assert!(runs.error.is_none() && runs.warm.is_some());
            counts.push(steps(&engine) - start);
        }
        assert_eq!(counts[1], counts[0] + 2, "one step for each prompt before");

        let start = steps(&engine);
        let bad = CompareRequest { before: vec![String::new()], ..request(3) };
        let runs = compare(&mut engine, &bad, &CancelToken::default(), |_| ()).await;
        assert!(matches!(runs.error, Some(GenerateError::EmptyPrompt)) && runs.cold_a.is_none());
        assert_eq!(steps(&engine), start);
    });
}
