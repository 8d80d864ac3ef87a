//! What the cache cannot hold is an error, never a token.

use lastbit::gguf;
use lastbit::model::{ModelError, Outputs};
use lastbit::numerics::{Formats, KvFormat, Numerics, Order};
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
        Err(ModelError::LogitsNotFinite { position }) => Some(position),
        Err(error) => panic!("{numerics:?}: {error}"),
    }
}

fn caching(formats: Formats, k: KvFormat, v: KvFormat) -> Numerics {
    Numerics { k, v, ..Numerics::new(formats, Order::Invariant, 128) }
}

#[test]
fn keys_and_values_that_the_cache_cannot_hold_are_an_error() {
    pollster::block_on(async {
        for tensor in ["blk.0.attn_k.weight", "blk.0.attn_v.weight", "blk.2.attn_v.weight"] {
            let bytes = with_scaled(tensor, 1e9);
            for format in [KvFormat::F16, KvFormat::Q8_0, KvFormat::Q4_0] {
                for formats in [Formats::Float, Formats::Int8] {
                    let numerics = caching(formats, format, format);
                    assert_eq!(run(&bytes, numerics).await, Some(20), "{tensor} {numerics:?}");
                }
            }
        }
        // f32 holds them; the rest of the pass does not mind.
        assert_eq!(
            run(&with_scaled("blk.0.attn_k.weight", 1e9), caching(Formats::F32, KvFormat::F32, KvFormat::F32)).await,
            None
        );
    });
}
