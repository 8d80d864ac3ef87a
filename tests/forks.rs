//! Cold against warm: order `invariant` gives the same bits, and the check that says so fails for order `by-shape`.
#![cfg(not(target_arch = "wasm32"))] // The browser's tests have their own comparisons.

#[path = "support/real_model.rs"]
mod real_model;
mod support;

use lastbit::compare::verdict::{Fault, RunOutcome, verdict};
use lastbit::compare::{Verdict, report::Comparison};
use lastbit::experiment::forks::{Arm, Case, Outcome, ScenarioName, Settings, run};
use lastbit::experiment::prompts::PROMPTS;
use lastbit::generate::{CancelToken, Engine, EngineOptions, Prompt, RunOptions, RunTrace};
use lastbit::numerics::{Formats, Numerics, Order};
use lastbit::tiny_model;

const ALL_FORMATS: [Formats; 3] = [Formats::Int8, Formats::Float, Formats::F32];
const SCENARIOS: [ScenarioName; 2] = [ScenarioName::S1, ScenarioName::S2];

async fn tiny(formats: Formats, order: Order) -> Engine {
    let device = support::device().await;
    let model = support::load(&device, tiny_model::gguf_bytes(7)).await;
    let numerics = Numerics::new(formats, order, 64);
    Engine::new(&device, model, numerics, EngineOptions::default()).await.expect("the engine starts")
}

/// Compares prompts under one arm. In every order the control must hold and something must be reused, or nothing was tested.
async fn outcomes(engine: &mut Engine, arm: Arm, prompts: &[usize], n_tokens: usize) -> Vec<Outcome> {
    let settings = Settings::new(engine, n_tokens, n_tokens);
    let mut outcomes = Vec::new();
    for &prompt in prompts {
        let outcome = run(engine, &settings, Case { prompt, arm }, &CancelToken::default())
            .await
            .expect("the numerics are set up");
        println!("{outcome:?}");
        assert_eq!(outcome.error, None);
        assert_eq!(outcome.control_equal, Some(true), "cold A and cold B: {outcome:?}");
        assert!(outcome.exposure > 0 && outcome.tokens > 0, "nothing was put to the test: {outcome:?}");
        outcomes.push(outcome);
    }
    outcomes
}

/// The bit check: every logit of every step had the same bits, cold and warm.
fn is_bit_identical(outcome: &Outcome) -> bool {
    outcome.verdict == Verdict::BitIdentical && outcome.first_differing_logits.is_none() && outcome.fork.is_none()
}

/// `invariant` passes the bit check in these formats.
async fn check_invariant(engine: &mut Engine, formats: &[Formats], prompts: &[usize], n_tokens: usize) {
    for &formats in formats {
        for scenario in SCENARIOS {
            let arm = Arm { scenario, formats, order: Order::Invariant };
            let outcomes = outcomes(engine, arm, prompts, n_tokens).await;
            let broken: Vec<&Outcome> = outcomes.iter().filter(|outcome| !is_bit_identical(outcome)).collect();
            assert!(broken.is_empty(), "invariant, and still some bit differs: {broken:#?}");
        }
    }
}

/// `by-shape` fails it: were it to pass there too, it could not tell the orders apart.
async fn check_by_shape(engine: &mut Engine, prompts: &[usize], n_tokens: usize) {
    for scenario in SCENARIOS {
        let arm = Arm { scenario, formats: Formats::Int8, order: Order::ByShape };
        let outcomes = outcomes(engine, arm, prompts, n_tokens).await;
        let differing = outcomes.iter().filter(|outcome| outcome.first_differing_logits.is_some()).count();
        assert!(differing > 0, "{scenario:?}: no hash differs in {} comparisons", outcomes.len());
        assert!(!outcomes.iter().all(is_bit_identical));
    }
}

#[test]
fn tiny_model_invariant_is_bit_identical_in_all_formats() {
    pollster::block_on(async {
        let mut engine = tiny(Formats::Int8, Order::Invariant).await;
        check_invariant(&mut engine, &ALL_FORMATS, &[0, 1, 2], 12).await;
    });
}

#[test]
fn tiny_model_by_shape_fails_the_bit_check() {
    pollster::block_on(async {
        let mut engine = tiny(Formats::Int8, Order::ByShape).await;
        check_by_shape(&mut engine, &[0, 1, 2], 12).await;
    });
}

