//! The CPU twin as an engine: the same comparison, through the same cache, with the same bits.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use lastbit::compare::{ClaimLevel, CompareRequest, Comparison, Scenario, Verdict, compare, twin_check};
use lastbit::generate::{CancelToken, Engine, EngineOptions, Prompt, RunOptions, StopReason};
use lastbit::gpu::Fingerprint;
use lastbit::model::{Model, ModelError, Outputs, Pass, Pause, TwinPass, TwinWeights};
use lastbit::numerics::{Formats, Numerics, Order, WeightFormat};
use lastbit::quant::TensorType;
use lastbit::tiny_model::TinyModel;

use crate::{OPTIONS, engine, ids, rows, wide_model};

pub(crate) fn twin(bytes: &[u8], formats: Formats, order: Order) -> Engine<TwinPass> {
    let model: Model<Arc<TwinWeights>> = Model::read(bytes, Some(bytes.len() as u64)).expect("the file is a model");
    Engine::on_twin(model, Numerics::new(formats, order, 128), OPTIONS).expect("the twin needs no adapter")
}

fn request() -> CompareRequest {
    CompareRequest {
        prompt: Prompt::Complete { text: "One two three four five six seven eight, and on to twenty.".to_owned() },
        scenario: Scenario::SamePrompt,
        before: vec!["One two three four.".to_owned()],
        max_tokens: 6,
    }
}

#[test]
fn gpu_and_twin_agree_in_every_step_of_a_comparison_in_every_format_and_order() {
    pollster::block_on(async {
        let bytes = wide_model();
        for formats in Formats::ALL {
            for order in [Order::ByShape, Order::Invariant] {
                let (mut gpu, mut twin) = (engine(&bytes, formats, order).await, twin(&bytes, formats, order));
                let on_gpu = compare(&mut gpu, &request(), &CancelToken::default(), |_| ()).await;
                let on_twin = compare(&mut twin, &request(), &CancelToken::default(), |_| ()).await;
                let checked = twin_check(&on_gpu, &on_twin, &gpu.device().report().fingerprint);
                assert_eq!(checked.first_difference, None, "{formats:?} {order:?}");
                assert_eq!((checked.claim, checked.n_steps, checked.reason), (Some(ClaimLevel::L4), 18, None));
                let found = Comparison::new(&on_twin, twin.tokenizer(), formats, order);
                let expected = Comparison::new(&on_gpu, gpu.tokenizer(), formats, order);
                assert_eq!((found.verdict, found.exposure), (expected.verdict, expected.exposure));
                assert!(found.exposure > 0 && found.control.is_some_and(|control| control.same_bits));
                match order {
                    Order::Invariant => assert_eq!(found.verdict, Verdict::BitIdentical, "{formats:?}"),
                    _ => assert!(found.first_differing_logits.is_some(), "{formats:?}: no bit differs"),
                }
            }
        }
    });
}

#[test]
fn a_difference_is_named_and_a_device_that_rounds_otherwise_makes_no_claim() {
    pollster::block_on(async {
        let bytes = TinyModel::default().gguf_bytes();
        let mut engine = twin(&bytes, Formats::Int8, Order::ByShape);
        let runs = compare(&mut engine, &request(), &CancelToken::default(), |_| ()).await;
        let faithful = Fingerprint { round_ties_to_even: true, ..Fingerprint::default() };
        assert_eq!(twin_check(&runs, &runs, &faithful).claim, Some(ClaimLevel::L4));

        let fused = Fingerprint { multiply_add_fused: true, ..faithful.clone() };
        let unclaimed = twin_check(&runs, &runs, &fused);
        assert_eq!((unclaimed.claim, unclaimed.first_difference), (None, None));
        assert!(unclaimed.reason.expect("words").contains("fuses a product and a sum"));

        let mut other = compare(&mut engine, &request(), &CancelToken::default(), |_| ()).await;
        other.warm.as_mut().expect("it ended").steps[4].logits_hash[3] ^= 1;
        let differing = twin_check(&runs, &other, &faithful);
        assert_eq!(differing.claim, None);
        assert!(differing.reason.expect("words").contains("token 4 of the warm run"));

        other.warm = None;
        let cut = twin_check(&runs, &other, &faithful);
        assert_eq!((cut.claim, cut.n_steps), (None, 12));
        assert!(cut.reason.expect("words").contains("did not end"));
    });
}

