//! Products split over several devices and summed in a ring: other bits than unsplit ones, as near to the truth, and as independent of the
//! shape in order invariant.

use lastbit::error::explain;
use lastbit::generate::{Engine, GenerateError};
use lastbit::model::{Model, ModelError, Outputs, TapTensor};
use lastbit::numerics::{Formats, Numerics, NumericsError, Order, SHARD_COUNTS};
use lastbit::tiny_model::TinyModel;

use crate::invariance::hashes;
use crate::{OPTIONS, engine_under, ids, rows, twin, two_arithmetics};

/// Tokens of a prompt.
const N: usize = 70;

/// Nine blocks and ten: shards of unequal length.
fn model() -> TinyModel {
    TinyModel { n_heads: 9, n_kv_heads: 3, feed_forward_dim: 320, ..TinyModel::default() }
}

fn sharded(formats: Formats, order: Order, shards: u32) -> Numerics {
    Numerics { shards, ..Numerics::new(formats, order, 128) }
}

#[test]
fn gpu_and_cpu_twin_give_the_same_bits_for_every_number_of_shards() {
    pollster::block_on(async {
        for shards in &SHARD_COUNTS[1..] {
            for formats in Formats::ALL {
                for order in [Order::ByShape, Order::Invariant] {
                    twin::check(&model(), sharded(formats, order, *shards)).await;
                }
            }
        }
        for order in [Order::Vector, Order::Tiled] {
            twin::check(&model(), sharded(Formats::Float, order, 4)).await;
        }
        for numerics in two_arithmetics() {
            twin::check(&model(), Numerics { shards: 4, ..numerics }).await;
        }
    });
}

#[test]
fn invariant_gives_the_same_bits_for_every_chunk_and_by_shape_does_not() {
    pollster::block_on(async {
        let (bytes, tokens) = (model().gguf_bytes(), ids(N, 5));
        for formats in Formats::ALL {
            let mut of_shards = Vec::new();
            for shards in SHARD_COUNTS {
                let mut engine = engine_under(&bytes, sharded(formats, Order::Invariant, shards)).await;
                let expected = hashes(&mut engine, &tokens, N).await;
                for chunk in [1, 7, 65] {
                    assert_eq!(hashes(&mut engine, &tokens, chunk).await, expected, "{formats:?}, {shards} shards");
                }
                of_shards.push(expected);

                engine.configure(sharded(formats, Order::ByShape, shards)).await.expect("an order");
                let (many, few) = (hashes(&mut engine, &tokens, N).await, hashes(&mut engine, &tokens, 1).await);
                assert_ne!(many, few, "{formats:?}, {shards} shards: the check could not fail");
            }
            for (i, a) in of_shards.iter().enumerate() {
                assert!(
                    of_shards[..i].iter().all(|b| a != b),
                    "{formats:?}: {} shards add as fewer do",
                    SHARD_COUNTS[i]
                );
            }
        }
    });
}

#[test]
fn each_shard_costs_a_dispatch_and_their_sum_one() {
    pollster::block_on(async {
        let (bytes, n_blocks) = (model().gguf_bytes(), model().n_blocks as u64);
        for shards in SHARD_COUNTS {
            let mut engine = engine_under(&bytes, sharded(Formats::Int8, Order::ByShape, shards)).await;
            let device = engine.device().clone();
            engine.pass().set_block_table(0, 0, &[0]);
            let before = device.counters().dispatches.get();
            engine.pass().forward(&rows(0, 0, &[7], 0), Outputs::Last).await.expect("a step");
            let per_product = if shards == 1 { 1 } else { u64::from(shards) + 1 };
            // Of six kernels a block two are split; embedding, head, and two for the top five.
            assert_eq!(device.counters().dispatches.get() - before, n_blocks * (4 + 2 * per_product) + 4);

            let names = engine.pass().kernel_names(1);
            let named = |name: &str| names.iter().any(|other| other == name);
            assert_eq!(["partial_q4_1_vector", "ring_sum"].map(named), [shards > 1; 2], "{names:?}");
            assert_eq!(named("residual_q4_1_vector"), shards == 1, "{names:?}");
            let writer = engine.pass().writer(Some(1), TapTensor::ResidualAfterFfn, 1, 0);
            let expected = match shards {
                1 => "residual_q4_1_vector".to_owned(),
                _ => format!("ring_sum of {shards} shards of partial_q4_1_vector"),
            };
            assert_eq!(writer, expected);
        }
    });
}

#[test]
fn shards_that_cannot_be_are_refused_before_anything_changes() {
    pollster::block_on(async {
        // Nine blocks of attention's output, six of the feed-forward's hidden layer.
        let bytes = TinyModel { n_heads: 9, n_kv_heads: 3, ..TinyModel::default() }.gguf_bytes();
        let before = sharded(Formats::Int8, Order::Invariant, 4);
        let mut engine = engine_under(&bytes, before).await;
        for shards in [0, 3, 16] {
            let error = engine.configure(Numerics { shards, ..before }).await.expect_err("no such number");
            assert!(matches!(error, GenerateError::Numerics(NumericsError::Shards { found }) if found == shards));
            assert_eq!(explain(&error).code, "bad-request");
        }
        let error = engine.configure(Numerics { shards: 8, ..before }).await.expect_err("six blocks");
        let refused = NumericsError::MoreShardsThanBlocks { site: "ffn_down", shards: 8, n_blocks: 6 };
        assert!(matches!(&error, GenerateError::Model(ModelError::Numerics(found)) if *found == refused), "{error}");
        assert_eq!(explain(&error).code, "bad-request");
        assert_eq!(*engine.numerics(), before);

        let model = Model::read(bytes.as_slice(), Some(bytes.len() as u64)).expect("the file is a model");
        let error = Engine::on_twin(model, Numerics { shards: 8, ..before }, OPTIONS).expect_err("six blocks");
        assert!(matches!(&error, GenerateError::Model(ModelError::Numerics(found)) if *found == refused), "{error}");
    });
}
