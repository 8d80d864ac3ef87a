//! The fuzz targets without a fuzzer: every seed in the repository, and as many random inputs as a test has time for. `make fuzz` goes on.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::fuzz_targets;

/// Most bytes of all seeds together.
const SEED_BYTES: u64 = 1 << 20;

type Target = fn(&[u8]);

const TARGETS: [(&str, Target); 5] = [
    ("reader_bytes", fuzz_targets::reader_bytes),
    ("reader_structure", fuzz_targets::reader_structure),
    ("description", fuzz_targets::description),
    ("tokenizer", fuzz_targets::tokenizer),
    ("template", fuzz_targets::template),
];

#[test]
fn every_seed_passes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let mut all_bytes = 0;
    for (name, target) in TARGETS {
        assert!(root.join(format!("fuzz_targets/{name}.rs")).is_file(), "{name} is no target of the fuzzer");
        let folder = root.join("seeds").join(name);
        let seeds: Vec<_> = fs::read_dir(&folder).expect("seeds").flatten().map(|entry| entry.path()).collect();
        assert!(!seeds.is_empty(), "{name} has no seed");
        for path in seeds {
            let seed = fs::read(&path).expect("a seed");
            all_bytes += seed.len() as u64;
            target(&seed);
        }
    }
    assert!(all_bytes <= SEED_BYTES, "{all_bytes} bytes of seeds");
    let n_targets = fs::read_dir(root.join("fuzz_targets")).expect("targets").count();
    assert_eq!(n_targets, TARGETS.len(), "a target of the fuzzer is not run here");
}

/// As many random inputs as `PROPTEST_CASES` says, 2000 without it.
fn random_inputs_pass(name: &str) {
    let (_, target) = TARGETS.into_iter().find(|(target, _)| *target == name).expect("a target");
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2000);
    let inputs = proptest::collection::vec(any::<u8>(), 0..600);
    let result =
        TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() }).run(&inputs, |input| {
            target(&input);
            Ok(())
        });
    result.unwrap_or_else(|error| panic!("{name}: {error}"));
    println!("{name}: {cases} inputs");
}

#[test]
fn random_bytes_are_a_file_or_an_error() {
    random_inputs_pass("reader_bytes");
}

#[test]
fn random_structures_are_a_file_or_an_error() {
    random_inputs_pass("reader_structure");
}

#[test]
fn random_descriptions_run_or_are_refused() {
    random_inputs_pass("description");
}

#[test]
fn random_vocabularies_encode_or_are_refused() {
    random_inputs_pass("tokenizer");
}

#[test]
fn random_templates_render_or_are_refused() {
    random_inputs_pass("template");
}
