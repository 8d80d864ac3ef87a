//! Order `invariant`: a row's bits depend on its own past alone. Order `by-shape`: the same checks must fail.

use lastbit::generate::{CancelToken, Engine, RunOptions};
use lastbit::model::{Outputs, Row};
use lastbit::numerics::{Formats, Numerics, Order, Reduction};
use lastbit::tiny_model::TinyModel;

use crate::{all_numerics, engine_under, ids, rows, two_arithmetics};

const N: usize = 128;

/// Hash of every position's logits when tokens are run in steps of `chunk`.
pub(crate) async fn hashes(engine: &mut Engine, tokens: &[u32], chunk: usize) -> Vec<[u32; 4]> {
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
        for numerics in all_numerics(Order::Invariant) {
            let mut engine = engine_under(&bytes, numerics).await;
            assert!(
                engine.self_test().invariant_pipelines_agree,
                "{numerics:?}: one pipeline would serve every row count"
            );
            let expected = hashes(&mut engine, &tokens, N).await;
            for chunk in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127] {
                assert_eq!(hashes(&mut engine, &tokens, chunk).await, expected, "{numerics:?}, steps of {chunk}");
            }
            assert_eq!(hashes_among_neighbours(&mut engine, &tokens).await, expected[..40], "{numerics:?}, neighbours");
        }
    });
}

#[test]
fn by_shape_does_not_so_the_check_has_power() {
    pollster::block_on(async {
        let bytes = TinyModel::default().gguf_bytes();
        for numerics in all_numerics(Order::ByShape).into_iter().chain(two_arithmetics()) {
            let mut engine = engine_under(&bytes, numerics).await;
            // Coarse formats of K and V may round every difference of a prompt away; not of several.
            let mut n_differing = 0;
            for seed in 5..9 {
                let tokens = ids(N, seed);
                let expected = hashes(&mut engine, &tokens, N).await;
                n_differing += usize::from(hashes(&mut engine, &tokens, 1).await != expected);
                let again = hashes(&mut engine, &tokens, N).await;
                assert_eq!(again, expected, "{numerics:?}: by-shape repeats itself all the same");
                if n_differing > 0 {
                    break;
                }
            }
            assert!(n_differing > 0, "{numerics:?}: no prompt of four differs");
        }
    });
}

#[test]
fn invariant_gives_the_same_bits_for_every_reuse_length() {
    pollster::block_on(async {
        let bytes = TinyModel::default().gguf_bytes();
        let prompt = ids(100, 9);
        for numerics in all_numerics(Order::Invariant) {
            let mut engine = engine_under(&bytes, numerics).await;
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
                assert_eq!(found, expected, "{numerics:?}, {reuse} tokens reused");
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