/// About a minute on two cores: few prompts and tokens, every format. The whole experiment is `lastbit experiments forks`.
#[test]
fn smollm2_is_bit_identical_under_invariant_and_not_under_by_shape() {
    pollster::block_on(async {
        let mut engine = real_model::smollm2(Formats::Int8, Order::ByShape).await;
        check_by_shape(&mut engine, &[0, 1], 6).await;
        check_invariant(&mut engine, &ALL_FORMATS[..1], &[0, 1], 6).await;
        check_invariant(&mut engine, &ALL_FORMATS[1..], &[0], 6).await;
    });
}

/// Cold A, cold B, and a third run that may reuse at most `max_reused_tokens` tokens of cold B's prompt.
async fn three_runs(engine: &mut Engine, max_reused_tokens: usize) -> [RunTrace; 3] {
    let prompt = engine.encode(&Prompt::Chat { user: PROMPTS[0].to_owned() }).expect("a prompt");
    let cancel = CancelToken::default();
    let mut runs = Vec::new();
    for limit in [0, 0, max_reused_tokens] {
        if runs.len() < 2 {
            engine.reset().expect("an empty cache");
        }
        let options = RunOptions { max_tokens: 8, max_reused_tokens: limit };
        runs.push(engine.run(&prompt, options, &cancel, |_| ()).await.expect("a run"));
    }
    runs.try_into().expect("three runs")
}

#[test]
fn without_reuse_equal_bits_prove_nothing() {
    pollster::block_on(async {
        for order in [Order::ByShape, Order::Invariant] {
            let mut engine = tiny(Formats::Int8, order).await;
            let [a, b, third] = three_runs(&mut engine, 0).await;
            assert!(b.steps.iter().zip(&third.steps).all(|(b, third)| b.has_bits_of(third)), "all three are cold");
            let [a, b, third] = [&a, &b, &third].map(RunOutcome::Ended);
            assert_eq!(verdict(a, b, third, Fault::None), Verdict::Vacuous, "{order:?}");
        }
    });
}

#[test]
fn every_length_of_reuse_gives_the_bits_of_none_under_invariant() {
    pollster::block_on(async {
        let mut engine = tiny(Formats::Int8, Order::Invariant).await;
        // Nothing of a block of 16, one whole block, a part of the next, and all but the last token.
        for max_reused_tokens in [1, 15, 16, 17, 31, usize::MAX] {
            let [a, b, warm] = three_runs(&mut engine, max_reused_tokens).await;
            let expected = max_reused_tokens.min(warm.prompt_tokens - 1);
            assert_eq!(warm.reused_tokens, expected);
            let [a, b, warm] = [&a, &b, &warm].map(RunOutcome::Ended);
            assert_eq!(verdict(a, b, warm, Fault::None), Verdict::BitIdentical, "{expected} tokens reused");
        }
    });
}

#[test]
fn a_comparison_under_another_order_keeps_no_cache_of_the_first() {
    pollster::block_on(async {
        let mut engine = tiny(Formats::Int8, Order::ByShape).await;
        let prompt = engine.encode(&Prompt::Chat { user: PROMPTS[0].to_owned() }).expect("a prompt");
        let cancel = CancelToken::default();
        let first = engine.run(&prompt, RunOptions::tokens(2), &cancel, |_| ()).await.expect("a run");
        let again = engine.run(&prompt, RunOptions::tokens(2), &cancel, |_| ()).await.expect("a run");
        assert_eq!((first.reused_tokens, again.reused_tokens), (0, prompt.len() - 1));
        engine.configure(Numerics::new(Formats::Int8, Order::Invariant, 64)).await.expect("another order");
        let other = engine.run(&prompt, RunOptions::tokens(2), &cancel, |_| ()).await.expect("a run");
        assert_eq!(other.reused_tokens, 0);
    });
}

#[test]
fn a_report_says_what_the_traces_say() {
    pollster::block_on(async {
        let mut engine = tiny(Formats::Int8, Order::Invariant).await;
        let request = lastbit::compare::CompareRequest {
            prompt: Prompt::Chat { user: PROMPTS[0].to_owned() },
            scenario: lastbit::compare::Scenario::SamePrompt,
            before: vec!["some other text".to_owned()],
            max_tokens: 5,
        };
        let runs = lastbit::compare::compare(&mut engine, &request, &CancelToken::default(), |_| ()).await;
        let report = Comparison::new(&runs, engine.tokenizer(), Formats::Int8, Order::Invariant);
        assert_eq!(report.verdict, Verdict::BitIdentical, "another text in the cache changes no bit");
        assert_eq!(report.runs.len(), 3);
        assert_eq!(Some(report.exposure), runs.warm.as_ref().map(|warm| warm.reused_tokens));
    });
}
