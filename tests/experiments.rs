//! The experiments, small: every promise holds on the tiny model and on the real one, and the checks that must be able to fail do fail.
#![cfg(not(target_arch = "wasm32"))] // The browser's tests have a smaller set, in web.rs.

#[path = "support/promises.rs"]
mod promises;
#[path = "support/real_model.rs"]
mod real_model;
mod support;

use lastbit::compare::shapes::{Shape, answer_in_shape};
use lastbit::experiment::prompts::PROMPTS;
use lastbit::experiment::{Experiment, Reuse, Row, Setting, Sizes};
use lastbit::generate::{Engine, EngineOptions, Prompt};
use lastbit::numerics::Order;
use lastbit::tiny_model::TinyModel;
use lastbit::tokenizer::UnknownPreTokenizer;
use promises::check;

/// Room for the sweeps: a sequence and eight neighbours in one step.
const OPTIONS: EngineOptions = EngineOptions {
    context_len: 2048,
    n_cache_blocks: 288,
    n_sequences: 9,
    unknown_pre_tokenizer: UnknownPreTokenizer::Refuse,
};

async fn tiny(tiny: TinyModel) -> Engine {
    let device = support::device().await;
    let model = support::load(&device, TinyModel { seed: 7, ..tiny }.gguf_bytes()).await;
    let numerics = Setting::Int8.numerics(Order::ByShape, 64);
    Engine::new(&device, model, numerics, OPTIONS).await.expect("the engine starts")
}

/// What says whether a promise holds, without that which needs many prompts or other weights to say anything, and without the sweeps of
/// E9 and E10, which have a smaller test here.
const PROMISES: [Experiment; 6] =
    [Experiment::E1, Experiment::E2, Experiment::E3, Experiment::E8, Experiment::E13, Experiment::E14];

#[test]
fn tiny_model_keeps_every_promise() {
    pollster::block_on(async {
        // Rows of nine blocks, so that slices are of three: slices of one block leave sums in f16 one order only.
        let mut engine = tiny(TinyModel { n_heads: 9, n_kv_heads: 3, ..TinyModel::default() }).await;
        // 32 steps of one sort: E15 holds no share of fewer than 30 against its law.
        let sizes = Sizes::new(&engine, 2, 16).await.expect("a prompt of the sweep");
        let sizes = Sizes { few_tokens: 8, reuse: Reuse::Edges, combinations: 6, repeats: 2, ..sizes };
        let rows = check(&mut engine, &Experiment::ALL, &sizes).await.rows;
        // Every setting and both scenarios reused something and had all bits equal.
        let invariant: Vec<&Row> = rows.iter().filter(|row| row.experiment == Experiment::E8).collect();
        let in_invariant = Setting::ALL.into_iter().filter(|setting| setting.runs_in(Order::Invariant)).count();
        assert_eq!((in_invariant, invariant.len()), (Setting::ALL.len() - 2, 2 * in_invariant));
        assert!(invariant.iter().all(|row| row.n > 0 && row.k == Some(row.n)), "{invariant:#?}");
    });
}

/// Few prompts and tokens, and the weights of the file. The whole set is `lastbit experiments`.
#[test]
fn smollm2_keeps_every_promise() {
    pollster::block_on(async {
        let mut engine = real_model::smollm2(Setting::Int8.numerics(Order::ByShape, 64), OPTIONS).await;
        let sizes = Sizes::new(&engine, 1, 6).await.expect("a prompt of the sweep");
        let sizes = Sizes { settings: &[Setting::Int8, Setting::F32], few_tokens: 2, ..sizes };
        check(&mut engine, &PROMISES, &sizes).await;
    });
}

/// Other chunks, reuse up to within a block, neighbours, and all of it at once; the whole sweep is E9 and E10 of `lastbit experiments`.
#[test]
fn smollm2_has_one_answer_in_every_shape_in_order_invariant_and_other_bits_by_shape() {
    let plain = Shape { chunk_rows: 64, reused_tokens: 0, n_neighbours: 0 };
    let shapes = [
        Shape { chunk_rows: 7, ..plain },
        Shape { reused_tokens: 33, ..plain },
        Shape { n_neighbours: 4, ..plain },
        Shape { chunk_rows: 16, reused_tokens: 63, n_neighbours: 8 },
    ];
    pollster::block_on(async {
        let mut engine = real_model::smollm2(Setting::Int8.numerics(Order::Invariant, 64), OPTIONS).await;
        let prompt = Prompt::Chat { user: PROMPTS[2].to_owned() };
        let ids = engine.encode(&prompt).await.expect("a prompt");
        assert!(ids.len() > 66, "{} tokens: reuse crosses every edge of blocks and tiles", ids.len());
        for order in [Order::Invariant, Order::ByShape] {
            engine.configure(Setting::Int8.numerics(order, 64)).await.expect("the order");
            let one = answer_in_shape(&mut engine, &ids, plain, 3).await.expect("the plain answer");
            let mut n_same = 0;
            for shape in shapes {
                n_same += usize::from(answer_in_shape(&mut engine, &ids, shape, 3).await.expect("an answer") == one);
            }
            match order {
                Order::Invariant => assert_eq!(n_same, shapes.len()),
                _ => assert!(n_same < shapes.len(), "by shape nothing differs: this test could not fail"),
            }
        }
    });
}

/// Every fault on one prompt, and an origin in each scenario. More prompts are for `lastbit experiments E16 E17`.
#[test]
fn smollm2_tells_faults_from_noise_and_finds_origins() {
    pollster::block_on(async {
        let mut engine = real_model::smollm2(Setting::Int8.numerics(Order::ByShape, 64), OPTIONS).await;
        let sizes = Sizes::new(&engine, 1, 6).await.expect("a prompt of the sweep");
        let sizes = Sizes { settings: &[Setting::Int8], ..sizes };
        let rows = check(&mut engine, &[Experiment::E16, Experiment::E17], &sizes).await.rows;
        let n = |words: &str| rows.iter().find(|row| row.what.contains(words)).map(|row| row.n);
        assert_eq!(n("injected faults"), Some(20));
        assert_eq!(n("sound pairs"), Some(2));
        assert_eq!(n("every site made invariant"), Some(2), "an origin is found for every prompt in both scenarios");
    });
}
