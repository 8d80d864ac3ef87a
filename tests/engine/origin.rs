//! The origin of a difference is where it was put: by a kernel of another order, or by hand; and a run follows the K and V it is given.

use lastbit::compare::origin::{Origin, OriginSearch};
use lastbit::compare::transplant::{CachedValue, Side, Trajectory, Transplant};
use lastbit::compare::{Pair, Schedule};
use lastbit::generate::{Engine, GenerateError};
use lastbit::model::{ModelError, TapTensor};
use lastbit::numerics::ulp::ulp_distance;
use lastbit::numerics::{Formats, Order};

use crate::{engine, ids, wide_model};

/// Tokens of the prompt.
const N_PROMPT: usize = 40;

async fn tiny(formats: Formats, order: Order) -> Engine {
    engine(&wide_model(), formats, order).await
}

/// S1: the prompt, cold and warm.
fn same_prompt(engine: &Engine) -> [Schedule; 2] {
    [Schedule::cold(N_PROMPT, engine.chunk_rows()), Schedule::warm_same_prompt(N_PROMPT, engine.chunk_rows())]
}

/// A pair that has computed the prompt by two schedules and `n` more tokens, and all of them.
async fn pair<'a>(engine: &'a mut Engine, [cold, warm]: &[Schedule; 2], n: usize) -> (Pair<'a>, Vec<u32>) {
    let mut fed = ids(N_PROMPT, 21);
    let mut pair = Pair::new(engine).expect("two sequences");
    let mut step = pair.prefill(&fed, cold, warm).await.expect("a prefill");
    for _ in 0..n {
        fed.push(step.cold.ids[0]);
        step = pair.step(step.cold.ids[0]).await.expect("a step");
    }
    (pair, fed)
}

async fn search(pair: &mut Pair<'_>, ids: &[u32], [cold, warm]: &[Schedule; 2]) -> OriginSearch {
    pair.origin(ids, cold, warm).await.expect("a search")
}

/// Position, layer, tensor and index.
fn place(origin: &Origin) -> (usize, Option<u32>, TapTensor, u32) {
    (origin.position, origin.layer, origin.tensor, origin.index)
}

#[test]
fn by_shape_the_last_position_of_the_prompt_begins_to_differ_in_its_first_product() {
    pollster::block_on(async {
        for formats in Formats::ALL {
            let mut engine = tiny(formats, Order::ByShape).await;
            let schedules = same_prompt(&engine);
            let (mut pair, ids) = pair(&mut engine, &schedules, 3).await;
            let found = search(&mut pair, &ids, &schedules).await;
            let origin = found.origin.expect("the orders differ");
            println!("{formats:?}: {origin}");
            let (position, layer, tensor, index) = place(&origin);
            assert_eq!((position, layer, tensor), (N_PROMPT - 1, Some(0), TapTensor::Q), "{formats:?}");

            let first = origin.taps[0].difference.expect("compared");
            assert_eq!(first.first_index, Some(index));
            assert!(origin.taps.iter().all(|tap| tap.difference.is_some()));
            assert_eq!(ulp_distance(origin.cold.value, origin.warm.value), origin.ulp);
            assert!(origin.ulp > 0 && origin.ulp <= first.largest_ulp);
            assert_eq!(origin.cold.bits, format!("{:#010x}", origin.cold.value.to_bits()));
            let [cold, warm] = [&origin.cold.writer, &origin.warm.writer];
            assert_eq!((cold.kernel.as_str(), cold.chunk_rows, cold.step), ("qkv_q4_1_tiled", N_PROMPT, 0));
            assert_eq!((warm.kernel.as_str(), warm.chunk_rows, warm.step), ("qkv_q4_1_vector", 1, 1));
            assert!(!origin.cold.altered && !origin.warm.altered);

            // Everything before is equal; behind it a coarse cache may round the difference away, a fine one cannot.
            for share in found.kv.k.share.iter().chain(&found.kv.v.share) {
                assert_eq!(share.len(), ids.len());
                assert!(share[..N_PROMPT - 1].iter().all(|share| *share == 0.0), "{formats:?}");
                assert!(formats != Formats::F32 || share[N_PROMPT - 1] > 0.0);
            }
        }
    });
}

#[test]
fn of_a_second_turn_the_first_decoded_token_begins_to_differ() {
    pollster::block_on(async {
        let mut engine = tiny(Formats::F32, Order::ByShape).await;
        let chunk_rows = engine.chunk_rows();
        let schedules =
            [Schedule::cold(N_PROMPT, chunk_rows), Schedule::warm_second_turn(20, 31, N_PROMPT, chunk_rows)];
        let (mut pair, ids) = pair(&mut engine, &schedules, 0).await;
        let origin = search(&mut pair, &ids, &schedules).await.origin.expect("the orders differ");
        println!("{origin}");
        assert_eq!((origin.position, origin.layer, origin.tensor), (20, Some(0), TapTensor::Q));
        assert_eq!((origin.cold.writer.chunk_rows, origin.warm.writer.chunk_rows), (N_PROMPT, 1));
        assert_eq!((origin.cold.writer.step, origin.warm.writer.step), (0, 1));
    });
}

