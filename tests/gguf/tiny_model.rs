//! The tiny model's file: small, the same for a seed everywhere, complete in every variant.

use lastbit::gguf::load;
use lastbit::quant::{self, TensorType};
use lastbit::tiny_model::{self, TinyModel};

const LARGEST_BYTES: usize = 2 << 20;

#[test]
fn a_seed_is_a_file() {
    let file = tiny_model::gguf_bytes(7);
    assert!(file.len() <= LARGEST_BYTES, "{} bytes", file.len());
    assert_eq!(file, tiny_model::gguf_bytes(7));
    assert_ne!(file, tiny_model::gguf_bytes(8));
    let hash = load(&file[..], None).expect("it is good").summary.sha256_hex();
    assert_eq!(hash, "26609906d1171df6bd8eccb3238a2e6b950c2f18a09885998b77520770aa412e", "on every platform");
}

#[test]
fn every_variant_loads_with_finite_weights() {
    for weight_type in TensorType::in_files() {
        for output_type in [None, Some(weight_type)] {
            let model =
                TinyModel { weight_type, embedding_type: weight_type, output_type, ..TinyModel::fitting(weight_type) };
            let file = model.gguf_bytes();
            assert!(file.len() <= LARGEST_BYTES, "{weight_type}: {} bytes", file.len());
            let loaded = load(&file[..], Some(file.len() as u64)).expect("it is good");
            for (info, bytes) in loaded.header.tensors.iter().zip(&loaded.tensors) {
                quant::check_finite(info.tensor_type, bytes).expect("the weights are finite");
            }
            assert_eq!(loaded.header.tensor("output.weight").is_some(), output_type.is_some());
            let metadata = &loaded.header.metadata;
            let n_tokens = metadata.strings("tokenizer.ggml.tokens").expect("it has a vocabulary").len();
            assert_eq!(n_tokens, TinyModel::VOCAB_SIZE);
            assert_eq!(metadata.i32s("tokenizer.ggml.token_type").map(<[i32]>::len), Ok(n_tokens));
            let embedding = loaded.header.tensor("token_embd.weight").expect("it has an embedding");
            assert_eq!(embedding.shape, [model.embedding_dim() as u64, n_tokens as u64]);
        }
    }
}
