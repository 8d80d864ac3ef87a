//! Rows about the model's description: sizes that cannot be, tensors that do not fit them, and unusual ones that load.

use lastbit::architecture::Architecture;
use lastbit::gguf::{GgufFile, MetadataArray, MetadataValue};
use lastbit::model::check_header;
use lastbit::quant::TensorType;
use lastbit::tiny_model::TinyModel;

use crate::changed::Changed;
use crate::{code_shown, engine};

/// What checking a header may allocate: names and shapes of its tensors, however large it says they are.
const MOST_BYTES: u64 = 1 << 20;

fn tiny() -> Changed {
    Changed::of(&TinyModel::default().gguf_bytes())
}

fn number(number: u32) -> MetadataValue {
    MetadataValue::U32(number)
}

fn text(text: &str) -> MetadataValue {
    MetadataValue::String(text.to_owned())
}

fn numbers(numbers: &[u32]) -> MetadataValue {
    MetadataValue::Array(MetadataArray::U32(numbers.to_vec()))
}

/// The file is refused by its header alone, with this code and these words, and little memory.
#[track_caller]
fn refused(file: &Changed, code: &str, words: &str) {
    let bytes = file.bytes();
    let header = GgufFile::parse(&bytes).expect("the container is good");
    let mut checked = None;
    let used = allocation_counter::measure(|| checked = Some(check_header(&header)));
    let error = checked.expect("it was checked").expect_err("no model");
    assert!(used.bytes_max <= MOST_BYTES, "{error}: {} bytes", used.bytes_max);
    let error = error.into();
    assert_eq!(code_shown(&error), code, "{error}");
    assert!(error.to_string().contains(words), "{words:?} is not in: {error}");
    let of_loader = engine(&bytes).expect_err("a loader refuses it too");
    assert_eq!(of_loader.to_string(), error.to_string());
}

