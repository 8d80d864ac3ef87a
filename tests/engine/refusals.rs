//! Files that must not run: one clear error each, before anything is computed.

use lastbit::architecture::Architecture;
use lastbit::generate::{Engine, EngineOptions};
use lastbit::gguf::{self, GgufWriter, MetadataArray, MetadataValue};
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

/// The file with one key of its description changed, or left out.
fn described(tiny: &TinyModel, key: &str, value: Option<MetadataValue>) -> Vec<u8> {
    let file = gguf::load(tiny.gguf_bytes().as_slice(), None).expect("the tiny model is a file");
    let mut writer = GgufWriter::default();
    let others = file.header.metadata.iter().filter(|(name, _)| *name != key);
    let changed = value.iter().map(|value| (key, value));
    for (name, value) in others.chain(changed) {
        writer.metadata(name, value.clone());
    }
    for (info, bytes) in file.header.tensors.iter().zip(file.tensors) {
        writer.tensor(&info.name, &info.shape, info.tensor_type, bytes);
    }
    writer.to_bytes()
}

#[test]
fn sizes_that_cannot_be_are_refused_by_key_and_per_layer_values_only_where_they_differ() {
    let number = |n| Some(MetadataValue::U32(n));
    let per_layer = |values: &[u32]| Some(MetadataValue::Array(MetadataArray::U32(values.to_vec())));
    let [llama, qwen, gemma] = [Architecture::LLAMA, Architecture::QWEN2, Architecture::GEMMA3].map(TinyModel::like);
    let refused = [
        (&llama, "llama.attention.head_count", number(0), "llama.attention.head_count is 0"),
        (&llama, "llama.attention.head_count_kv", number(3), "a divisor of the head count"),
        (&llama, "llama.attention.head_count_kv", number(0), "a divisor of the head count"),
        (&llama, "llama.attention.head_count_kv", per_layer(&[2, 2, 1]), "llama.attention.head_count_kv"),
        (&llama, "llama.block_count", number(2), "tensor blk.2."),
        (&llama, "llama.block_count", number(4), "tensor blk.3.attn_norm.weight is missing"),
        (&llama, "llama.vocab_size", number(7), "llama.vocab_size is 7"),
        (&llama, "llama.embedding_length", number(128), "tensor token_embd.weight has shape"),
        (&llama, "llama.rope.scaling.type", Some(MetadataValue::String("yarn".to_owned())), "RoPE scaling yarn"),
        (
            &llama,
            "general.architecture",
            Some(MetadataValue::String("mamba".to_owned())),
            "llama, qwen2, qwen3, gemma3",
        ),
        (
            &qwen,
            "qwen2.attention.sliding_window",
            number(64),
            "qwen2.attention.sliding_window is 64, expected no window",
        ),
        (&gemma, "gemma3.attention.sliding_window", None, "gemma3.attention.sliding_window"),
        (
            &gemma,
            "gemma3.attention.key_length",
            number(40),
            "gemma3.attention.value_length is 32, expected the key length",
        ),
    ];
    pollster::block_on(async {
        for (tiny, key, value, expected) in refused {
            let error = refusal(&described(tiny, key, value), None).await.to_string();
            assert!(error.contains(expected), "{key}: {error}");
        }
        let device = support::device().await;
        for (key, value) in [
            ("llama.attention.head_count_kv", per_layer(&[2, 2, 2])),
            ("llama.feed_forward_length", per_layer(&[192; 3])),
            ("llama.attention.sliding_window", number(64)),
        ] {
            let model = support::load(&device, described(&llama, key, value)).await;
            assert_eq!(model.config.window.map(|window| window.len), key.contains("window").then_some(64), "{key}");
        }
        // A window that no sequence can fill is none.
        let whole = number(TinyModel::default().context_len);
        support::load(&device, described(&qwen, "qwen2.attention.sliding_window", whole)).await;
    });
}

#[test]
fn a_cache_beyond_the_devices_limits_is_refused_with_its_size() {
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
        assert_eq!(lastbit::error::explain(&error).code, "out-of-memory");
    });
}
