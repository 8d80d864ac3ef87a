//! Files that are not as they should be, told alike by `inspect` and by `run`, before any weight is read and without a GPU.

use std::path::{Path, PathBuf};

use lastbit::architecture::Architecture;
use lastbit::gguf::{MetadataArray, MetadataValue};
use lastbit::tiny_model::{self, TinyModel};
use serde_json::Value;

use crate::changed::Changed;
use crate::{check, file, json, lastbit, strings};

const TEMPLATE: &str = "tokenizer.chat_template";

fn whole() -> Changed {
    Changed::of(&tiny_model::gguf_bytes(3))
}

fn text(text: &str) -> MetadataValue {
    MetadataValue::String(text.to_owned())
}

fn on_disk(name: &str, changed: &Changed) -> PathBuf {
    file(&format!("cli-bad-{name}.gguf"), &changed.bytes())
}

/// `run` and `inspect` end with the same code and name the same fault; the refusal's message.
#[track_caller]
fn refused_alike(path: &Path, exit: i32, fault: &str, more: &[&str]) -> String {
    let run = json(lastbit(path, &[&["run", "--complete", "a", "--json"], more].concat()), exit);
    let inspected = json(lastbit(path, &[&["inspect", "--json"], more].concat()), exit);
    for found in [&run, &inspected] {
        assert_eq!(found["error"]["fault"], fault, "{found}");
    }
    assert_eq!(run["error"]["code"], inspected["error"]["code"]);
    if let Some(reasons) = inspected["why_not"].as_array() {
        assert_eq!((reasons.len(), &inspected["runs"]), (1, &false.into()), "{inspected}");
        assert_eq!(inspected["device"], Value::Null, "no GPU is opened for it");
    }
    run["error"]["message"].as_str().expect("a message").to_owned()
}

#[test]
fn b037_inspect_refuses_a_file_that_is_cut_behind_its_header_as_run_does() {
    let bytes = tiny_model::gguf_bytes(3);
    let good = json(lastbit(&file("cli-bad-uncut.gguf", &bytes), &["inspect", "--json"]), 0);
    let header_bytes = good["tensors"][0]["file_offset"].as_u64().expect("a place") as usize;
    for len in [header_bytes, bytes.len() / 2, bytes.len() - 100] {
        let path = file(&format!("cli-bad-cut-{len}.gguf"), &bytes[..len]);
        let message = refused_alike(&path, 4, "GGUF_OFFSET", &[]);
        for length in [len, bytes.len()] {
            assert!(message.contains(&length.to_string()), "{length} is not in {message}");
        }
        let inspected = json(lastbit(&path, &["inspect", "--json"]), 4);
        assert_eq!(
            inspected["tensors"].as_array().map(Vec::len),
            Some(29),
            "what the header says is told all the same"
        );
    }
}

#[test]
fn inspect_ends_as_run_does() {
    let set = |key: &str, value| whole().set(key, value);
    let cases = [
        ("arch", set("general.architecture", text("mamba")), "MODEL_ARCH"),
        ("heads", set("llama.attention.head_count", MetadataValue::U32(0)), "MODEL_HEADS"),
        ("tensor", whole().with_tensors(|name| name != "blk.1.ffn_down.weight"), "MODEL_TENSOR"),
        ("softcap", set("llama.final_logit_softcapping", MetadataValue::F32(30.0)), "MODEL_UNSUPPORTED"),
        ("pre", set("tokenizer.ggml.pre", text("qwen9")), "TOKENIZER"),
        (
            "part",
            set("split.count", MetadataValue::U16(2))
                .set("split.no", MetadataValue::U16(0))
                .set("split.tensors.count", MetadataValue::I32(99)),
            "MODEL_SHARDS",
        ),
    ];
    for (name, changed, fault) in cases {
        refused_alike(&on_disk(name, &changed), 4, fault, &[]);
    }
    let path = file("cli-bad-magic.gguf", b"PK\x03\x04 and more of a zip archive");
    refused_alike(&path, 4, "GGUF_MAGIC", &[]);
    let good = on_disk("template", &whole());
    let message = refused_alike(&good, 2, "TEMPLATE_MISSING", &["--template", "nope"]);
    assert!(message.contains("named nope; those that can be named: known: ChatML"), "{message}");
}

