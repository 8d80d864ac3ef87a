//! A model in several files computes what it computes in one, and a part alone is refused before anything is uploaded.

use std::sync::Arc;

use lastbit::generate::{CancelToken, Engine, RunOptions};
use lastbit::gguf::{GgufFile, GgufStream, PartHeader, join};
use lastbit::model::{Model, ModelLoader, Pass};
use lastbit::numerics::{Formats, Numerics, Order};
use lastbit::tiny_model::TinyModel;

use crate::{OPTIONS, engine, ids, support};

/// The parts' bytes, one behind the other, and what takes them.
fn in_parts(count: usize) -> (Vec<u8>, impl Fn() -> GgufStream) {
    let files = TinyModel::default().writer().to_parts(count);
    let part = |bytes: &Vec<u8>| PartHeader {
        name: String::new(),
        len_bytes: bytes.len() as u64,
        header: Arc::new(GgufFile::parse(bytes).expect("a valid file")),
    };
    let (header, _) = join(&files.iter().map(part).collect::<Vec<_>>()).expect("all parts are here");
    let bytes = files.concat();
    let len_bytes = bytes.len() as u64;
    (bytes, move || GgufStream::with_header(Arc::clone(&header), len_bytes))
}

async fn logits_hashes<P: Pass>(engine: &mut Engine<P>) -> Vec<String> {
    let run = engine.run(&ids(20, 4), RunOptions::tokens(4), &CancelToken::default(), |_| ()).await;
    run.expect("it runs").steps.iter().map(|step| format!("{:?}", step.logits_hash)).collect()
}

#[test]
fn b064_parts_give_the_bits_of_the_whole_file_on_the_gpu_and_on_the_twin() {
    pollster::block_on(async {
        let device = support::device().await;
        let mut whole = engine(&TinyModel::default().gguf_bytes(), Formats::Int8, Order::ByShape).await;
        let whole = logits_hashes(&mut whole).await;
        let (bytes, stream) = in_parts(3);
        let mut loader = ModelLoader::of_stream(&device, stream()).expect("a header of a model");
        for piece in bytes.chunks(10_007) {
            loader.push(piece).await.expect("the parts are a model");
        }
        let model = loader.finish(None).await.expect("the parts are whole");
        assert_eq!(model.len_bytes, bytes.len() as u64);
        let numerics = Numerics::new(Formats::Int8, Order::ByShape, 128);
        let mut split = Engine::new(&device, model, numerics, OPTIONS).await.expect("the engine starts");
        assert_eq!(logits_hashes(&mut split).await, whole);

        let model = Model::read_into(bytes.as_slice(), stream()).expect("the parts are a model");
        let mut twin = Engine::on_twin(model, numerics, OPTIONS).expect("the twin needs no adapter");
        assert_eq!(logits_hashes(&mut twin).await, whole);
    });
}

#[test]
fn b064_a_part_alone_and_bytes_that_are_too_few_are_refused() {
    pollster::block_on(async {
        let device = support::device().await;
        for part in TinyModel::default().writer().to_parts(2) {
            let mut loader = ModelLoader::new(&device, Some(part.len() as u64));
            let error = loader.push(&part).await.expect_err("a part");
            assert!(error.to_string().contains("missing"), "{error}");
        }
        let (bytes, stream) = in_parts(2);
        let mut loader = ModelLoader::of_stream(&device, stream()).expect("a header of a model");
        loader.push(&bytes[..bytes.len() - 100]).await.expect("as far as it goes");
        let error = loader.finish(None).await.expect_err("it is cut");
        assert!(error.to_string().contains("needs bytes up to"), "{error}");
    });
}