#[test]
fn every_weight_format_and_a_head_of_its_own_run_on_the_twin() {
    pollster::block_on(async {
        for weight_type in [TensorType::Q8_0, TensorType::F16, TensorType::F32] {
            let tiny = TinyModel {
                weight_type,
                embedding_type: weight_type,
                output_type: Some(TensorType::Q4_1),
                ..TinyModel::default()
            };
            let bytes = tiny.gguf_bytes();
            let mut gpu = engine(&bytes, Formats::Int8, Order::ByShape).await;
            let mut twin = twin(&bytes, Formats::Int8, Order::ByShape);
            let (prompt, options) = (ids(20, 4), RunOptions::tokens(3));
            let expected = gpu.run(&prompt, options, &CancelToken::default(), |_| ()).await.expect("a run");
            let found = twin.run(&prompt, options, &CancelToken::default(), |_| ()).await.expect("a run");
            assert!(found.steps.iter().zip(&expected.steps).all(|(a, b)| a.has_bits_of(b)), "{weight_type:?}");
            assert!(
                expected
                    .kernels
                    .iter()
                    .all(|name| { name.starts_with("top_k") || found.kernels.contains(&format!("twin of {name}")) }),
                "{:?}",
                found.kernels
            );
        }
    });
}

#[test]
fn weights_are_re_quantised_for_the_twin_as_for_the_gpu() {
    pollster::block_on(async {
        let bytes = TinyModel { weight_type: TensorType::F16, ..TinyModel::default() }.gguf_bytes();
        let mut gpu = engine(&bytes, Formats::Int8, Order::ByShape).await;
        let (prompt, options) = (ids(20, 4), RunOptions::tokens(3));
        let mut hashes = Vec::new();
        for weights in [WeightFormat::AsInFile, WeightFormat::Q4_0, WeightFormat::Q3_32] {
            let numerics = Numerics { weights, ..*gpu.numerics() };
            gpu.configure(numerics).await.expect("the tiny model's rows are whole blocks");
            let model = Model::read(bytes.as_slice(), None).expect("the file is a model");
            let mut twin = Engine::on_twin(model, numerics, EngineOptions::default()).expect("the twin starts");
            let expected = gpu.run(&prompt, options, &CancelToken::default(), |_| ()).await.expect("a run");
            let found = twin.run(&prompt, options, &CancelToken::default(), |_| ()).await.expect("a run");
            assert!(found.steps.iter().zip(&expected.steps).all(|(a, b)| a.has_bits_of(b)), "{weights:?}");
            hashes.push(found.steps[0].logits_hash);
        }
        assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2], "the formats differ in nothing");
    });
}

#[test]
fn other_numerics_give_the_bits_of_an_engine_that_began_with_them() {
    pollster::block_on(async {
        let bytes = TinyModel::default().gguf_bytes();
        let mut changed = twin(&bytes, Formats::Int8, Order::ByShape);
        let (prompt, options) = (ids(20, 4), RunOptions::tokens(3));
        let before = changed.run(&prompt, options, &CancelToken::default(), |_| ()).await.expect("a run");
        let numerics = Numerics::new(Formats::F32, Order::Invariant, 128);
        changed.configure(numerics).expect("numerics that can be");
        assert!(changed.configure(Numerics { chunk_rows: 0, ..numerics }).is_err());
        assert_eq!(*changed.numerics(), numerics, "what is refused changes nothing");
        let found = changed.run(&prompt, options, &CancelToken::default(), |_| ()).await.expect("a run");
        let mut fresh = twin(&bytes, Formats::F32, Order::Invariant);
        let expected = fresh.run(&prompt, options, &CancelToken::default(), |_| ()).await.expect("a run");
        assert_eq!(found.reused_tokens, 0, "the cache of other numerics is no cache");
        assert!(found.steps.iter().zip(&expected.steps).all(|(a, b)| a.has_bits_of(b)));
        assert!(!found.steps[0].has_bits_of(&before.steps[0]));
    });
}

