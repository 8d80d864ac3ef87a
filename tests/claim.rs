//! Claim level L4 on the real model: this adapter gives the CPU twin's bits.
#![cfg(not(target_arch = "wasm32"))]

#[path = "support/real_model.rs"]
mod real_model;
mod support;

use lastbit::compare::{ClaimLevel, CompareRequest, Scenario, compare, twin_check};
use lastbit::generate::{CancelToken, Engine, EngineOptions, Prompt};
use lastbit::model::Model;
use lastbit::numerics::{Formats, Numerics, Order};

#[test]
fn four_tokens_of_the_real_model_have_the_bits_of_the_twin() {
    pollster::block_on(async {
        let mut gpu =
            real_model::smollm2(Numerics::new(Formats::Int8, Order::ByShape, 64), EngineOptions::default()).await;
        let file = std::fs::File::open(real_model::model_path()).expect("the engine above has read it");
        let model = Model::read(std::io::BufReader::new(file), None).expect("it is a model");
        let mut twin = Engine::on_twin(model, *gpu.numerics(), EngineOptions::default()).expect("the twin starts");
        let request = CompareRequest {
            prompt: Prompt::Complete { text: "The sea is deep because".to_owned() },
            scenario: Scenario::SamePrompt,
            before: Vec::new(),
            max_tokens: 4,
        };
        let on_gpu = compare(&mut gpu, &request, &CancelToken::default(), |_| ()).await;
        let on_twin = compare(&mut twin, &request, &CancelToken::default(), |_| ()).await;
        let checked = twin_check(&on_gpu, &on_twin, &gpu.device().report().fingerprint);
        assert_eq!((checked.claim, checked.n_steps), (Some(ClaimLevel::L4), 12), "{checked:?}");
        let warm = on_twin.warm.expect("it ended");
        assert!(warm.reused_tokens > 0);
        let per_token_ms: f64 = warm.steps[1..].iter().map(|step| step.elapsed_ms).sum::<f64>() / 3.0;
        println!("the twin takes {per_token_ms:.0} ms per token");
    });
}
