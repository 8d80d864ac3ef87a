//! The engine in headless Chromium: the same kernels, the same twins, the same comparison and experiments, on the tiny model.
#![cfg(target_arch = "wasm32")]

#[path = "support/bad_files.rs"]
mod bad_files;
#[path = "support/promises.rs"]
mod promises;
#[path = "support/raw.rs"]
mod raw;

use lastbit::compare::report::Comparison;
use lastbit::compare::{ClaimLevel, CompareRequest, Scenario, Verdict, compare, twin_check};
use lastbit::experiment::{Experiment, Reuse, Row, Setting, Sizes, table};
use lastbit::generate::{CancelToken, Engine, EngineOptions, Prompt};
use lastbit::gpu::{Device, DeviceOptions};
use lastbit::model::{Model, ModelLoader};
use lastbit::numerics::{Formats, Numerics, Order};
use lastbit::tiny_model::TinyModel;
use lastbit::tokenizer::{RenderFuture, TemplateHost};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

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

const FORMATS: [Formats; 4] = [Formats::Int8, Formats::Float, Formats::Half, Formats::F32];
const ORDERS: [Order; 2] = [Order::ByShape, Order::Invariant];

/// Room for the sweeps of the experiments: a sequence and eight neighbours in one step.
fn options() -> EngineOptions {
    EngineOptions { n_sequences: 9, ..EngineOptions::default() }
}

/// Rows of nine blocks, so that slices are of three: slices of one block leave sums in f16 one order only.
fn model_bytes() -> Vec<u8> {
    TinyModel { seed: 7, n_heads: 9, n_kv_heads: 3, ..TinyModel::default() }.gguf_bytes()
}

fn numerics(formats: Formats, order: Order) -> Numerics {
    Numerics::new(formats, order, 32)
}

async fn engine(subgroups: bool, formats: Formats, order: Order) -> Engine {
    request_subgroups();
    let device_options = DeviceOptions { subgroups, default_limits: true, ..Default::default() };
    let device = Device::open(device_options).await.expect("Chromium gives an adapter (webdriver.json)");
    let bytes = model_bytes();
    let mut loader = ModelLoader::new(&device, Some(bytes.len() as u64));
    for piece in bytes.chunks(100_000) {
        loader.push(piece).await.expect("the tiny model is a model");
    }
    let model = loader.finish(None).await.expect("the tiny model is complete");
    let mut engine = Engine::new(&device, model, numerics(formats, order), options()).await.expect("the engine starts");
    let rendered =
        |request: String| -> RenderFuture { Box::pin(std::future::ready(Ok(lastbit_template::render_json(&request)))) };
    engine.set_template_host(TemplateHost::elsewhere(rendered));
    engine
}

fn request() -> CompareRequest {
    CompareRequest {
        prompt: Prompt::Complete {
            text: "One two three four five six seven eight nine ten, and so on to twenty.".to_owned(),
        },
        scenario: Scenario::SamePrompt,
        before: Vec::new(),
        max_tokens: 8,
    }
}

async fn comparison(engine: &mut Engine, formats: Formats, order: Order) -> Comparison {
    let runs = compare(engine, &request(), &CancelToken::default(), |_| ()).await;
    let found = Comparison::new(&runs, engine.tokenizer(), formats, order);
    assert_eq!(found.error, None);
    let control = found.control.expect("both cold runs ended");
    assert!(control.same_bits && control.same_tokens, "{formats:?} {order:?}: cold A and cold B differ");
    assert!(found.exposure > 0, "the warm run reused nothing");
    found
}

