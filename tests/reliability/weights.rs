//! Rows about weights that no computation may start from. What happens at run time is tested on a device, in `tests/engine`.

use lastbit::generate::StopReason;
use lastbit::gguf::{MetadataArray, MetadataValue, Texts};
use lastbit::model::zero_note;
use lastbit::quant::TensorType;
use lastbit::tiny_model::TinyModel;

use crate::changed::Changed;
use crate::{code_shown, engine, run};

const NAN_F32: [u8; 4] = f32::NAN.to_le_bytes();
const INFINITE_F16: [u8; 2] = 0x7c00_u16.to_le_bytes();

/// The tiny model in a format.
fn tiny(tensor_type: TensorType) -> Changed {
    let tiny = TinyModel { weight_type: tensor_type, ..TinyModel::fitting(tensor_type) };
    Changed::of(&tiny.gguf_bytes())
}

/// Puts `what` into a tensor at these bytes; it is then refused with this count and this first place.
#[track_caller]
fn refused(file: &Changed, tensor: &str, what: &[u8], at: &[usize], words: &str) {
    let spoil = |bytes: &mut [u8]| at.iter().for_each(|at| bytes[*at..*at + what.len()].copy_from_slice(what));
    let error = engine(&file.with_bytes(|name| name == tensor, spoil).bytes()).expect_err("not a number");
    assert_eq!(code_shown(&error), "WEIGHT_NAN", "{error}");
    assert_eq!(error.to_string(), format!("tensor {tensor} holds NaN or infinity in {words}"));
}

#[test]
fn b066_a_norm_or_matrix_that_is_no_number_is_refused_with_its_place() {
    let infinite = f32::NEG_INFINITY.to_le_bytes();
    let floats = tiny(TensorType::F32);
    refused(&floats, "blk.1.ffn_norm.weight", &NAN_F32, &[8], "1 elements, the first is element 2");
    refused(&floats, "output_norm.weight", &infinite, &[0, 40], "2 elements, the first is element 0");
    refused(&floats, "blk.0.attn_q.weight", &NAN_F32, &[4000], "1 elements, the first is element 1000");
    refused(&tiny(TensorType::F16), "blk.0.ffn_up.weight", &INFINITE_F16, &[6], "1 elements, the first is element 3");
    // In bf16 the same bits are a number; its NaN has all bits of the exponent and one below.
    let bf16 = tiny(TensorType::BF16);
    refused(&bf16, "blk.0.ffn_up.weight", &0x7fc0_u16.to_le_bytes(), &[2], "1 elements, the first is element 1");
}

#[test]
fn b067_block_scales_that_are_no_number_are_refused_with_their_block() {
    // Where a block of the format has its f16 scale.
    for (tensor_type, scale) in [
        (TensorType::Q8_0, 0),
        (TensorType::Q4_1, 2),
        (TensorType::Q4K, 0),
        (TensorType::Q4K, 2),
        (TensorType::Q6K, 208),
    ] {
        let block = tensor_type.block().bytes;
        let at = [2 * block + scale, 3 * block + scale];
        refused(&tiny(tensor_type), "blk.1.ffn_down.weight", &INFINITE_F16, &at, "2 blocks, the first is block 2");
    }
}

#[test]
fn b069_weights_of_zero_give_equal_logits() {
    let zero = |bytes: &mut [u8]| bytes.fill(0);
    for tensor_type in [TensorType::Q4_1, TensorType::F32] {
        let file = tiny(tensor_type);
        let mut engine = engine(&file.with_bytes(|_| true, zero).bytes()).expect("zeros are numbers");
        let n_blocks = engine.model().config.n_blocks as usize;
        assert_eq!(engine.model().zero_matrices.len(), 1 + 7 * n_blocks, "the embedding, and seven in each layer");
        let trace = run(&mut engine, &[5, 6, 7], 2);
        assert!(trace.steps.iter().all(|step| step.top.iter().all(|(_, logit)| *logit == 0.0)), "{trace:?}");
        // By the tie rule: the lowest ids.
        assert_eq!(trace.steps[0].top.map(|(id, _)| id), [0, 1, 2, 3, 4]);
    }
}

