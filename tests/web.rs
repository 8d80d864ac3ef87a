//! The engine in headless Chromium: the same kernels, the same twins, the same comparison, on the tiny model.
#![cfg(target_arch = "wasm32")]

use lastbit::compare::report::Comparison;
use lastbit::compare::{CompareRequest, Scenario, Verdict, compare};
use lastbit::generate::{CancelToken, Engine, EngineOptions, Prompt};
use lastbit::gpu::{Device, DeviceOptions};
use lastbit::model::ModelLoader;
use lastbit::numerics::{Formats, Numerics, Order};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

#[wasm_bindgen(inline_js = "
export function request_subgroups() {
  const prototype = GPUAdapter.prototype;
  if (prototype.requestDevice.with_subgroups) return;
  const original = prototype.requestDevice;
  prototype.requestDevice = function (descriptor) {
    const wanted = ['subgroups'].filter((feature) => this.features.has(feature));
    return original.call(this, { ...descriptor, requiredFeatures: [...(descriptor?.requiredFeatures ?? []), ...wanted] });
  };
  prototype.requestDevice.with_subgroups = true;
}
")]
extern "C" {
    fn request_subgroups();
}

const FORMATS: [Formats; 3] = [Formats::Int8, Formats::Float, Formats::F32];

async fn engine(subgroups: bool, formats: Formats, order: Order) -> Engine {
    request_subgroups();
    let options = DeviceOptions { subgroups, default_limits: true, ..Default::default() };
    let device = Device::open(options).await.expect("Chromium gives an adapter (webdriver.json)");
    let bytes = lastbit::tiny_model::gguf_bytes(7);
    let mut loader = ModelLoader::new(&device, Some(bytes.len() as u64));
    for piece in bytes.chunks(100_000) {
        loader.push(piece).await.expect("the tiny model is a model");
    }
    let model = loader.finish(None).await.expect("the tiny model is complete");
    Engine::new(&device, model, Numerics::new(formats, order, 32), EngineOptions::default())
        .await
        .expect("the engine starts")
}

async fn comparison(engine: &mut Engine, formats: Formats, order: Order) -> Comparison {
    let request = CompareRequest {
        prompt: Prompt::Complete {
            text: "One two three four five six seven eight nine ten, and so on to twenty.".to_owned(),
        },
        scenario: Scenario::SamePrompt,
        before: Vec::new(),
        max_tokens: 8,
    };
    let runs = compare(engine, &request, &CancelToken::default(), |_| ()).await;
    let found = Comparison::new(&runs, engine.tokenizer(), formats, order);
    assert_eq!(found.error, None);
    let control = found.control.expect("both cold runs ended");
    assert!(control.same_bits && control.same_tokens, "{formats:?} {order:?}: cold A and cold B differ");
    assert!(found.exposure > 0, "the warm run reused nothing");
    found
}

#[wasm_bindgen_test]
async fn every_kernel_gives_the_bits_of_its_twin() {
    for subgroups in [true, false] {
        for formats in FORMATS {
            let engine = engine(subgroups, formats, Order::Invariant).await;
            assert_eq!(engine.device().report().subgroups, subgroups);
            for kernel in &engine.self_test().kernels {
                assert!(kernel.bit_equal, "{formats:?}, subgroups {subgroups}: {kernel:?}");
            }
        }
    }
}

#[wasm_bindgen_test]
async fn invariant_is_bit_identical_in_every_format() {
    for formats in FORMATS {
        let mut engine = engine(true, formats, Order::Invariant).await;
        let found = comparison(&mut engine, formats, Order::Invariant).await;
        assert_eq!(found.verdict, Verdict::BitIdentical, "{formats:?}: {:?}", found.first_differing_logits);
    }
}

#[wasm_bindgen_test]
async fn by_shape_differs_in_bits_so_that_the_check_above_can_fail() {
    for formats in FORMATS {
        let mut engine = engine(true, formats, Order::ByShape).await;
        let found = comparison(&mut engine, formats, Order::ByShape).await;
        assert!(found.first_differing_logits.is_some(), "{formats:?}: no bit differs");
        assert_ne!(found.verdict, Verdict::BitIdentical);
    }
}

#[wasm_bindgen_test]
async fn a_lost_device_is_an_error_and_the_runs_before_it_are_kept() {
    let mut engine = engine(true, Formats::Int8, Order::ByShape).await;
    let device = engine.device().clone();
    let request = CompareRequest {
        prompt: Prompt::Complete { text: "One two three four five six seven eight.".to_owned() },
        scenario: Scenario::SamePrompt,
        before: Vec::new(),
        max_tokens: 6,
    };
    let mut tokens = 0;
    let runs = compare(&mut engine, &request, &CancelToken::default(), |event| {
        if let lastbit::generate::RunEvent::Token { .. } = event.event {
            tokens += 1;
            if tokens == 8 {
                device.lose();
            }
        }
    })
    .await;
    let found = Comparison::new(&runs, engine.tokenizer(), Formats::Int8, Order::ByShape);
    assert_eq!(found.verdict, Verdict::Error);
    assert_eq!(found.runs.len(), 1, "cold A is kept");
    assert!(found.error.expect("an error in words").code == "device-lost");
}
