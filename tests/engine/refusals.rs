//! Files that must not run: one clear error each, before anything is computed.

use lastbit::generate::{Engine, EngineOptions};
use lastbit::gpu::GpuError;
use lastbit::model::{ModelError, ModelLoader};
use lastbit::numerics::{Formats, Numerics, Order};
use lastbit::quant::TensorType;
use lastbit::tiny_model::TinyModel;

use crate::support;

/// What loading these bytes ends in.
async fn refusal(bytes: &[u8], sha256: Option<&str>) -> ModelError {
    let device = support::device().await;
    let mut loader = ModelLoader::new(&device, Some(bytes.len() as u64));
    if let Err(error) = loader.push(bytes).await {
        return error;
    }
    loader.finish(sha256).await.expect_err("this file must not load")
}

/// The file with the first occurrence of `from` replaced by `to` of the same length.
fn patched(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = bytes.windows(from.len()).position(|window| window == from).expect("the bytes are in the file");
    let mut bytes = bytes.to_vec();
    bytes[at..at + to.len()].copy_from_slice(to);
    bytes
}

#[test]
fn wrong_files_are_refused_by_name() {
    pollster::block_on(async {
        let bytes = TinyModel { embedding_type: TensorType::F32, ..TinyModel::default() }.gguf_bytes();
        let hash = refusal(&bytes, Some(&"0".repeat(64))).await;
        assert!(matches!(hash, ModelError::WrongHash { .. }), "{hash}");

        let missing = refusal(&patched(&bytes, b"blk.1.ffn_up.weight", b"blk.1.ffn_xx.weight"), None).await;
        assert!(matches!(&missing, ModelError::MissingTensor { name } if name == "blk.1.ffn_up.weight"), "{missing}");

        let other = refusal(&patched(&bytes, b"\x05\0\0\0\0\0\0\0llama", b"\x05\0\0\0\0\0\0\0mamba"), None).await;
        assert!(matches!(&other, ModelError::Architecture { found, .. } if found == "mamba"), "{other}");

        let cut = refusal(&bytes[..bytes.len() - 1], None).await;
        assert!(matches!(cut, ModelError::Gguf(_)), "{cut}");

        // The last tensor is the last norm, in F32.
        let mut not_a_number = bytes.clone();
        let end = not_a_number.len() - 4;
        not_a_number[end..].copy_from_slice(&f32::NAN.to_le_bytes());
        let not_finite = refusal(&not_a_number, None).await;
        assert!(
            matches!(&not_finite, ModelError::NotFinite { name, .. } if name == "output_norm.weight"),
            "{not_finite}"
        );
    });
}

#[test]
fn b071_what_no_binding_holds_is_refused_with_both_numbers() {
    pollster::block_on(async {
        let device = support::device().await;
        let model = support::load(&device, TinyModel::default().gguf_bytes()).await;
        let options = EngineOptions { n_cache_blocks: 40_000_000, ..EngineOptions::default() };
        let numerics = Numerics::new(Formats::F32, Order::ByShape, 64);
        let error = Engine::new(&device, model, numerics, options).await.expect_err("no device binds that much");
        let text = error.to_string();
        assert!(
            matches!(error, lastbit::generate::GenerateError::Model(ModelError::Gpu(GpuError::TooLarge { .. }))),
            "{text}"
        );
        let explained = lastbit::error::explain(&error);
        assert_eq!(explained.code, "out-of-memory");
        assert!(explained.message.ends_with("(GPU_LIMIT)"), "{explained}");
        let limits = &device.report().limits;
        let limit = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        assert!(explained.message.contains(&limit.to_string()), "{explained}");
    });
}
