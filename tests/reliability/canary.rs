//! The model that is loaded on a device is as it was after every refusal of another file on that device.

use lastbit::generate::{CancelToken, Engine, EngineOptions, GenerateError, RunOptions};
use lastbit::gguf::MetadataValue;
use lastbit::gpu::Device;
use lastbit::model::{ModelError, ModelLoader};
use lastbit::numerics::{Formats, Numerics, Order};
use lastbit::quant::TensorType;
use lastbit::tiny_model::{self, TinyModel};

use crate::bad_files::{ROWS, files_of};
use crate::changed::Changed;
use crate::{code_shown, support};

/// Tokens and logits of a cold run.
async fn golden(engine: &mut Engine) -> Vec<(u32, [u32; 4])> {
    engine.reset().expect("an empty cache");
    let cancel = CancelToken::default();
    let run = engine.run(&[70, 71, 72, 73, 74], RunOptions::tokens(8), &cancel, |_| ()).await;
    run.expect("the canary runs").steps.iter().map(|step| (step.id, step.logits_hash)).collect()
}

/// Why a loader refuses these bytes, which come in pieces.
async fn refusal(device: &Device, bytes: &[u8], announced: Option<u64>) -> ModelError {
    let mut loader = ModelLoader::new(device, announced);
    for piece in bytes.chunks(1 << 16) {
        if let Err(error) = loader.push(piece).await {
            assert!(matches!(loader.push(&[0]).await, Err(ModelError::SpentLoader)));
            return error;
        }
    }
    loader.finish(None).await.expect_err("this file must not load")
}

#[test]
fn the_loaded_model_gives_its_golden_tokens_after_every_refusal() {
    pollster::block_on(async {
        let device = support::device().await;
        let model = support::load(&device, tiny_model::gguf_bytes(7)).await;
        let numerics = Numerics::new(Formats::Int8, Order::Invariant, 32);
        let options = EngineOptions { context_len: 128, n_cache_blocks: 16, ..EngineOptions::default() };
        let mut engine = Engine::new(&device, model, numerics, options).await.expect("the canary starts");
        let expected = golden(&mut engine).await;

        let first_files = ROWS.into_iter().filter_map(|row| Some((row, files_of(row).into_iter().next()?)));
        let mut bad: Vec<_> = first_files.map(|(row, file)| (row, file.bytes, file.announced, file.expected)).collect();
        let floats = TinyModel { weight_type: TensorType::F32, ..TinyModel::default() };
        let tiny = Changed::of(&floats.gguf_bytes());
        let nan = |bytes: &mut [u8]| bytes[..4].copy_from_slice(&f32::NAN.to_le_bytes());
        for (row, file, code) in [
            ("B048", tiny.without("general.architecture"), "MODEL_ARCH"),
            ("B054", tiny.set("llama.block_count", MetadataValue::U32(1 << 31)), "MODEL_LAYERS"),
            ("B060", tiny.with_tensors(|name| name != "blk.1.ffn_down.weight"), "MODEL_TENSOR"),
            ("B066", tiny.with_bytes(|name| name == "output_norm.weight", nan), "WEIGHT_NAN"),
            ("B067", tiny.with_bytes(|name| name == "blk.2.attn_q.weight", nan), "WEIGHT_NAN"),
        ] {
            bad.push((row, file.bytes(), None, code));
        }
        for (row, bytes, announced, code) in bad {
            let error = GenerateError::from(refusal(&device, &bytes, announced).await);
            let found = code_shown(&error);
            // A loader goes on where the container's reader is content: what these files hold is no model.
            assert!(found == code || found.starts_with("MODEL_"), "{row}: {error}");
            assert_eq!(golden(&mut engine).await, expected, "after {row}");
        }
    });
}
