//! Weights in other formats than the file's: there and back without a second load.

use lastbit::generate::{CancelToken, Engine, GenerateError, RunOptions};
use lastbit::gguf;
use lastbit::model::ModelError;
use lastbit::numerics::{Formats, Numerics, Order, WeightFormat};
use lastbit::quant::TensorType;
use lastbit::tiny_model::TinyModel;

use crate::{engine, ids};

async fn configure(engine: &mut Engine, weights: WeightFormat) -> Result<(), GenerateError> {
    let numerics = Numerics { weights, ..*engine.numerics() };
    engine.configure(numerics).await
}

/// Tokens that a run of one prompt reused, and the hashes of its logits.
async fn run(engine: &mut Engine) -> (usize, Vec<[u32; 4]>) {
    let trace = engine.run(&ids(40, 3), RunOptions::tokens(4), &CancelToken::default(), |_| ()).await.expect("a run");
    (trace.reused_tokens, trace.steps.iter().map(|step| step.logits_hash).collect())
}

#[test]
fn every_format_and_back_gives_the_logits_of_the_file_again() {
    pollster::block_on(async {
        // Q4_1, in rows that every format's blocks divide.
        let tiny = TinyModel::fitting(TensorType::Q4K);
        let mut engine = engine(&tiny.gguf_bytes(), Formats::Int8, Order::Invariant).await;
        let (_, original) = run(&mut engine).await;
        let mut seen = vec![original.clone()];
        for weights in WeightFormat::ALL.into_iter().filter(|weights| *weights != WeightFormat::AsInFile) {
            configure(&mut engine, weights).await.expect("the format holds these weights");
            let (reused, hashes) = run(&mut engine).await;
            assert_eq!(reused, 0, "{weights:?}: blocks of other weights must not be found");
            assert!(!seen.contains(&hashes), "{weights:?} has the bits of another format");
            assert_eq!(run(&mut engine).await, (39, hashes.clone()), "{weights:?}: warm as cold");
            seen.push(hashes);
            configure(&mut engine, WeightFormat::AsInFile).await.expect("the file's own weights are still there");
            assert_eq!(run(&mut engine).await, (0, original.clone()), "back from {weights:?}");
        }
    });
}

#[test]
fn the_format_that_the_file_has_already_changes_no_bit() {
    pollster::block_on(async {
        let formats = [
            (TensorType::F16, WeightFormat::F16),
            (TensorType::Q8_0, WeightFormat::Q8_0),
            (TensorType::Q4_0, WeightFormat::Q4_0),
            (TensorType::Q4_1, WeightFormat::Q4_1),
            (TensorType::Q6K, WeightFormat::Q6K),
            (TensorType::Q2K, WeightFormat::Q2K),
        ];
        for (weight_type, weights) in formats {
            let tiny = TinyModel { weight_type, embedding_type: weight_type, ..TinyModel::fitting(weight_type) };
            let mut engine = engine(&tiny.gguf_bytes(), Formats::Int8, Order::ByShape).await;
            let (_, original) = run(&mut engine).await;
            configure(&mut engine, weights).await.expect("the same weights");
            assert_eq!(run(&mut engine).await, (0, original), "{weights:?}");
        }
    });
}

#[test]
fn weights_that_a_format_cannot_hold_are_refused_by_name_and_the_engine_stays_as_it_was() {
    pollster::block_on(async {
        let tiny = TinyModel { weight_type: TensorType::F32, ..TinyModel::fitting(TensorType::Q4K) };
        let mut bytes = tiny.gguf_bytes();
        let name = "blk.1.ffn_up.weight";
        let file = gguf::load(bytes.as_slice(), None).expect("the tiny model is a file");
        let tensor = &file.tensors[file.header.tensor_index(name).expect("it is there")];
        let start = bytes.windows(64).position(|window| *window == tensor[..64]).expect("its bytes are in the file");
        let last = start + tensor.len() - 4;
        bytes[last..last + 4].copy_from_slice(&1e30_f32.to_le_bytes());

        let mut engine = engine(&bytes, Formats::F32, Order::ByShape).await;
        let before = *engine.numerics();
        for weights in WeightFormat::ALL.into_iter().filter(|weights| *weights != WeightFormat::AsInFile) {
            let error = configure(&mut engine, weights).await.expect_err("no f16 scale is that large");
            assert_eq!(lastbit::error::explain(&error).code, "bad-request");
            let GenerateError::Model(ModelError::WeightRange { name: found, .. }) = error else { panic!("{error}") };
            assert_eq!(found, name, "{weights:?}");
            assert_eq!(*engine.numerics(), before);
        }
        configure(&mut engine, WeightFormat::AsInFile).await.expect("nothing has changed");
    });
}

#[test]
fn rows_too_short_for_super_blocks_are_refused_by_name_and_length() {
    pollster::block_on(async {
        let mut engine = engine(&TinyModel::default().gguf_bytes(), Formats::Int8, Order::ByShape).await;
        let error = configure(&mut engine, WeightFormat::Q4K).await.expect_err("96 is no multiple of 256");
        assert_eq!(lastbit::error::explain(&error).code, "bad-request");
        assert_eq!(
            error.to_string(),
            "tensor token_embd.weight has rows of 96 weights, which blocks of 256 (Q4_K) do not divide"
        );
    });
}