#[wasm_bindgen_test]
async fn every_kernel_gives_the_bits_of_its_twin() {
    // How lanes are added up and how numbers are read do not touch each other.
    for (subgroups, some_formats) in [(true, &FORMATS[..]), (false, &[Formats::Int8, Formats::Half])] {
        for &formats in some_formats {
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

/// Claim level L4, in this browser: the CPU twin's bits, computed by the same wasm.
#[wasm_bindgen_test]
async fn gpu_and_twin_agree_in_every_step_of_a_comparison_in_every_format_and_order() {
    for formats in FORMATS {
        for order in ORDERS {
            let mut gpu = engine(true, formats, order).await;
            let model = Model::read(model_bytes().as_slice(), None).expect("the tiny model is a model");
            let mut twin =
                Engine::on_twin(model, numerics(formats, order), options()).expect("the twin needs no adapter");
            let on_gpu = compare(&mut gpu, &request(), &CancelToken::default(), |_| ()).await;
            let on_twin = compare(&mut twin, &request(), &CancelToken::default(), |_| ()).await;
            let checked = twin_check(&on_gpu, &on_twin, &gpu.device().report().fingerprint);
            assert_eq!(checked.first_difference, None, "{formats:?} {order:?}: {:?}", checked.reason);
            assert_eq!(
                (checked.n_steps, checked.claim),
                (24, Some(ClaimLevel::L4)),
                "{formats:?} {order:?}: {:?}",
                checked.reason
            );
            let [found, expected] = [(&on_twin, twin.tokenizer()), (&on_gpu, gpu.tokenizer())]
                .map(|(runs, tokenizer)| Comparison::new(runs, tokenizer, formats, order));
            assert_eq!((found.verdict, found.exposure), (expected.verdict, expected.exposure), "{formats:?} {order:?}");
            assert!(found.exposure > 0 && found.control.is_some_and(|control| control.same_bits));
        }
    }
}

/// The experiments of `lastbit experiments`, few prompts and tokens of each.
#[wasm_bindgen_test]
async fn a_small_set_of_the_experiments_keeps_every_promise() {
    /// Those that make promises; the others measure, and hold what they find against what was expected.
    const PROMISES: [Experiment; 9] = [
        Experiment::E1,
        Experiment::E2,
        Experiment::E8,
        Experiment::E9,
        Experiment::E10,
        Experiment::E13,
        Experiment::E14,
        Experiment::E17,
        Experiment::E24,
    ];
    const MEASURES: [Experiment; 2] = [Experiment::E3, Experiment::E4];
    let mut engine = engine(true, Formats::Int8, Order::ByShape).await;
    let sizes = Sizes::new(&engine, 2, 6).await.expect("a prompt of the sweep");
    let sizes = Sizes {
        // The other formats are in the comparisons above.
        settings: &[Setting::Int8],
        few_prompts: 1,
        few_tokens: 4,
        reuse: Reuse::Edges,
        shards: &[1, 2],
        combinations: 3,
        repeats: 2,
        ..sizes
    };
    let record = promises::check(&mut engine, &[&PROMISES[..], &MEASURES[..]].concat(), &sizes).await;
    console_log!("{}", table(&record.rows));
    // No arm of a promise went untried: no format, no scenario, no axis of the sweeps.
    let promised = |row: &&Row| PROMISES.contains(&row.experiment) && !row.expected.is_empty();
    let untried: Vec<&Row> = record.rows.iter().filter(promised).filter(|row| row.n == 0).collect();
    assert!(untried.is_empty(), "{untried:#?}");
    let elapsed_s: f64 = record.measured.iter().map(|measured| measured.elapsed_s).sum();
    console_log!("{} cases in {elapsed_s:.1} s", record.measured.len());
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

/// Rows B001 to B047 of the list of bad inputs, where a `usize` has 32 bits.
#[wasm_bindgen_test]
fn the_container_s_bad_files_have_their_verdicts_on_32_bits() {
    let mut n_files = 0;
    for row in bad_files::ROWS {
        for file in bad_files::files_of(row) {
            assert_eq!(bad_files::verdict(&file), file.expected, "{row}, {}", file.what);
            assert!(bad_files::says_the_same_of_the_whole(row, &file), "{row}, {}", file.what);
            n_files += 1;
        }
    }
    console_log!("{n_files} files");
}

/// Row B105: a lone surrogate, which only JavaScript's strings can hold, is U+FFFD on this side.
#[wasm_bindgen_test]
fn half_characters_become_marks_at_the_boundary() {
    let text = js_sys::JsString::from_char_code(&[0x61, 0xd800, 0x62, 0xdc00, 0]);
    let prompt = js_sys::Object::new();
    js_sys::Reflect::set(&prompt, &"kind".into(), &"complete".into()).expect("an object takes a field");
    js_sys::Reflect::set(&prompt, &"text".into(), &text).expect("an object takes a field");
    let prompt: Prompt = serde_wasm_bindgen::from_value(prompt.into()).expect("a prompt");
    assert_eq!(prompt, Prompt::Complete { text: "a\u{fffd}b\u{fffd}\0".to_owned() });
}