#[test]
fn a_run_that_is_stopped_between_two_layers_keeps_what_it_had_and_its_cache_is_sound() {
    pollster::block_on(async {
        let mut engine = twin(&TinyModel::default().gguf_bytes(), Formats::Int8, Order::Invariant);
        let (prompt, options, n_layers) = (ids(200, 4), RunOptions::tokens(8), TinyModel::default().n_blocks);
        let whole = engine.run(&prompt, options, &CancelToken::default(), |_| ()).await.expect("a run");
        // Two steps of at most 128 rows read the prompt, seven more decode.
        let steps = |n: usize| n * n_layers;
        for (n_pauses, n_tokens) in
            [(1, 0), (2, 0), (steps(2), 0), (steps(2) + 1, 1), (steps(5), 3), (steps(5) + 2, 4), (steps(9) + 1, 8)]
        {
            engine.reset().expect("an idle engine");
            let counted = Rc::new(Cell::new(0));
            let pauses = Rc::clone(&counted);
            engine.pass().set_pause(Pause::awaiting(move || {
                pauses.set(pauses.get() + 1);
                Box::pin(std::future::ready(pauses.get() < n_pauses))
            }));
            let trace = engine.run(&prompt, options, &CancelToken::default(), |_| ()).await.expect("a run");
            let stop = if n_tokens == 8 { StopReason::MaxTokens } else { StopReason::Cancelled };
            assert_eq!((trace.steps.len(), trace.stop), (n_tokens, stop), "stopped in pause {n_pauses}");
            assert_eq!(counted.get(), n_pauses.min(steps(9)), "a pause before every layer");
            engine.pass().set_pause(Pause::default());
            let after = engine.run(&prompt, options, &CancelToken::default(), |_| ()).await.expect("a run");
            assert!(after.steps.iter().zip(&whole.steps).all(|(a, b)| a.has_bits_of(b)), "stopped in pause {n_pauses}");
            assert_eq!(after.reused_tokens == 0, n_pauses <= n_layers, "a step that was left is not reused");
        }
    });
}

#[test]
fn sequences_side_by_side_lie_where_their_tables_say() {
    pollster::block_on(async {
        let bytes = TinyModel::default().gguf_bytes();
        let mut gpu = engine(&bytes, Formats::Float, Order::ByShape).await;
        let mut twin = twin(&bytes, Formats::Float, Order::ByShape);
        let mut hashes = Vec::new();
        for sequence in 0..2 {
            // Blocks that follow each other in neither sequence.
            let table = [5 - sequence, 9 + sequence, 20 + 3 * sequence];
            gpu.pass().set_block_table(sequence, 0, &table);
            twin.pass().set_block_table(sequence, 0, &table);
            let mut step = rows(sequence, 0, &ids(40, 5 + sequence), 0);
            step.iter_mut().for_each(|row| row.block = table[row.position as usize / 16]);
            let expected = gpu.pass().forward(&step, Outputs::Last).await.expect("a step");
            hashes.push((twin.pass().forward(&step, Outputs::Last).await.expect("a step")[0].hash, expected[0].hash));
        }
        let mut step = [rows(1, 40, &[7], 0), rows(0, 40, &[9], 0)].concat();
        step.iter_mut().for_each(|row| row.block = 20 + 3 * row.sequence);
        let expected = gpu.pass().forward(&step, Outputs::All).await.expect("a step");
        let found = twin.pass().forward(&step, Outputs::All).await.expect("a step");
        hashes.extend(found.iter().zip(&expected).map(|(found, expected)| (found.hash, expected.hash)));
        assert!(hashes.iter().all(|(found, expected)| found == expected), "{hashes:?}");
    });
}

#[test]
fn the_twin_refuses_what_the_gpu_refuses() {
    pollster::block_on(async {
        let bytes = TinyModel::default().gguf_bytes();
        let mut twin = twin(&bytes, Formats::F32, Order::Invariant);
        twin.pass().set_block_table(0, 0, &[0]);
        let mut step = async |rows: &[lastbit::model::Row]| twin.pass().forward(rows, Outputs::Last).await;
        assert!(matches!(step(&[]).await, Err(ModelError::Rows { found: 0, most: 128 })));
        assert!(matches!(step(&rows(0, 0, &[100_000], 0)).await, Err(ModelError::TokenId { id: 100_000, .. })));
        assert!(matches!(step(&rows(0, 256, &[1], 0)).await, Err(ModelError::Position { position: 256, .. })));

        let mut infinite = bytes.clone();
        let start = infinite.len() - 4 * TinyModel::default().embedding_dim();
        infinite[start..].chunks_exact_mut(4).for_each(|weight| weight.copy_from_slice(&f32::MAX.to_le_bytes()));
        let mut engine = self::twin(&infinite, Formats::F32, Order::ByShape);
        let failed = engine.run(&[1, 2, 3], RunOptions::tokens(2), &CancelToken::default(), |_| ()).await;
        assert!(failed.expect_err("logits are infinite").to_string().contains("not finite"));

        let end = bytes.len() - 4;
        let mut not_a_number = bytes;
        not_a_number[end..].copy_from_slice(&f32::NAN.to_le_bytes());
        let refused = Model::read(not_a_number.as_slice(), None).expect_err("a weight is no number");
        assert!(matches!(&refused, ModelError::NotFinite { name, .. } if name == "output_norm.weight"), "{refused}");
    });
}
