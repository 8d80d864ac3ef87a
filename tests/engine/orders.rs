//! Orders are settings of one set of kernels: each site has its own, and changing them compiles nothing.

use lastbit::generate::{CancelToken, Engine, GenerateError, RunOptions};
use lastbit::numerics::{Formats, Numerics, NumericsError, Order, Orders, Site};
use lastbit::tiny_model::TinyModel;

use crate::{engine, ids};

/// Hashes of four steps after `prompt`, from an empty cache.
async fn hashes(engine: &mut Engine, prompt: &[u32]) -> Vec<[u32; 4]> {
    engine.reset().expect("no sequence is in use");
    let trace = engine.run(prompt, RunOptions::tokens(4), &CancelToken::default(), |_| ()).await.expect("a run");
    trace.steps.iter().map(|step| step.logits_hash).collect()
}

#[test]
fn other_orders_and_smaller_chunks_create_nothing_and_give_the_bits_of_an_engine_made_with_them() {
    pollster::block_on(async {
        let (bytes, prompt) = (TinyModel::default().gguf_bytes(), ids(70, 5));
        let mut changed = engine(&bytes, Formats::Int8, Order::ByShape).await;
        let by_shape = hashes(&mut changed, &prompt).await;
        for order in [Order::Invariant, Order::Tiled, Order::Vector] {
            let numerics = Numerics::new(Formats::Int8, order, 128);
            let count = |engine: &Engine| {
                let counters = engine.device().counters();
                (counters.buffers.get(), counters.bind_groups.get(), counters.pipelines.get())
            };
            let before = count(&changed);
            changed.configure(numerics).await.expect("an order of the same kernels");
            changed.configure(Numerics { chunk_rows: 16, ..numerics }).await.expect("a smaller chunk");
            changed.configure(numerics).await.expect("the chunk as it was");
            assert_eq!(count(&changed), before, "{order:?}");
            let mut fresh = engine(&bytes, Formats::Int8, order).await;
            let expected = hashes(&mut fresh, &prompt).await;
            assert_eq!(hashes(&mut changed, &prompt).await, expected, "{order:?}");
            assert_ne!(expected, by_shape, "{order:?}");
        }
        changed.configure(Numerics::new(Formats::Int8, Order::ByShape, 128)).await.expect("back");
        assert_eq!(hashes(&mut changed, &prompt).await, by_shape);
    });
}

#[test]
fn every_site_that_computes_many_rows_has_an_order_of_its_own() {
    pollster::block_on(async {
        let prompt = ids(70, 5);
        let mut engine = engine(&TinyModel::default().gguf_bytes(), Formats::F32, Order::Invariant).await;
        let invariant = hashes(&mut engine, &prompt).await;
        for site in Site::ALL {
            let orders = Orders::all(Order::Invariant).with(site, Order::ByShape);
            engine.configure(Numerics { orders, ..*engine.numerics() }).await.expect("an order");
            let differs = hashes(&mut engine, &prompt).await != invariant;
            // The head computes one row in every step, in the same kernel either way.
            assert_eq!(differs, site != Site::Output, "{site:?}");
        }
    });
}

#[test]
fn chunks_that_cannot_be_are_refused_before_anything_changes() {
    pollster::block_on(async {
        let mut engine = engine(&TinyModel::default().gguf_bytes(), Formats::Int8, Order::ByShape).await;
        let before = *engine.numerics();
        for found in [0, 257] {
            let error = engine.configure(Numerics { chunk_rows: found, ..before }).await.expect_err("no such chunk");
            assert!(matches!(error, GenerateError::Numerics(NumericsError::ChunkRows { found: f }) if f == found));
            assert_eq!(*engine.numerics(), before);
        }
    });
}