/// What the header does not tell is told by whoever reads the weights.
#[test]
fn inspect_reads_no_weights() {
    let not_a_number = |bytes: &mut [u8]| bytes[..4].copy_from_slice(&f32::NAN.to_le_bytes());
    let path = on_disk("nan", &whole().with_bytes(|name| name == "output_norm.weight", not_a_number));
    let run = json(lastbit(&path, &["run", "--complete", "a", "--twin", "--json"]), 4);
    assert_eq!(run["error"]["fault"], "WEIGHT_NAN", "{run}");
    assert_eq!(json(lastbit(&path, &["inspect", "--json"]), 0)["runs"], true);
}

#[test]
fn b015_a_name_that_is_no_text_is_shown_with_marks() {
    for (name, value, shown) in [
        ("name", MetadataValue::InvalidUtf8(b"caf\xe9".to_vec()), "caf\u{fffd}"),
        ("name-number", MetadataValue::U32(7), ""),
    ] {
        let path = on_disk(name, &whole().set("general.name", value));
        let inspected = json(lastbit(&path, &["inspect", "--json"]), 0);
        assert_eq!((&inspected["runs"], &inspected["model"]["name"]), (&true.into(), &shown.into()), "{inspected}");
    }
}

#[test]
fn b046_bytes_behind_the_end_are_told() {
    let mut bytes = tiny_model::gguf_bytes(3);
    bytes.extend_from_slice(b"PK\x03\x04 and more");
    let path = file("cli-bad-behind.gguf", &bytes);
    let words = "13 bytes behind the last tensor";
    let inspected = json(lastbit(&path, &["inspect", "--json"]), 0);
    assert_eq!(inspected["runs"], true);
    assert!(strings(&inspected["notes"])[0].starts_with(words), "{inspected}");
    let told = check(lastbit(&path, &["inspect"]), 0);
    assert!(String::from_utf8_lossy(&told.stdout).contains(words));
    let run = check(lastbit(&path, &["run", "--complete", "a", "--max-tokens", "1", "--twin"]), 0);
    assert!(String::from_utf8_lossy(&run.stderr).contains(words));
    // As many as a wider alignment would have put in front.
    let padded = [tiny_model::gguf_bytes(3), vec![0; 32]].concat();
    let told = check(lastbit(&file("cli-bad-padded.gguf", &padded), &["inspect"]), 0);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(
        told.contains("32 bytes behind the last tensor") && told.contains("another alignment than it says"),
        "{told}"
    );
}

#[test]
fn b059_a_context_that_is_cut_and_keys_that_are_not_read_are_told() {
    let odd = whole()
        .set("llama.context_length", MetadataValue::U64(1 << 32))
        .set("llama.rope.scaling.type", text("none"))
        .set("llama.rope.scaling.factor", MetadataValue::F32(4.0))
        .set("llama.logit_scale", MetadataValue::F32(1.0))
        .set("llama.tensor_data_layout", text("Meta\u{1b} AI\n"));
    let path = on_disk("notes", &odd);
    let inspected = json(lastbit(&path, &["inspect", "--json"]), 0);
    let expected = [
        "llama.context_length is 4294967296, counted as 4294967295",
        "not read: llama.rope.scaling.factor (4)",
        "not read: llama.tensor_data_layout (Meta\u{1b} AI\n)",
    ];
    assert_eq!(strings(&inspected["notes"]), expected, "{inspected}");
    let told = check(lastbit(&path, &["inspect"]), 0);
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(text.contains(expected[1]) && text.contains("(Meta\\u{1b} AI\\n)"), "{text}");
    let gemma = Changed::of(&TinyModel::like(Architecture::GEMMA3).gguf_bytes());
    let gemma = on_disk("no-window", &gemma.set("gemma3.attention.sliding_window", MetadataValue::U32(0)));
    let inspected = json(lastbit(&gemma, &["inspect", "--json"]), 0);
    assert_eq!(strings(&inspected["notes"]), ["gemma3.attention.sliding_window is 0: every layer sees all keys"]);
}