/// A download whose end was filled with zeros runs, and what became of it is told.
#[test]
fn b069_matrices_of_zeros_are_told_by_name() {
    let told = |file: &Changed| zero_note(&engine(&file.bytes()).expect("zeros are numbers").model().zero_matrices);
    let whole = tiny(TensorType::Q4_1);
    assert_eq!(told(&whole), None);
    let zero = |bytes: &mut [u8]| bytes.fill(0);
    // A norm of zeros is none of them, and a matrix that is not all zeros is none.
    let one = whole.with_bytes(|name| name == "blk.1.ffn_norm.weight", zero);
    let one = one.with_bytes(|name| name == "blk.0.attn_q.weight", |bytes| bytes[1..].fill(0));
    assert_eq!(told(&one), None);
    let one = whole.with_bytes(|name| name == "blk.1.ffn_down.weight", zero);
    let why = "where the file was downloaded, its end may never have come";
    let first = "the first is blk.1.ffn_down.weight";
    assert_eq!(told(&one), Some(format!("1 matrix holds nothing but zeros, {first}: {why}")));
    let two = one.with_bytes(|name| name == "blk.1.ffn_gate.weight", zero);
    let words = told(&two).expect("a note");
    assert!(words.starts_with("2 matrices hold nothing but zeros, the first is blk.1.ffn_"), "{words}");
}

/// The tiny model whose vocabulary is its first `n_tokens` tokens.
fn with_tokens(n_tokens: usize) -> Changed {
    let tiny = Changed::of(&TinyModel::default().gguf_bytes());
    let metadata = tiny.metadata();
    let all = metadata.strings("tokenizer.ggml.tokens").expect("it has tokens");
    let more = (all.len()..n_tokens).map(|id| format!("<more {id}>"));
    let tokens = all.iter().map(String::from).chain(more).take(n_tokens).collect();
    let types = vec![1; n_tokens];
    tiny.set("tokenizer.ggml.tokens", MetadataValue::Array(MetadataArray::String(tokens)))
        .set("tokenizer.ggml.token_type", MetadataValue::Array(MetadataArray::I32(types)))
        .set("tokenizer.ggml.merges", MetadataValue::Array(MetadataArray::String(Texts::default())))
}

#[test]
fn b077_more_tokens_than_the_embedding_has_rows_are_refused_with_both_numbers() {
    let size = TinyModel::VOCAB_SIZE;
    let error = engine(&with_tokens(size + 1).bytes()).expect_err("a token has no embedding");
    assert_eq!(code_shown(&error), "VOCAB_MISMATCH", "{error}");
    assert!(error.to_string().contains(&format!("{} tokens, expected 5 to {size}", size + 1)), "{error}");
    let stated = with_tokens(size).set("llama.vocab_size", MetadataValue::U32(7));
    assert_eq!(code_shown(&engine(&stated.bytes()).expect_err("neither number")), "VOCAB_MISMATCH");
}

#[test]
fn b078_rows_of_the_embedding_without_a_token_are_never_chosen() {
    let size = TinyModel::VOCAB_SIZE;
    let n_tokens = 260;
    // Rows are blocks of 34 bytes; a scale of the padding rows' weights makes them the largest by far.
    let tiny = TinyModel::default();
    let row_bytes = tiny.embedding_dim() / 32 * 34;
    let loud = |bytes: &mut [u8]| {
        for block in bytes[n_tokens * row_bytes..].chunks_exact_mut(34) {
            block[..2].copy_from_slice(&0x5000_u16.to_le_bytes()); // 32
        }
    };
    let run_loud = |file: Changed| {
        let file = file.with_bytes(|name| name == "token_embd.weight", loud);
        run(&mut engine(&file.bytes()).expect("it loads"), &[5, 6, 7], 6)
    };
    let padded = run_loud(with_tokens(n_tokens));
    assert_eq!((padded.stop, padded.steps.len()), (StopReason::MaxTokens, 6));
    let ids = padded.steps.iter().flat_map(|step| step.top.map(|(id, _)| id));
    assert!(ids.clone().all(|id| (id as usize) < n_tokens), "{:?}", ids.collect::<Vec<_>>());
    // With a token for each row they would have been chosen.
    assert!(run_loud(with_tokens(size)).steps.iter().any(|step| step.id as usize >= n_tokens));
}
