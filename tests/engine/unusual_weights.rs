//! Weights that are numbers and yet unusual: all zero, or so small that some devices take them for zero.

use lastbit::generate::{CancelToken, RunOptions};
use lastbit::gguf;
use lastbit::model::{Outputs, Pass};
use lastbit::numerics::{Formats, Numerics, Order};
use lastbit::quant::TensorType;
use lastbit::tiny_model::TinyModel;

use crate::{engine_under, ids, rows, twin_engine};

/// The tiny model's file with the bytes of some tensors changed.
fn with_bytes(tiny: &TinyModel, which: &str, change: impl Fn(&mut [u8])) -> Vec<u8> {
    let mut bytes = tiny.gguf_bytes();
    let header = gguf::GgufFile::parse(&bytes).expect("the tiny model is a file");
    for tensor in header.tensors.iter().filter(|tensor| tensor.name.contains(which)) {
        let start = header.file_offset(tensor) as usize;
        change(&mut bytes[start..start + tensor.len_bytes as usize]);
    }
    bytes
}

#[test]
fn b069_weights_of_zero_give_equal_logits_on_a_device() {
    pollster::block_on(async {
        for weight_type in [TensorType::Q4_1, TensorType::F32] {
            let bytes = with_bytes(&TinyModel { weight_type, ..TinyModel::default() }, "", |bytes| bytes.fill(0));
            for formats in Formats::ALL {
                let mut engine = engine_under(&bytes, Numerics::new(formats, Order::ByShape, 32)).await;
                let n_blocks = engine.model().config.n_blocks as usize;
                assert_eq!(
                    engine.model().zero_matrices.len(),
                    1 + 7 * n_blocks,
                    "the embedding, and seven in each layer"
                );
                let cancel = CancelToken::default();
                let run = engine.run(&ids(20, 3), RunOptions::tokens(2), &cancel, |_| ()).await;
                let steps = run.expect("zeros are logits").steps;
                let top = steps.iter().flat_map(|step| step.top);
                assert!(top.clone().all(|(_, logit)| logit == 0.0), "{formats:?}: {steps:?}");
                assert!(steps.len() == 2 || engine.tokenizer().is_end_of_turn(steps[0].id), "{formats:?}");
            }
        }
    });
}

/// Scales and numbers below the smallest normal one: a device may flush them, and the sums they are part of hardly change.
#[test]
fn b070_subnormal_weights_change_nothing_that_shows() {
    let in_f32 = |bytes: &mut [u8]| {
        for weight in bytes.as_chunks_mut::<4>().0.iter_mut().step_by(3) {
            *weight = 1e-40f32.to_le_bytes();
        }
    };
    // The f16 scales of every other block: 2^-24, the smallest that there is.
    let in_scales = |bytes: &mut [u8]| {
        for block in bytes.chunks_exact_mut(TensorType::Q4_1.block().bytes).step_by(2) {
            block[..2].copy_from_slice(&1_u16.to_le_bytes());
        }
    };
    pollster::block_on(async {
        for (weight_type, change) in [(TensorType::F32, &in_f32 as &dyn Fn(&mut [u8])), (TensorType::Q4_1, &in_scales)]
        {
            let bytes = with_bytes(&TinyModel { weight_type, ..TinyModel::default() }, "ffn_up", change);
            let numerics = Numerics::new(Formats::F32, Order::Invariant, 32);
            let tokens = ids(20, 5);
            let mut gpu = engine_under(&bytes, numerics).await;
            gpu.pass().set_block_table(0, 0, &[0, 1]);
            let found = gpu.pass().forward(&rows(0, 0, &tokens, 0), Outputs::Last).await.expect("a step")[0];
            let mut twin = twin_engine::twin(&bytes, Formats::F32, Order::Invariant);
            twin.pass().set_block_table(0, 0, &[0, 1]);
            let expected = twin.pass().forward(&rows(0, 0, &tokens, 0), Outputs::Last).await.expect("a step")[0];
            assert_eq!(found.ids, expected.ids, "{weight_type}");
            for (found, expected) in found.values.iter().zip(&expected.values) {
                assert!((found - expected).abs() <= 1e-5 * expected.abs(), "{weight_type}: {found} and {expected}");
            }
        }
    });
}
