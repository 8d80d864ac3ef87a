//! Comparisons of cold and warm runs: what proves nothing, what other numerics may reuse, and what the report says.

use lastbit::compare::verdict::{Fault, RunOutcome, verdict};
use lastbit::compare::{CompareRequest, Comparison, Scenario, Verdict, compare};
use lastbit::generate::{CancelToken, Engine, Prompt, RunOptions, RunTrace};
use lastbit::numerics::{Formats, Numerics, Order};
use lastbit::tiny_model;

use crate::engine;

fn prompt() -> Prompt {
    Prompt::Chat { user: "Tell me about the sea.".to_owned() }
}

async fn run(engine: &mut Engine, ids: &[u32], options: RunOptions) -> RunTrace {
    engine.run(ids, options, &CancelToken::default(), |_| ()).await.expect("a run")
}

#[test]
fn without_reuse_equal_bits_prove_nothing() {
    pollster::block_on(async {
        for order in [Order::ByShape, Order::Invariant] {
            let mut engine = engine(&tiny_model::gguf_bytes(7), Formats::Int8, order).await;
            let ids = engine.encode(&prompt()).await.expect("a prompt");
            let options = RunOptions { max_tokens: 8, max_reused_tokens: 0 };
            let a = run(&mut engine, &ids, options).await;
            let b = run(&mut engine, &ids, options).await;
            let third = run(&mut engine, &ids, options).await;
            assert!(b.steps.iter().zip(&third.steps).all(|(b, third)| b.has_bits_of(third)), "all three are cold");
            let [a, b, third] = [&a, &b, &third].map(RunOutcome::Ended);
            assert_eq!(verdict(a, b, third, Fault::None), Verdict::Vacuous, "{order:?}");
        }
    });
}

#[test]
fn a_comparison_under_another_order_keeps_no_cache_of_the_first() {
    pollster::block_on(async {
        let mut engine = engine(&tiny_model::gguf_bytes(7), Formats::Int8, Order::ByShape).await;
        let ids = engine.encode(&prompt()).await.expect("a prompt");
        let first = run(&mut engine, &ids, RunOptions::tokens(2)).await;
        let again = run(&mut engine, &ids, RunOptions::tokens(2)).await;
        assert_eq!((first.reused_tokens, again.reused_tokens), (0, ids.len() - 1));
        engine.configure(Numerics::new(Formats::Int8, Order::Invariant, 64)).await.expect("another order");
        assert_eq!(run(&mut engine, &ids, RunOptions::tokens(2)).await.reused_tokens, 0);
    });
}

#[test]
fn a_report_says_what_the_traces_say() {
    pollster::block_on(async {
        let mut engine = engine(&tiny_model::gguf_bytes(7), Formats::Int8, Order::Invariant).await;
        let request = CompareRequest {
            prompt: prompt(),
            scenario: Scenario::SamePrompt,
            before: vec!["some other text".to_owned()],
            max_tokens: 5,
        };
        let runs = compare(&mut engine, &request, &CancelToken::default(), |_| ()).await;
        let report = Comparison::new(&runs, engine.tokenizer(), Formats::Int8, Order::Invariant);
        assert_eq!(report.verdict, Verdict::BitIdentical, "another text in the cache changes no bit");
        assert_eq!(report.runs.len(), 3);
        assert_eq!(Some(report.exposure), runs.warm.as_ref().map(|warm| warm.reused_tokens));
    });
}
