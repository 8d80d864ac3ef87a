//! Exact counts, which no load can disturb: what one decoded token costs in dispatches, objects and bytes.
#![cfg(not(target_arch = "wasm32"))]

#[path = "support/real_model.rs"]
mod real_model;
mod support;

use lastbit::bench::TokenCounts;
use lastbit::generate::{CancelToken, Engine, EngineOptions, RunOptions};
use lastbit::model::{Outputs, Row, TapRun, TappedRow};
use lastbit::numerics::{Formats, Numerics, Order};
use lastbit::tiny_model::TinyModel;

/// As deep as SmolLM2-135M, where the dispatches of a token come from, and otherwise small.
const N_BLOCKS: usize = 30;

const ARMS: [(Formats, Order); 4] = [
    (Formats::Int8, Order::ByShape),
    (Formats::Int8, Order::Invariant),
    (Formats::F32, Order::ByShape),
    (Formats::F32, Order::Invariant),
];

async fn engine(formats: Formats, order: Order) -> Engine {
    let device = support::device().await;
    let bytes = TinyModel { n_blocks: N_BLOCKS, ..TinyModel::default() }.gguf_bytes();
    let model = support::load(&device, bytes).await;
    Engine::new(&device, model, Numerics::new(formats, order, 64), EngineOptions::default())
        .await
        .expect("the engine starts")
}

/// Counts of one decoded token at `position`.
async fn one_token(engine: &mut Engine, position: u32) -> TokenCounts {
    let device = engine.device().clone();
    let blocks: Vec<u32> = (0..=position / 16).collect();
    let before = TokenCounts::so_far(&device);
    let pass = engine.pass();
    pass.set_block_table(0, 0, &blocks);
    let row = Row { sequence: 0, position, token: 1, block: position / 16 };
    pass.forward(&[row], Outputs::Last).await.expect("a step");
    TokenCounts::so_far(&device).since(before)
}

#[test]
fn a_decoded_token_costs_184_dispatches_in_one_pass_and_creates_nothing() {
    pollster::block_on(async {
        for (formats, order) in ARMS {
            let mut engine = engine(formats, order).await;
            // A first step may set up what later ones reuse.
            one_token(&mut engine, 0).await;
            // Six dispatches a block; embedding, head, and two for the top five.
            let expected = TokenCounts {
                dispatches: 6 * N_BLOCKS as u64 + 4,
                passes: 1,
                submissions: 1,
                buffers: 0,
                bind_groups: 0,
                pipelines: 0,
                bytes_read_back: 64,
            };
            for position in [1, 62, 63, 64, 200, 1000] {
                let counts = one_token(&mut engine, position).await;
                println!("{formats:?} {order:?}, {} keys: {counts:?}", position + 1);
                assert_eq!(counts, expected, "{formats:?} {order:?}, {} keys", position + 1);
            }
            assert!(expected.dispatches <= 200);
        }
    });
}

/// Counts of one decoded token at `position` whose row is tapped.
async fn one_tapped_token(engine: &mut Engine, position: u32) -> TokenCounts {
    let device = engine.device().clone();
    let before = TokenCounts::so_far(&device);
    let row = Row { sequence: 0, position, token: 1, block: position / 16 };
    let tapped = TappedRow { row: 0, run: TapRun::First };
    engine.pass().forward_tapped(&[row], Outputs::Last, tapped).await.expect("a step");
    TokenCounts::so_far(&device).since(before)
}

#[test]
fn a_tapped_token_costs_seven_dispatches_a_layer_more_and_one_without_taps_nothing() {
    pollster::block_on(async {
        for (formats, order) in ARMS {
            let mut engine = engine(formats, order).await;
            one_token(&mut engine, 0).await;
            let plain = one_token(&mut engine, 1).await;
            let made = one_tapped_token(&mut engine, 2).await;
            println!("{formats:?} {order:?}: the first tapped token {made:?}");
            // Q, K, V, attention output, hidden, and the residual stream twice; the logits.
            let n_taps = 7 * N_BLOCKS as u64 + 1;
            let tapped = one_tapped_token(&mut engine, 3).await;
            let expected = TokenCounts {
                dispatches: plain.dispatches + n_taps,
                bytes_read_back: plain.bytes_read_back + 32 * n_taps,
                ..plain
            };
            assert_eq!(tapped, expected, "{formats:?} {order:?}");
            assert_eq!(one_token(&mut engine, 4).await, plain, "{formats:?} {order:?}: as if nothing had been tapped");
        }
    });
}

#[test]
fn a_run_submits_once_a_step_and_reads_64_bytes_a_token() {
    pollster::block_on(async {
        let mut engine =
            real_model::smollm2(Numerics::new(Formats::Int8, Order::ByShape, 64), EngineOptions::default()).await;
        let device = engine.device().clone();
        let prompt: Vec<u32> = (1..=70).collect();
        let before = TokenCounts::so_far(&device);
        let trace = engine.run(&prompt, RunOptions::tokens(20), &CancelToken::default(), |_| {}).await.expect("a run");
        let counts = TokenCounts::so_far(&device).since(before);
        // 70 tokens in chunks of 64 and 6; the last one's logits give the first token.
        let n_tokens = trace.steps.len() as u64;
        let n_steps = 2 + n_tokens - 1;
        assert_eq!((counts.submissions, counts.passes), (n_steps, n_steps));
        assert_eq!((counts.buffers, counts.bind_groups, counts.pipelines), (0, 0, 0));
        assert_eq!(counts.bytes_read_back, 64 * n_tokens);
        println!("{n_tokens} tokens: {counts:?}");
    });
}

#[test]
fn one_numerics_compiles_at_most_30_pipelines() {
    pollster::block_on(async {
        for (formats, order) in ARMS {
            let engine = engine(formats, order).await;
            let pipelines = engine.device().counters().pipelines.get();
            println!("{formats:?} {order:?}: {pipelines} pipelines");
            assert_eq!(pipelines, 13, "two for each of four sites, and embed, attention, fold and two of top k");
        }
    });
}
