//! The first bit that sets a warm run of the real model apart from a cold one: the same place in every prompt, or nowhere.
#![cfg(not(target_arch = "wasm32"))] // The browser's tests have their own comparisons.

#[path = "support/real_model.rs"]
mod real_model;
mod support;

use lastbit::compare::Scenario;
use lastbit::compare::dissection::{Dissection, Extent, dissect};
use lastbit::experiment::prompts::PROMPTS;
use lastbit::generate::{CancelToken, Engine, EngineOptions, Prompt};
use lastbit::model::TapTensor;
use lastbit::numerics::{Formats, Numerics, Order};

const SECOND_TURN: &str = "Tell me more.";

async fn take_apart(engine: &mut Engine, prompt: usize, scenario: &Scenario) -> Dissection {
    let prompt = Prompt::Chat { user: PROMPTS[prompt].to_owned() };
    let found = dissect(engine, (&prompt, scenario), Extent::to_fork(4), &CancelToken::default(), |_| ()).await;
    assert!(found.error.is_none(), "{:?}", found.error);
    assert!(found.reused_tokens > 0 && !found.prompt.is_empty());
    found
}

#[test]
fn smollm2_parts_in_the_first_product_of_the_first_position_that_another_kernel_computes() {
    pollster::block_on(async {
        let options = EngineOptions { n_sequences: 2, ..EngineOptions::default() };
        let mut engine = real_model::smollm2(Numerics::new(Formats::Int8, Order::ByShape, 64), options).await;
        let second_turn = Scenario::SecondTurn { follow_up: SECOND_TURN.to_owned(), reply_tokens: 4 };
        for (prompt, scenario) in [(0, &Scenario::SamePrompt), (1, &Scenario::SamePrompt), (0, &second_turn)] {
            let found = take_apart(&mut engine, prompt, scenario).await;
            assert!(found.steps_with_different_logits > 0);
            let origin = found.search.and_then(|search| search.origin).expect("the kernels add in different orders");
            println!("{origin}");
            assert_eq!((origin.layer, origin.tensor), (Some(0), TapTensor::Q));
            let [cold, warm] = [&origin.cold.writer, &origin.warm.writer];
            assert_eq!((cold.kernel.as_str(), warm.kernel.as_str()), ("qkv_q4_1_tiled", "qkv_q4_1_vector"));
            assert_eq!(warm.chunk_rows, 1);
            match scenario {
                Scenario::SamePrompt => assert_eq!(origin.position, found.prompt.len() - 1),
                // Of the decoded answer, whose tokens the cold run computes with the rest of the prompt.
                Scenario::SecondTurn { .. } => assert!(origin.position < found.reused_tokens, "{origin}"),
            }
        }
        engine.configure(Numerics::new(Formats::Int8, Order::Invariant, 64)).await.expect("another order");
        for scenario in [&Scenario::SamePrompt, &second_turn] {
            let found = take_apart(&mut engine, 0, scenario).await;
            assert_eq!(found.steps_with_different_logits, 0);
            assert_eq!(found.search.map(|search| search.origin), Some(None), "every bit of every tensor is equal");
        }
    });
}

#[test]
fn behind_the_fork_both_runs_are_fed_the_cold_runs_tokens() {
    pollster::block_on(async {
        let options = EngineOptions { n_sequences: 2, ..EngineOptions::default() };
        let mut engine = real_model::smollm2(Numerics::new(Formats::Int8, Order::ByShape, 64), options).await;
        // It forks at once, so that little has to be run.
        let prompt = Prompt::Chat { user: "Write a short story about a lighthouse keeper.".to_owned() };
        let mut found = async |extent| {
            dissect(&mut engine, (&prompt, &Scenario::SamePrompt), extent, &CancelToken::default(), |_| ()).await
        };
        let to_fork = found(Extent::to_fork(4)).await;
        let fork = to_fork.fork.expect("a fork");
        assert_eq!((to_fork.steps.len(), to_fork.decoded.len()), (fork.index + 1, fork.index));
        let beyond = found(Extent { max_tokens: fork.index + 4, beyond_fork: true }).await;
        assert_eq!((beyond.fork, beyond.steps.len()), (Some(fork), fork.index + 4), "the first fork is the fork");
        assert_eq!(beyond.decoded[fork.index], fork.cold_id);
        assert_eq!(beyond.steps[..=fork.index], to_fork.steps[..]);
        let map = beyond.report().kv_map.expect("the search was made").k.share[0].len();
        assert_eq!(map, beyond.prompt.len() + beyond.decoded.len(), "positions behind the fork are compared too");
    });
}