/// What nothing reads is told wherever it stands; what describes, is neutral or is for what is not done here is not.
#[test]
fn keys_outside_the_architecture_that_nothing_reads_are_told() {
    let flag = MetadataValue::Bool;
    let odd = whole()
        .set("general.made_up", text("by a person"))
        .set("quantize.imatrix.file", text("x.dat"))
        .set("tokenizer.ggml.add_sep_token", flag(true))
        .set("tokenizer.ggml.normalizer.nfc", flag(true))
        .set("tokenizer.ggml.remove_extra_whitespaces", flag(false))
        .set("tokenizer.ggml.fim_pad_token_id", MetadataValue::U32(3))
        .set("tokenizer.ggml.mask_token_id", MetadataValue::U32(3))
        .set("adapter.type", text("lora"));
    let path = on_disk("outside", &odd);
    let expected = [
        "not read: tokenizer.ggml.add_sep_token (true)",
        "not read: tokenizer.ggml.normalizer.nfc (true)",
        "not read: tokenizer.ggml.fim_pad_token_id (3)",
        "not read: adapter.type (lora)",
    ];
    assert_eq!(strings(&json(lastbit(&path, &["inspect", "--json"]), 0)["notes"]), expected);
    let run = check(lastbit(&path, &["run", "--complete", "a", "--max-tokens", "1", "--twin"]), 0);
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(expected.iter().all(|note| told.contains(&format!("note: {note}"))), "{told}");
    // As real files have it.
    let usual = whole().set("tokenizer.ggml.add_sep_token", flag(false));
    let inspected = json(lastbit(&on_disk("inside", &usual), &["inspect", "--json"]), 0);
    assert_eq!(inspected["notes"], serde_json::json!([]));
    let lowercase = whole().set("tokenizer.ggml.normalizer.lowercase", flag(true));
    refused_alike(&on_disk("lowercase", &lowercase), 4, "MODEL_UNSUPPORTED", &[]);
}

/// Text from a file moves no cursor and begins no line of its own.
#[track_caller]
fn check_told_in_one_line(path: &Path, arguments: &[&str], exit: i32) {
    let output = check(lastbit(path, arguments), exit);
    for told in [&output.stdout, &output.stderr] {
        let text = String::from_utf8_lossy(told);
        assert!(!text.contains("forged:"), "it is escaped somewhere: {text}");
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        assert!(!text.lines().any(|line| line.starts_with("forged")), "{text}");
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.is_empty() || stderr.lines().count() == 2, "{stderr}");
}

#[test]
fn text_from_the_file_is_escaped_in_errors() {
    let hostile = "x\u{1b}[2J\nforged\u{7}:\r";
    let arch = on_disk("hostile-arch", &whole().set("general.architecture", text(hostile)));
    let refusal = format!("{{{{ raise_exception({}) }}}}", serde_json::json!(hostile));
    let template = on_disk("hostile-template", &whole().set(TEMPLATE, text(&refusal)));
    let tensor = whole().with_zeros(hostile, &[32], lastbit::quant::TensorType::F32);
    let tensor = on_disk("hostile-tensor", &tensor);
    for path in [&arch, &tensor] {
        check_told_in_one_line(path, &["run", "--complete", "a"], 4);
        check_told_in_one_line(path, &["inspect"], 4);
    }
    check_told_in_one_line(&template, &["run", "--chat", "a"], 2);
    check_told_in_one_line(&template, &["tokenize", "--chat", "a"], 2);
}

