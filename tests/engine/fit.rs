//! The fit check: what a header says of bindings and memory is what a load then takes, and it decides at the byte.

use lastbit::generate::{EngineOptions, check_model};
use lastbit::gguf::{GgufFile, MetadataValue};
use lastbit::model::{Fit, FitLimits};
use lastbit::numerics::{Formats, Numerics, Order};
use lastbit::quant::TensorType;
use lastbit::tiny_model::TinyModel;

const ROOM: FitLimits = FitLimits { binding_bytes: Some(128 << 20), memory_bytes: FitLimits::USUAL_MEMORY_BYTES };

fn fit(tiny: &TinyModel, formats: Formats, limits: FitLimits) -> Fit {
    let file = GgufFile::parse(&tiny.gguf_bytes()).expect("the tiny model is a file");
    let numerics = Numerics::new(formats, Order::ByShape, 32);
    check_model(&file, &numerics, EngineOptions::default(), limits).expect("the tiny model is a model").fit
}

#[test]
fn the_numbers_by_hand() {
    // 3 blocks; one head of keys and values, 32 wide; 192 hidden numbers; 96 wide.
    let int8 = fit(&TinyModel::default(), Formats::Int8, ROOM);
    assert_eq!(int8.kv_bytes_per_token, 3 * (32 + 32) * 2);
    let contexts: Vec<(u32, u64)> = int8.kv.iter().map(|need| (need.context_len, need.kv_bytes)).collect();
    assert_eq!(contexts, [(512, 512 * 384), (1024, 1024 * 384), (2048, 2048 * 384)]);
    assert_eq!((int8.cache_positions, int8.cache_bytes), (288 * 16, 288 * 16 * 384));
    assert_eq!(int8.total_bytes, int8.weights_bytes + int8.cache_bytes);
    // Gate and up in Q4_1: 2 * 192 rows of three blocks, 16 bytes of quants each.
    assert_eq!((int8.largest_binding.as_str(), int8.largest_binding_bytes), ("blk.0.ffn_gate_up", 384 * 3 * 16));
    assert!(int8.fits && int8.sentence.starts_with("Yes, it fits: "), "{}", int8.sentence);

    let f32 = fit(&TinyModel::default(), Formats::F32, ROOM);
    assert_eq!(f32.kv_bytes_per_token, 2 * int8.kv_bytes_per_token);
    let short = TinyModel { context_len: 100, ..TinyModel::default() };
    let lens: Vec<u32> = fit(&short, Formats::Int8, ROOM).kv.iter().map(|need| need.context_len).collect();
    assert_eq!(lens, [100], "no longer than the model's own context");
}

#[test]
fn keys_that_are_not_read_are_told_with_the_fit() {
    let notes = |key: Option<&str>| {
        let mut writer = TinyModel::default().writer();
        key.map(|key| writer.metadata(key, MetadataValue::U32(8)));
        let file = GgufFile::parse(&writer.to_bytes()).expect("the tiny model is a file");
        let numerics = Numerics::new(Formats::Int8, Order::ByShape, 32);
        check_model(&file, &numerics, EngineOptions::default(), ROOM).expect("the tiny model is a model").notes
    };
    assert!(notes(None).is_empty(), "{:?}", notes(None));
    assert_eq!(notes(Some("llama.some_new_key")), ["not read: llama.some_new_key (8)"]);
    assert!(notes(Some("general.some_key")).is_empty(), "what describes a file says nothing of how it computes");
}

#[test]
fn the_licence_is_told_as_the_file_names_it() {
    let license = |entries: &[(&str, &str)]| {
        let mut writer = TinyModel::default().writer();
        for (key, words) in entries {
            writer.metadata(key, MetadataValue::String((*words).to_owned()));
        }
        let file = GgufFile::parse(&writer.to_bytes()).expect("the tiny model is a file");
        let numerics = Numerics::new(Formats::Int8, Order::ByShape, 32);
        check_model(&file, &numerics, EngineOptions::default(), ROOM).expect("the tiny model is a model").license
    };
    assert_eq!(license(&[]), None);
    assert_eq!(license(&[("general.license", "apache-2.0")]).as_deref(), Some("apache-2.0"));
    let named = [("general.license", "other"), ("general.license.name", "gemma")];
    assert_eq!(license(&named).as_deref(), Some("gemma"));
    assert_eq!(license(&[("general.license", " ")]), None);
}

#[test]
fn q_k_and_v_are_bound_together_where_they_have_one_format() {
    let wide = TinyModel { n_heads: 16, n_kv_heads: 16, width: Some(32), feed_forward_dim: 32, ..TinyModel::default() };
    let found = fit(&TinyModel { weight_type: TensorType::F32, ..wide }, Formats::Int8, ROOM);
    assert_eq!((found.largest_binding.as_str(), found.largest_binding_bytes), ("blk.0.attn_qkv", 3 * 512 * 32 * 4));
}

#[test]
fn it_decides_at_the_byte_and_says_why_not() {
    let exact = fit(&TinyModel::default(), Formats::Int8, ROOM);
    let with = |binding_bytes, memory_bytes| {
        fit(&TinyModel::default(), Formats::Int8, FitLimits { binding_bytes, memory_bytes })
    };
    let (binding, memory) = (exact.largest_binding_bytes, exact.total_bytes);
    assert!(with(Some(binding), memory).fits);

    let bound = with(Some(binding - 1), memory);
    assert_eq!((bound.fits, bound.binding_fits, bound.memory_fits), (false, false, true));
    assert!(bound.sentence.starts_with("No, it does not fit: "), "{}", bound.sentence);
    assert!(bound.sentence.contains("blk.0.ffn_gate_up with 18.4 kB, is more than the 18.4 kB"), "{}", bound.sentence);

    let full = with(Some(binding), memory - 1);
    assert_eq!((full.fits, full.binding_fits, full.memory_fits), (false, true, false));
    assert!(full.sentence.contains("more than the budget"), "{}", full.sentence);

    let twin = with(None, memory);
    assert!(twin.fits && !twin.sentence.contains("binds"), "the twin binds nothing: {}", twin.sentence);
}
