//! Noise or corruption: the cache that a real warm run worked with, sound and tampered with.

use lastbit::compare::corruption::{Judgement, judge_last_run};
use lastbit::compare::{CompareRequest, Comparison, Runs, Scenario, Verdict, compare};
use lastbit::generate::{CancelToken, Engine, Prompt, RunOptions, RunTrace};
use lastbit::model::TapTensor;
use lastbit::numerics::{Formats, Order};
use lastbit::tiny_model;

use crate::{engine, ids};

async fn run(engine: &mut Engine, ids: &[u32]) -> RunTrace {
    engine.run(ids, RunOptions::tokens(6), &CancelToken::default(), |_| ()).await.expect("a run")
}

async fn judge(engine: &mut Engine, n_prompt: usize) -> Option<Judgement> {
    judge_last_run(engine, n_prompt).await.expect("a judgement")
}

#[test]
fn a_sound_warm_run_is_noise_in_every_precision() {
    pollster::block_on(async {
        let ids = ids(100, 3);
        for formats in [Formats::Int8, Formats::Float, Formats::F32] {
            let mut engine = engine(&tiny_model::gguf_bytes(7), formats, Order::ByShape).await;
            let cold = run(&mut engine, &ids).await;
            let warm = run(&mut engine, &ids).await;
            assert_eq!((cold.reused_tokens, warm.reused_tokens), (0, 99));
            let numerics = *engine.numerics();
            let judged = judge(&mut engine, ids.len()).await;
            let Some(Judgement::Noise { times_rounding }) = judged else { panic!("{formats:?}: {judged:?}") };
            // f16 K and V of so small a model swallow the difference.
            assert!(times_rounding > 0.0 || formats != Formats::F32, "the prompt's last row was computed alone");
            // The engine is as it was: same numerics, same bits.
            assert_eq!(*engine.numerics(), numerics);
            let again = run(&mut engine, &ids).await;
            assert!(cold.steps.iter().zip(&again.steps).all(|(a, b)| a.has_bits_of(b)), "{formats:?}");
        }
    });
}

#[test]
fn a_row_of_the_cache_that_was_tampered_with_is_named() {
    pollster::block_on(async {
        let ids = ids(100, 3);
        let mut engine = engine(&tiny_model::gguf_bytes(7), Formats::Int8, Order::ByShape).await;
        run(&mut engine, &ids).await;
        let slots = engine.last_run().expect("a run").slots.clone();
        let kv_dim = engine.model().config.kv_dim() as usize;
        engine.pass().write_kv(1, TapTensor::V, slots[20], &vec![0.0; kv_dim]).expect("a slot of the cache");
        assert_eq!(run(&mut engine, &ids).await.reused_tokens, 99, "the warm run takes the row from the cache");
        let judged = judge(&mut engine, ids.len()).await;
        let Some(Judgement::Corrupt { layer: Some(1), tensor: TapTensor::V, position: 20, .. }) = judged else {
            panic!("{judged:?}")
        };
        assert_eq!(judge(&mut engine, ids.len()).await, None, "what was judged is not in the cache any more");
    });
}

#[test]
fn a_comparison_that_found_corruption_says_so_before_anything_about_tokens() {
    pollster::block_on(async {
        let mut engine = engine(&tiny_model::gguf_bytes(7), Formats::Int8, Order::ByShape).await;
        let request = CompareRequest {
            prompt: Prompt::Chat { user: "Tell me about the sea.".to_owned() },
            scenario: Scenario::SamePrompt,
            before: Vec::new(),
            max_tokens: 5,
        };
        let mut runs = compare(&mut engine, &request, &CancelToken::default(), |_| ()).await;
        let verdict = |runs: &Runs| Comparison::new(runs, engine.tokenizer(), Formats::Int8, Order::ByShape).verdict;
        let without = verdict(&runs);
        runs.noise = Some(Judgement::Noise { times_rounding: 1.5 });
        assert_eq!(verdict(&runs), without);
        let tensor = TapTensor::K;
        runs.noise = Some(Judgement::Corrupt { layer: Some(0), tensor, position: 3, times_rounding: 90.0 });
        assert_eq!(verdict(&runs), Verdict::Corrupt);
    });
}