#[test]
fn b086_only_templates_that_suit_the_file_are_offered() {
    let chat = ["tokenize", "hello", "--chat", "--json"];
    let told = |name: &str, changed: &Changed, exit| {
        let path = on_disk(name, changed);
        let run = json(lastbit(&path, &["run", "--chat", "hello", "--json"]), exit);
        let tokenized = json(lastbit(&path, &chat), exit);
        assert_eq!(run["error"], tokenized["error"]);
        run["error"]["what_to_do"].as_str().expect("advice").to_owned()
    };
    let without = whole().without(TEMPLATE);
    let advice = told("no-template", &without, 2);
    assert!(advice.contains("(\"known: ChatML\"; on the command line with --template)"), "{advice}");
    let named = without.set(&format!("{TEMPLATE}.rag"), text("{{ messages[0].content }}"));
    let advice = told("named-template", &named, 2);
    assert!(advice.contains("(\"rag\", \"known: ChatML\"; "), "{advice}");
    let inspected = json(lastbit(&on_disk("named-template", &named), &["inspect", "--json"]), 0);
    assert_eq!(strings(&inspected["templates"]), ["rag", "known: ChatML"]);

    // A vocabulary without the control tokens of any known layout.
    let metadata = whole().metadata();
    let tokens = metadata.strings("tokenizer.ggml.tokens").expect("tokens");
    let tokens = tokens.iter().map(|token| token.replace("<|im_", "<|in_")).collect();
    let plain = without.set("tokenizer.ggml.tokens", MetadataValue::Array(MetadataArray::String(tokens)));
    let advice = told("no-layout", &plain, 2);
    assert!(!advice.contains("known:"), "{advice}");
    let broken = told("no-layout-broken", &plain.set(TEMPLATE, text("{% if %}")), 4);
    assert!(!broken.contains("known:"), "{broken}");
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_and_not_waited_for() {
    let pipe = file("cli-bad-pipe-place.gguf", b"").with_file_name("cli-bad-pipe.gguf");
    let _ = std::fs::remove_file(&pipe);
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    for path in [pipe.as_path(), Path::new("/dev/zero")] {
        for arguments in [["inspect", "--json"].as_slice(), &["run", "--complete", "a", "--json"]] {
            let refused = json(lastbit(path, arguments), 4);
            let message = refused["error"]["message"].as_str().expect("a message");
            assert!(message.contains("a device or a pipe, not a file"), "{message}");
        }
    }
}

#[test]
fn what_a_prompt_would_lose_and_what_may_be_wrong_with_its_ids_is_told() {
    let tokens = |z: &str| {
        let metadata = whole().metadata();
        let tokens = metadata.strings("tokenizer.ggml.tokens").expect("tokens");
        let renamed = tokens.iter().map(|token| if token == "z" { z } else { token });
        MetadataValue::Array(MetadataArray::String(renamed.collect()))
    };
    let lacking = on_disk("no-z", &whole().set("tokenizer.ggml.tokens", tokens("XX")));
    let refused = json(lastbit(&lacking, &["run", "--complete", "a zzz b", "--json"]), 2);
    let message = refused["error"]["message"].as_str().expect("a message");
    assert!(message.contains("no tokens for 3 bytes of the prompt"), "{message}");
    json(lastbit(&lacking, &["run", "--complete", "a b", "--max-tokens", "1", "--twin", "--json"]), 0);

    let doubtful = whole().set("tokenizer.ggml.pre", text("falcon")).set(TEMPLATE, MetadataValue::U32(3));
    let inspected = json(lastbit(&on_disk("doubtful", &doubtful), &["inspect", "--json"]), 0);
    let notes = strings(&inspected["notes"]).join("; ");
    assert!(notes.contains("no published ids prove it") && notes.contains("chats are refused"), "{notes}");
}
