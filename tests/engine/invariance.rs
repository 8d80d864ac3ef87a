//! Order `invariant`: a row's bits depend on its own past alone. Order `by-shape`: the same checks must fail.

use lastbit::generate::{CancelToken, Engine, RunOptions};
use lastbit::model::{Outputs, Row};
use lastbit::numerics::{Formats, Numerics, Order, Reduction};
use lastbit::tiny_model::TinyModel;

use crate::{ALL_FORMATS, engine, engine_under, ids, rows};

const N: usize = 128;

/// Hash of every position's logits when 128 tokens are run in steps of `chunk`.
async fn hashes(engine: &mut Engine, tokens: &[u32], chunk: usize) -> Vec<[u32; 4]> {
    let pass = engine.pass();
    pass.set_block_table(0, 0, &(0..16).collect::<Vec<_>>());
    let mut hashes = Vec::new();
    for (i, step) in tokens.chunks(chunk).enumerate() {
        let tops = pass.forward(&rows(0, i * chunk, step, 0), Outputs::All).await.expect("a step");
        hashes.extend(tops.iter().map(|top| top.hash));
    }
    hashes
}

/// The same with rows of three other sequences in every step.
async fn hashes_among_neighbours(engine: &mut Engine, tokens: &[u32]) -> Vec<[u32; 4]> {
    let pass = engine.pass();
    for sequence in 0..4 {
        pass.set_block_table(sequence, 0, &(16 * sequence..16 * sequence + 16).collect::<Vec<_>>());
    }
    let mut hashes = Vec::new();
    for (position, &token) in tokens.iter().enumerate().take(40) {
        let mut step: Vec<Row> =
            (1..4).flat_map(|other| rows(other, position, &ids(1, position as u32 * 7 + other), 16 * other)).collect();
        step.push(rows(0, position, &[token], 0)[0]);
        let tops = pass.forward(&step, Outputs::All).await.expect("a step");
        hashes.push(tops[3].hash);
    }
    hashes
}

#[test]
fn invariant_gives_the_same_bits_for_every_chunk_and_neighbour() {
    pollster::block_on(async {
        let (bytes, tokens) = (TinyModel::default().gguf_bytes(), ids(N, 5));
        for formats in ALL_FORMATS {
            let mut engine = engine(&bytes, formats, Order::Invariant).await;
            assert!(
                engine.self_test().invariant_pipelines_agree,
                "{formats:?}: one pipeline would serve every row count"
            );
            let expected = hashes(&mut engine, &tokens, N).await;
            for chunk in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127] {
                assert_eq!(hashes(&mut engine, &tokens, chunk).await, expected, "{formats:?}, steps of {chunk}");
            }
            assert_eq!(hashes_among_neighbours(&mut engine, &tokens).await, expected[..40], "{formats:?}, neighbours");
        }
    });
}

#[test]
fn by_shape_does_not_so_the_check_has_power() {
    pollster::block_on(async {
        let (bytes, tokens) = (TinyModel::default().gguf_bytes(), ids(N, 5));
        for formats in ALL_FORMATS {
            let mut engine = engine(&bytes, formats, Order::ByShape).await;
            let expected = hashes(&mut engine, &tokens, N).await;
            assert_ne!(hashes(&mut engine, &tokens, 1).await, expected, "{formats:?}");
            assert_eq!(
                hashes(&mut engine, &tokens, N).await,
                expected,
                "{formats:?}: by-shape repeats itself all the same"
            );
        }
    });
}

#[test]
fn invariant_gives_the_same_bits_for_every_reuse_length() {
    pollster::block_on(async {
        let bytes = TinyModel::default().gguf_bytes();
        let prompt = ids(100, 9);
        for formats in [Formats::Int8, Formats::F32] {
            let mut engine = engine(&bytes, formats, Order::Invariant).await;
            let mut run = async |max_reused_tokens| {
                let options = RunOptions { max_tokens: 8, max_reused_tokens };
                let trace = engine.run(&prompt, options, &CancelToken::default(), |_| ()).await.expect("a run");
                (trace.reused_tokens, trace.steps.iter().map(|step| step.logits_hash).collect::<Vec<_>>())
            };
            let (none, expected) = run(0).await;
            assert_eq!(none, 0);
            for reuse in [1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 98, 99, 1000] {
                let (reused, found) = run(reuse).await;
                assert_eq!(reused, reuse.min(99), "the reuse that was asked for");
                assert_eq!(found, expected, "{formats:?}, {reuse} tokens reused");
            }
        }
    });
}

#[test]
fn every_reduction_is_invariant() {
    pollster::block_on(async {
        let (bytes, tokens) = (TinyModel::default().gguf_bytes(), ids(N, 5));
        for reduction in [Reduction::Sequential, Reduction::Pairwise, Reduction::WorkgroupTree] {
            let numerics = Numerics::new(Formats::Int8, Order::Invariant, 128);
            let mut engine = engine_under(&bytes, Numerics { norm: reduction, softmax: reduction, ..numerics }).await;
            let expected = hashes(&mut engine, &tokens, N).await;
            for chunk in [1, 7, 65] {
                assert_eq!(hashes(&mut engine, &tokens, chunk).await, expected, "{reduction:?}, steps of {chunk}");
            }
        }
    });
}
