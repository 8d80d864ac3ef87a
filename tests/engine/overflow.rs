//! What a format cannot hold is an error, never a token: cached keys and values, activations and sums beyond their range.

use lastbit::gguf;
use lastbit::model::{ModelError, Outputs};
use lastbit::numerics::{Accumulation, ActivationFormat, Arithmetic, Formats, KvFormat, Numerics, Order};
use lastbit::quant::TensorType;
use lastbit::tiny_model::TinyModel;

use crate::{engine_under, ids, rows};

/// The tiny model in f32 with one tensor times `factor`.
fn with_scaled(tensor: &str, factor: f32) -> Vec<u8> {
    let tiny = TinyModel { weight_type: TensorType::F32, ..TinyModel::default() };
    let mut bytes = tiny.gguf_bytes();
    let file = gguf::load(bytes.as_slice(), None).expect("the tiny model is a file");
    let old = &file.tensors[file.header.tensor_index(tensor).expect("a tensor of the tiny model")];
    let at = bytes.windows(old.len()).position(|window| window == old.as_slice()).expect("its bytes are in the file");
    for value in bytes[at..at + old.len()].as_chunks_mut::<4>().0 {
        *value = (f32::from_le_bytes(*value) * factor).to_le_bytes();
    }
    bytes
}

/// A prefill step without output rows, then one token: where the position is that fails, if any.
async fn run(bytes: &[u8], numerics: Numerics) -> Option<u32> {
    let mut engine = engine_under(bytes, numerics).await;
    let pass = engine.pass();
    pass.set_block_table(0, 0, &(0..16).collect::<Vec<_>>());
    let tokens = ids(21, 3);
    pass.forward(&rows(0, 0, &tokens[..20], 0), Outputs::None).await.expect("nothing is asked for");
    match pass.forward(&rows(0, 20, &tokens[20..], 0), Outputs::Last).await {
        Ok(_) => None,
        Err(error @ ModelError::LogitsNotFinite { position }) => {
            let told = lastbit::error::explain_model(&error).message;
            assert!(told.starts_with("the model gave no valid numbers") && told.ends_with("(LOGITS_NAN)"), "{told}");
            Some(position)
        }
        Err(error) => panic!("{numerics:?}: {error}"),
    }
}

fn float(k: KvFormat, v: KvFormat) -> Numerics {
    Numerics { k, v, ..Numerics::new(Formats::Float, Order::Invariant, 128) }
}

#[test]
fn b068_keys_and_values_that_the_cache_cannot_hold_are_an_error() {
    let int8 = Arithmetic::of(ActivationFormat::Int8);
    pollster::block_on(async {
        for tensor in ["blk.0.attn_k.weight", "blk.0.attn_v.weight", "blk.2.attn_v.weight"] {
            let bytes = with_scaled(tensor, 1e9);
            for format in [KvFormat::F16, KvFormat::Q8_0, KvFormat::Q4_0] {
                for numerics in
                    [float(format, format), Numerics { decode: int8, prefill: int8, ..float(format, format) }]
                {
                    assert_eq!(run(&bytes, numerics).await, Some(20), "{tensor} {numerics:?}");
                }
            }
        }
        // f32 holds them; the rest of the pass does not mind.
        assert_eq!(run(&with_scaled("blk.0.attn_k.weight", 1e9), float(KvFormat::F32, KvFormat::F32)).await, None);
    });
}

#[test]
fn b068_activations_and_sums_beyond_f16_are_an_error() {
    let f16 = Arithmetic::of(ActivationFormat::F16);
    let in_f16 = |activations| Arithmetic { activations, accumulation: Accumulation::F16 };
    pollster::block_on(async {
        let of =
            |arithmetic| Numerics { decode: arithmetic, prefill: arithmetic, ..float(KvFormat::F16, KvFormat::F16) };
        // Values of the feed-forward's hidden layer, which are activations and not sums.
        let wide = with_scaled("blk.1.ffn_up.weight", 1e6);
        assert_eq!(run(&wide, of(f16)).await, Some(20), "an activation");
        assert_eq!(run(&wide, of(Arithmetic::of(ActivationFormat::F32))).await, None, "f32 holds it");
        for activations in [ActivationFormat::F32, ActivationFormat::F16, ActivationFormat::Int8] {
            assert_eq!(run(&wide, of(in_f16(activations))).await, Some(20), "a sum of {activations:?}");
        }
    });
}