#[track_caller]
fn loads(file: &Changed) -> lastbit::model::ModelConfig {
    match engine(&file.bytes()) {
        Ok(engine) => engine.model().config.clone(),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn b048_a_file_without_an_architecture_is_no_model() {
    refused(&tiny().without("general.architecture"), "MODEL_ARCH", "general.architecture is missing");
    refused(
        &tiny().set("general.architecture", number(3)),
        "MODEL_ARCH",
        "general.architecture must be a UTF-8 string",
    );
}

#[test]
fn b049_other_architectures_adapters_and_vocabularies_are_refused_with_the_list_of_what_runs() {
    let supported = "llama, qwen2, qwen3, gemma3";
    for name in ["foo", "clip", "t5", ""] {
        refused(&tiny().set("general.architecture", text(name)), "MODEL_ARCH", supported);
    }
    let long = text(&"mamba".repeat(10_000));
    refused(&tiny().set("general.architecture", long), "MODEL_ARCH", supported);
    let lora = tiny().set("general.type", text("adapter")).with_tensors(|name| name.contains("attn_q"));
    refused(&lora, "MODEL_ARCH", supported);
    refused(&tiny().set("general.type", text("imatrix")), "MODEL_ARCH", "a file of type imatrix");
    let vocabulary_only = tiny().with_tensors(|_| false);
    refused(&vocabulary_only, "MODEL_ARCH", supported);
    refused(&vocabulary_only.without("llama.block_count"), "MODEL_ARCH", "no tensors");
    loads(&tiny().set("general.type", text("model")));
}

#[test]
fn b050_a_missing_hyper_parameter_is_named() {
    for key in [
        "block_count",
        "context_length",
        "embedding_length",
        "feed_forward_length",
        "attention.head_count",
        "attention.layer_norm_rms_epsilon",
    ] {
        let key = format!("llama.{key}");
        refused(&tiny().without(&key), "MODEL_KEY", &format!("{key} is missing"));
    }
}

#[test]
fn b051_any_integer_type_in_range_will_do_and_nothing_else() {
    let key = "llama.block_count";
    for value in [MetadataValue::U8(3), MetadataValue::I16(3), MetadataValue::I64(3), MetadataValue::U64(3)] {
        assert_eq!(loads(&tiny().set(key, value)).n_blocks, 3);
    }
    for value in [text("3"), MetadataValue::I32(-1), MetadataValue::F32(3.0), MetadataValue::U64(1 << 40)] {
        refused(&tiny().set(key, value), "MODEL_KEY", key);
    }
}

#[test]
fn b052_head_counts_that_cannot_be_are_refused() {
    for (key, count) in [("head_count", 0), ("head_count_kv", 0), ("head_count_kv", 2), ("head_count", 1 << 31)] {
        let key = format!("llama.attention.{key}");
        refused(&tiny().set(&key, number(count)), "MODEL_HEADS", &format!("{key} is {count}"));
    }
    let gemma = Changed::of(&TinyModel::like(Architecture::GEMMA3).gguf_bytes());
    refused(&gemma.set("gemma3.attention.key_length", number(64)), "MODEL_HEADS", "attention.value_length is 32");
    refused(&gemma.set("gemma3.attention.key_length", number(0)), "MODEL_HEADS", "gemma3.attention.value_length");
}

#[test]
fn b053_an_embedding_of_no_width_or_not_of_whole_heads_is_refused() {
    for width in [0, 100, 128, 1 << 31] {
        let file = tiny().set("llama.embedding_length", number(width));
        refused(&file, "MODEL_SHAPE", &format!("llama.embedding_length is {width}"));
    }
}

#[test]
fn b054_layer_counts_beyond_the_tensors_are_refused_before_any_loop() {
    for n_blocks in [0, 4, 513, 1 << 31, u32::MAX] {
        let file = tiny().set("llama.block_count", number(n_blocks));
        refused(&file, "MODEL_LAYERS", &format!("llama.block_count is {n_blocks}"));
    }
    // A name that speaks of many layers does not make them.
    let far = tiny().with_zeros("blk.400.attn_norm.weight", &[96], TensorType::F32);
    refused(&far.set("llama.block_count", number(401)), "MODEL_TENSOR", "blk.3.attn_norm.weight is missing");
}

#[test]
fn b055_values_of_each_layer_must_be_as_many_as_layers_and_equal() {
    let heads = "llama.attention.head_count_kv";
    for values in [&[1, 1][..], &[1, 1, 1, 1], &[], &[1, 0, 1], &[1, 1, 3]] {
        refused(&tiny().set(heads, numbers(values)), "MODEL_KEY", heads);
    }
    // Sound models are made so, and no conversion helps: the sentence is not that of a broken file.
    refused(&tiny().set(heads, numbers(&[1, 1, 3])), "MODEL_KEY", "is 1 in some layers and 3 in others");
    refused(&tiny().set(heads, numbers(&[0, 0, 0])), "MODEL_HEADS", heads);
    assert_eq!(loads(&tiny().set(heads, numbers(&[1, 1, 1]))).n_kv_heads, 1);
    assert_eq!(loads(&tiny().set("llama.feed_forward_length", numbers(&[192; 3]))).feed_forward_dim, 192);
    // A zero that nothing is divided by says that there is none.
    assert_eq!(loads(&tiny().set("llama.attention.sliding_window", number(0))).window, None);
}

#[test]
fn b056_rotations_of_an_odd_or_too_wide_part_of_a_head_are_refused() {
    let key = "llama.rope.dimension_count";
    for rope_dim in [0, 1, 31, 34, 1 << 31] {
        refused(&tiny().set(key, number(rope_dim)), "MODEL_ROPE", &format!("{key} is {rope_dim}"));
    }
    assert_eq!(loads(&tiny().set(key, number(16))).rope_dim, 16);
}

#[test]
fn b057_rotations_whose_base_or_scale_is_no_positive_number_are_refused() {
    let key = "llama.rope.freq_base";
    for base in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        refused(&tiny().set(key, MetadataValue::F32(base)), "MODEL_ROPE", &format!("{key} is {base}"));
    }
    let scaled = |kind: &str| tiny().set("llama.rope.scaling.type", text(kind));
    refused(&scaled("yarn"), "MODEL_ROPE", "llama.rope.scaling.type is yarn");
    refused(&scaled(&"y".repeat(100_000)), "MODEL_ROPE", "yyy…, expected none or linear");
    refused(&scaled("linear"), "MODEL_KEY", "llama.rope.scaling.factor is missing");
    let by = |factor| scaled("linear").set("llama.rope.scaling.factor", MetadataValue::F32(factor));
    refused(&by(0.0), "MODEL_ROPE", "llama.rope.scaling.factor is 0");
    assert_eq!(loads(&by(4.0)).rope_scale, 4.0);
    // As llama.cpp reads them: a factor is linear unless a type says otherwise, and an old name of its key will do.
    let factor = |key: &str, factor| tiny().set(&format!("llama.rope.{key}"), MetadataValue::F32(factor));
    assert_eq!(loads(&factor("scaling.factor", 4.0)).rope_scale, 4.0);
    assert_eq!(loads(&factor("scale_linear", 2.0)).rope_scale, 2.0);
    let both = factor("scale_linear", 2.0).set("llama.rope.scaling.factor", MetadataValue::F32(8.0));
    assert_eq!(loads(&both).rope_scale, 8.0);
    let old = factor("scale_linear", 2.0).set("llama.rope.scaling.type", text("linear"));
    assert_eq!(loads(&old).rope_scale, 2.0);
    assert_eq!(loads(&factor("scaling.factor", 4.0).set("llama.rope.scaling.type", text("none"))).rope_scale, 1.0);
    refused(&factor("scale_linear", -2.0), "MODEL_ROPE", "llama.rope.scale_linear is -2");
}

#[test]
fn keys_that_change_numbers_pass_only_with_a_value_that_changes_nothing() {
    let float = MetadataValue::F32;
    let of_llama = [
        ("attention.causal", MetadataValue::Bool(true), MetadataValue::Bool(false), "is false", "only true"),
        ("attention.clamp_kqv", float(0.0), float(8.0), "is 8,", "only 0"),
        ("attention.max_alibi_bias", float(0.0), float(8.0), "is 8,", "only 0"),
        ("attention.scale", float(1.0 / 32_f32.sqrt()), float(0.5), "is 0.5", "only 0 or 0.17677"),
        ("attention.scale", float(0.0), text("wide"), "is wide", "only 0"),
        ("attention.output_scale", number(1), number(2), "is 2,", "only 0 or 1"),
        ("rope.scaling.attn_factor", float(1.0), float(0.0), "is 0,", "only 1"),
        ("attn_logit_softcapping", float(0.0), float(50.0), "is 50", "only 0"),
        ("final_logit_softcapping", float(0.0), float(30.0), "is 30", "only 0"),
        ("logit_scale", float(1.0), float(0.0625), "is 0.0625", "only 0 or 1"),
        ("logit_scale", float(0.0), float(f32::NAN), "is NaN", "only 0 or 1"),
        ("residual_scale", float(1.0), float(0.22), "is 0.22", "only 0 or 1"),
        ("embedding_scale", float(1.0), float(12.0), "is 12", "only 0 or 1"),
    ];
    for (key, neutral, other, words, passes) in of_llama {
        let key = format!("llama.{key}");
        assert_eq!(loads(&tiny().set(&key, neutral)), loads(&tiny()), "{key}");
        refused(&tiny().set(&key, other.clone()), "MODEL_UNSUPPORTED", &format!("{key} {words}"));
        refused(&tiny().set(&key, other), "MODEL_UNSUPPORTED", passes);
    }
    // What a vocabulary says of its texts is no less a part of the model.
    let flag = MetadataValue::Bool;
    let charsmap = |bytes: Vec<u8>| MetadataValue::Array(MetadataArray::U8(bytes));
    for (key, neutral, other) in [
        ("remove_extra_whitespaces", flag(false), flag(true)),
        ("precompiled_charsmap", charsmap(Vec::new()), charsmap(vec![1, 2])),
        ("normalizer.lowercase", flag(false), flag(true)),
        ("normalizer.strip_accents", flag(false), flag(true)),
    ] {
        let key = format!("tokenizer.ggml.{key}");
        assert_eq!(loads(&tiny().set(&key, neutral)), loads(&tiny()), "{key}");
        refused(&tiny().set(&key, other), "MODEL_UNSUPPORTED", &format!("{key} is "));
    }
    // A window of its own kind matters only where there is one.
    let base = tiny().set("llama.rope.freq_base_swa", float(5.0));
    loads(&base);
    let windowed = base.set("llama.attention.sliding_window", number(64));
    refused(&windowed, "MODEL_UNSUPPORTED", "llama.rope.freq_base_swa is 5, which nothing here computes; only 10000");
}

#[test]
fn gemma_s_window_is_as_the_file_says() {
    let gemma = Changed::of(&TinyModel::like(Architecture::GEMMA3).gguf_bytes());
    let window = |file: &Changed| loads(file).window.expect("it has one");
    let usual = window(&gemma).pattern;
    assert_eq!((usual.global_every, usual.local_rope_base), (Some(6), Some(10_000.0)));
    let base = window(&gemma.set("gemma3.rope.freq_base_swa", MetadataValue::F32(5000.5)));
    assert_eq!(base.pattern.local_rope_base, Some(5000.5));
    refused(&gemma.set("gemma3.rope.freq_base_swa", MetadataValue::F32(0.0)), "MODEL_ROPE", "freq_base_swa is 0");
    let key = "gemma3.attention.sliding_window_pattern";
    for (every, expected) in [(6, Some(6)), (2, Some(2)), (1, Some(1)), (0, None)] {
        assert_eq!(window(&gemma.set(key, number(every))).pattern.global_every, expected);
    }
    let layers = |layers: [bool; 7]| MetadataValue::Array(MetadataArray::Bool(layers.to_vec()));
    let [l, g] = [true, false];
    assert_eq!(window(&gemma.set(key, layers([l, l, g, l, l, g, l]))).pattern.global_every, Some(3));
    assert_eq!(window(&gemma.set(key, layers([l; 7]))).pattern.global_every, None);
    refused(&gemma.set(key, layers([l, g, g, l, l, g, l])), "MODEL_KEY", "7 truth values");
    refused(&gemma.set(key, numbers(&[1, 1, 0])), "MODEL_KEY", "3 values");
    assert_eq!(loads(&gemma.set("gemma3.attention.sliding_window", number(0))).window, None);
    let scale = |scale| gemma.set("gemma3.embedding_scale", MetadataValue::F32(scale));
    assert_eq!(loads(&scale(96_f32.sqrt())), loads(&gemma));
    refused(&scale(1.0), "MODEL_UNSUPPORTED", "gemma3.embedding_scale is 1");
}

#[test]
fn b058_a_norm_whose_epsilon_is_no_positive_number_is_refused() {
    let key = "llama.attention.layer_norm_rms_epsilon";
    for epsilon in [0.0, -1e-5, f32::NAN, f32::INFINITY] {
        refused(&tiny().set(key, MetadataValue::F32(epsilon)), "MODEL_NORM", &format!("{key} is {epsilon}"));
    }
}

#[test]
fn b059_a_context_of_no_tokens_is_refused_and_a_vast_one_cut_to_what_runs() {
    let key = "llama.context_length";
    refused(&tiny().set(key, number(0)), "MODEL_KEY", &format!("{key} is 0"));
    refused(&tiny().set(key, number(1)), "MODEL_KEY", &format!("{key} is 1, expected at least 2"));
    assert_eq!(loads(&tiny().set(key, number(2))).context_len, 2);
    let vast = tiny().set(key, MetadataValue::U64(1 << 32)).bytes();
    let engine = engine(&vast).expect("what runs is cut to what the engine is set up for");
    assert_eq!((engine.model().config.context_len, engine.context_len()), (u32::MAX, 128));
}

#[test]
fn b060_a_missing_tensor_is_named() {
    for missing in ["blk.1.ffn_down.weight", "output_norm.weight", "token_embd.weight", "blk.2.attn_norm.weight"] {
        let file = tiny().with_tensors(|name| name != missing);
        refused(&file, "MODEL_TENSOR", &format!("tensor {missing} is missing"));
    }
}

#[test]
fn b061_a_tensor_of_another_shape_is_told_with_both() {
    let shaped = |name, shape: &[u64]| tiny().with_zeros(name, shape, TensorType::F32);
    let transposed = shaped("blk.0.ffn_down.weight", &[96, 192]);
    refused(&transposed, "MODEL_SHAPE", "has shape [96, 192], expected [192, 96]");
    refused(&shaped("blk.0.attn_norm.weight", &[96, 1]), "MODEL_SHAPE", "has shape [96, 1], expected [96]");
    refused(&shaped("blk.0.attn_q.weight", &[96, 96, 2]), "MODEL_SHAPE", "has shape [96, 96, 2]");
}

/// The list would have strangers ignored; the design refuses those whose names are not known to be unused, as llama.cpp does.
#[test]
fn b062_surplus_tensors_are_refused_by_name_and_known_ones_are_used() {
    refused(
        &tiny().with_zeros("blk.0.attn_gate.weight", &[96], TensorType::F32),
        "MODEL_TENSOR",
        "blk.0.attn_gate.weight",
    );
    refused(&tiny().set("llama.block_count", number(2)), "MODEL_TENSOR", "blk.2.");
    let factors = tiny().with_zeros("rope_freqs.weight", &[16], TensorType::F32);
    let ones = |bytes: &mut [u8]| bytes.as_chunks_mut::<4>().0.iter_mut().for_each(|one| *one = 1f32.to_le_bytes());
    loads(&factors.with_bytes(|name| name == "rope_freqs.weight", ones));
}

#[test]
fn an_angle_divided_by_zero_is_refused_before_anything_is_computed() {
    let factors = tiny().with_zeros("rope_freqs.weight", &[16], TensorType::F32);
    let error = engine(&factors.bytes()).expect_err("zeros");
    assert_eq!(code_shown(&error), "MODEL_ROPE", "{error}");
    assert!(error.to_string().contains("rope_freqs.weight at 0 is 0, expected more than 0"), "{error}");
    let last_is_negative = |bytes: &mut [u8]| {
        bytes.as_chunks_mut::<4>().0.iter_mut().for_each(|one| *one = 1f32.to_le_bytes());
        bytes[60..].copy_from_slice(&(-1f32).to_le_bytes());
    };
    let error = engine(&factors.with_bytes(|name| name == "rope_freqs.weight", last_is_negative).bytes());
    assert!(error.expect_err("a negative one").to_string().contains("rope_freqs.weight at 15 is -1"));
}

#[test]
fn b063_mixtures_of_experts_are_refused() {
    for (count, used) in [(8, 2), (2, 8), (0, 2), (8, 0)] {
        let file = tiny().set("llama.expert_count", number(count)).set("llama.expert_used_count", number(used));
        refused(&file, "MODEL_EXPERTS", &format!("{used} of {count} experts"));
    }
    loads(&tiny().set("llama.expert_count", number(0)));
}

#[test]
fn b065_a_head_that_is_the_embedding_needs_no_tensor_of_its_own() {
    assert!(TinyModel::default().output_type.is_none());
    loads(&tiny());
    let own = TinyModel { output_type: Some(TensorType::Q4_1), ..TinyModel::default() };
    loads(&Changed::of(&own.gguf_bytes()));
}

#[test]
fn a_window_must_be_stated_where_an_architecture_has_one_and_only_there() {
    let [qwen, gemma] =
        [Architecture::QWEN2, Architecture::GEMMA3].map(|it| Changed::of(&TinyModel::like(it).gguf_bytes()));
    let key = "qwen2.attention.sliding_window";
    refused(&qwen.set(key, number(64)), "MODEL_KEY", "qwen2.attention.sliding_window is 64, expected no window");
    // A window that no sequence can fill is none.
    assert_eq!(loads(&qwen.set(key, number(TinyModel::default().context_len))).window, None);
    refused(
        &gemma.without("gemma3.attention.sliding_window"),
        "MODEL_KEY",
        "gemma3.attention.sliding_window is missing",
    );
    assert_eq!(
        loads(&tiny().set("llama.attention.sliding_window", number(64))).window.map(|window| window.len),
        Some(64)
    );
}