#[test]
fn invariant_there_is_no_origin() {
    pollster::block_on(async {
        for formats in Formats::ALL {
            let mut engine = tiny(formats, Order::Invariant).await;
            let schedules = same_prompt(&engine);
            let (mut pair, ids) = pair(&mut engine, &schedules, 3).await;
            let found = search(&mut pair, &ids, &schedules).await;
            assert_eq!(found.origin, None, "{formats:?}");
            let zero = |map: &Vec<Vec<u32>>| map.iter().flatten().all(|ulp| *ulp == 0);
            assert!(zero(&found.kv.k.largest_steps) && zero(&found.kv.v.largest_steps));
        }
    });
}

#[test]
fn a_value_altered_by_hand_is_found_to_the_index() {
    pollster::block_on(async {
        for formats in Formats::ALL {
            for order in [Order::ByShape, Order::Invariant] {
                let mut engine = tiny(formats, order).await;
                let schedules = same_prompt(&engine);
                let cases = [
                    (Side::Warm, CachedValue { layer: 1, tensor: TapTensor::K, position: 17, index: 5 }),
                    (Side::Cold, CachedValue { layer: 0, tensor: TapTensor::V, position: 0, index: 30 }),
                ];
                for (run, at) in cases {
                    let (mut pair, ids) = pair(&mut engine, &schedules, 2).await;
                    pair.alter(run, &at, 0.5).await.expect("a value");
                    let origin = search(&mut pair, &ids, &schedules).await.origin.expect("it was altered");
                    println!("{formats:?}: {origin}");
                    assert_eq!(place(&origin), (at.position, Some(at.layer), at.tensor, at.index), "{formats:?}");
                    let (altered, other) = match run {
                        Side::Warm => (&origin.warm, &origin.cold),
                        Side::Cold => (&origin.cold, &origin.warm),
                    };
                    assert_eq!((altered.value, altered.altered, other.altered), (0.5, true, false), "{formats:?}");
                    assert_eq!(altered.writer.chunk_rows, N_PROMPT);
                    assert!(altered.writer.attention_kernel.is_some(), "K and V depend on attention");
                    assert!(origin.taps.iter().all(|tap| tap.difference.is_some_and(|d| d.is_none())));
                }
            }
        }
    });
}

#[test]
fn a_run_follows_the_k_and_v_it_is_given() {
    pollster::block_on(async {
        let mut engine = tiny(Formats::F32, Order::ByShape).await;
        let n_layers = engine.model().config.n_blocks;
        let schedules = same_prompt(&engine);
        let whole = 0..N_PROMPT;
        for into in [Side::Warm, Side::Cold] {
            let mut followed = Vec::new();
            for (layers, positions) in
                [(0..n_layers, whole.clone()), (0..n_layers, 39..40), (0..0, whole.clone()), (0..n_layers, 0..39)]
            {
                let (mut pair, _) = pair(&mut engine, &schedules, 0).await;
                let transplant = Transplant { into, layers, positions };
                followed.push(pair.transplant(&transplant, 7, 8).await.expect("a transplant"));
            }
            for (i, found) in followed.iter().enumerate() {
                assert_ne!(found.cold.logits_hashes, found.warm.logits_hashes, "f32 keeps every difference");
                let (donor, recipient) = match into {
                    Side::Warm => (&found.cold, &found.warm),
                    Side::Cold => (&found.warm, &found.cold),
                };
                // What differs is the last position alone: with it comes everything, without it nothing.
                let expected = if i < 2 { donor } else { recipient };
                assert_eq!(found.transplanted, *expected, "{into:?}, {i}");
                assert_ne!(found.follows, Trajectory::Neither);
            }
        }
    });
}

#[test]
fn what_was_not_computed_cannot_be_taken_apart() {
    pollster::block_on(async {
        let mut engine = tiny(Formats::Int8, Order::ByShape).await;
        let n_layers = engine.model().config.n_blocks;
        let schedules = same_prompt(&engine);
        let (mut pair, ids) = pair(&mut engine, &schedules, 0).await;
        let error = pair.origin(&ids[1..], &schedules[0], &schedules[1]).await.expect_err("another prompt");
        assert!(matches!(error, GenerateError::Schedule { .. }), "{error}");
        let beyond = Transplant { into: Side::Warm, layers: 0..1, positions: 0..N_PROMPT + 1 };
        let error = pair.transplant(&beyond, 7, 1).await.expect_err("one position too many");
        assert!(matches!(error, GenerateError::Transplant { .. }), "{error}");
        let beyond = Transplant { into: Side::Warm, layers: 0..n_layers + 1, positions: 0..N_PROMPT };
        let error = pair.transplant(&beyond, 7, 1).await.expect_err("one layer too many");
        assert!(matches!(error, GenerateError::Model(ModelError::CacheSlot { .. })), "{error}");
        for (tensor, layer, index) in [(TapTensor::Q, 0, 0), (TapTensor::K, n_layers, 0), (TapTensor::V, 0, 10_000)] {
            let at = CachedValue { layer, tensor, position: 3, index };
            let error = pair.alter(Side::Cold, &at, 1.0).await.expect_err("no such value");
            assert!(matches!(error, GenerateError::Model(ModelError::CacheSlot { .. })), "{error}");
        }
    });
}
