//! The comparisons that the page shows before anything is loaded: they still come out so, bit by bit.
#![cfg(not(target_arch = "wasm32"))] // The real model has no place in the browser's tests of the engine.

#[path = "support/real_model.rs"]
mod real_model;
mod support;

use lastbit::compare::dissection::{Extent, dissect};
use lastbit::compare::{CompareRequest, Comparison, Verdict, compare};
use lastbit::generate::{CancelToken, EngineOptions};
use lastbit::numerics::{Formats, Numerics, Order};
use serde_json::Value;

/// Runs what a record says was run, and holds everything against it that is no time.
async fn check(record: &str, order: Order, expected: Verdict) {
    let record: Value = serde_json::from_str(record).expect("a record as the command line prints it");
    let request: CompareRequest = serde_json::from_value(record["request"].clone()).expect("a request");
    let numerics = Numerics::new(Formats::Int8, order, 64);
    let mut engine = real_model::smollm2(numerics, EngineOptions::default()).await;
    let in_record = |value: &Value, key: &str| assert_eq!(*value, record[key], "{key}");
    in_record(&serde_json::to_value(engine.numerics()).expect("plain data"), "numerics");
    let sha256: String = engine.model().sha256.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(record["model"]["sha256"], sha256.as_str());

    let runs = compare(&mut engine, &request, &CancelToken::default(), |_| ()).await;
    let comparison = Comparison::new(&runs, engine.tokenizer(), Formats::Int8, order);
    assert_eq!(comparison.verdict, expected);
    let mut found = serde_json::to_value(&comparison).expect("plain data");
    let mut recorded = record["comparison"].clone();
    for comparison in [&mut found, &mut recorded] {
        for run in comparison["runs"].as_array_mut().expect("runs") {
            run["time_to_first_token_ms"].take();
            run["steps"].as_array_mut().expect("steps").iter_mut().for_each(|step| drop(step["elapsed_ms"].take()));
        }
    }
    assert_eq!(found, recorded, "tokens, logits and hashes of all three runs, fork, margins and verdict");
}

#[test]
fn the_recorded_fork_still_forks_there() {
    let record = include_str!("../www/public/recorded/by-shape.json");
    pollster::block_on(check(record, Order::ByShape, Verdict::Forked));
}

#[test]
fn in_order_invariant_its_answers_are_still_one() {
    let record = include_str!("../www/public/recorded/invariant.json");
    pollster::block_on(check(record, Order::Invariant, Verdict::BitIdentical));
}

#[test]
fn the_recorded_fork_still_comes_apart_so() {
    let parsed = |record| -> Value { serde_json::from_str(record).expect("a record as the command line prints it") };
    let comparison = parsed(include_str!("../www/public/recorded/by-shape.json"));
    let record = parsed(include_str!("../www/public/recorded/dissection.json"));
    let CompareRequest { prompt, scenario, max_tokens, .. } =
        serde_json::from_value(comparison["request"].clone()).expect("a request");
    pollster::block_on(async {
        let options = EngineOptions { n_sequences: 2, ..EngineOptions::default() };
        let mut engine = real_model::smollm2(Numerics::new(Formats::Int8, Order::ByShape, 64), options).await;
        assert_eq!(record["numerics"], serde_json::to_value(engine.numerics()).expect("plain data"));
        for asked in ["prompt", "scenario"] {
            assert_eq!(record[asked], comparison["request"][asked], "{asked}");
        }
        let extent = Extent::to_fork(max_tokens);
        let found = dissect(&mut engine, (&prompt, &scenario), extent, &CancelToken::default(), |_| ()).await;
        let Value::Object(found) = serde_json::to_value(found.report()).expect("plain data") else {
            panic!("a dissection has named parts")
        };
        for (part, value) in found {
            assert_eq!(value, record[&part], "{part}");
        }
    });
}
