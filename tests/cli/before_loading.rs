//! What is told before the weights are loaded and before a GPU is looked for: prompts that are too long; and that notes are told once.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{check, check_failure, file, json, lastbit, tiny};

/// The program on a machine without a GPU, as far as it can tell.
fn blind(model: &Path, arguments: &[&str]) -> Command {
    let mut command = lastbit(model, arguments);
    command.env("VK_DRIVER_FILES", "/nowhere.json").env("VK_ICD_FILENAMES", "/nowhere.json");
    command
}

#[cfg(target_os = "linux")] // where the loader of Vulkan drivers reads these variables
#[test]
fn prompts_that_are_too_long_are_told_without_a_gpu() {
    let model = tiny("cli-too-long.gguf");
    let long = "far too long ".repeat(2000);
    let mut told = Vec::new();
    for (command, kind) in [
        ("run", "--complete"),
        ("compare", "--complete"),
        ("origin", "--complete"),
        ("ablation", "--complete"),
        ("transplant", "--complete"),
        ("logits", "--text"),
    ] {
        let arguments =
            if command == "logits" { vec![command, kind, &long] } else { vec![command, kind, &long, "--json"] };
        let refused = json(blind(&model, &arguments), 2);
        let Value::Object(refused) = refused else { panic!("{refused}") };
        assert_eq!(refused.keys().collect::<Vec<_>>(), ["error"], "{command}");
        assert_eq!(refused["error"]["code"], "context-full");
        // A text whose logits are asked for may fill the context.
        if command != "logits" {
            told.push(refused["error"].clone());
        }
    }
    assert!(told.iter().all(|error| *error == told[0]), "{told:?}");
    let ids = vec!["5"; 2049].join(",");
    check_failure(blind(&model, &["logits", "--ids", &ids]), 2, "context-full", "2049 tokens");
    // One that fits gets as far as the GPU.
    check_failure(blind(&model, &["logits", "--ids", "5,6"]), 3, "no-adapter", "adapter");

    // Texts that go through the cache, and follow-ups.
    let before = ["compare", "--complete", "a b c", "--before", "short", "--before", &long, "--json"];
    check_failure(blind(&model, &before), 2, "context-full", "tokens");
    for command in ["compare", "origin", "ablation", "transplant"] {
        let second = [command, "--chat", "a", "--second-turn", &long, "--json"];
        check_failure(blind(&model, &second), 2, "context-full", "tokens");
    }
}

/// The twin needs no GPU, but a prompt that is too long needs no weights either: those of this file cannot be read.
#[test]
fn prompts_that_are_too_long_are_told_before_the_weights_are_read() {
    use crate::changed::Changed;
    let whole = Changed::of(&lastbit::tiny_model::gguf_bytes(3));
    let not_a_number = |bytes: &mut [u8]| bytes[..4].copy_from_slice(&f32::NAN.to_le_bytes());
    let broken = whole.with_bytes(|name| name == "output_norm.weight", not_a_number).bytes();
    let path = file("cli-too-long-nan.gguf", &broken);
    let long = "far too long ".repeat(2000);
    for command in ["run", "compare"] {
        check_failure(lastbit(&path, &[command, "--complete", &long, "--twin", "--json"]), 2, "context-full", "tokens");
        check_failure(lastbit(&path, &[command, "--complete", "a b", "--twin", "--json"]), 4, "bad-file", "WEIGHT_NAN");
    }
}

#[test]
fn compare_with_the_twin_tells_a_note_once() {
    let zero = |bytes: &mut [u8]| bytes.fill(0);
    let whole = crate::changed::Changed::of(&lastbit::tiny_model::gguf_bytes(3));
    let mut bytes = whole.with_bytes(|name| name == "blk.1.ffn_down.weight", zero).bytes();
    bytes.extend_from_slice(b"more");
    let path = file("cli-notes-once.gguf", &bytes);
    let arguments = ["compare", "--complete", "One two three.", "--max-tokens", "2", "--check-twin"];
    let told = check(lastbit(&path, &arguments), 0);
    let stderr = String::from_utf8_lossy(&told.stderr);
    for note in
        ["4 bytes behind the last tensor", "1 matrix holds nothing but zeros, the first is blk.1.ffn_down.weight"]
    {
        assert_eq!(stderr.matches(&format!("note: {note}")).count(), 1, "{stderr}");
    }
}
