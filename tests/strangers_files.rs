//! Vocabularies and chat templates that strangers wrote, as the command line meets them: an unknown rule of words, and a
//! template that is a hostile program.
#![cfg(not(target_arch = "wasm32"))]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use lastbit::gguf::{GgufStream, GgufWriter, MetadataValue};
use lastbit::tiny_model;
use serde_json::Value;

const TEMPLATE: &str = "tokenizer.chat_template";

/// A file that is the tiny model's description with one entry changed, without its weights.
fn file(name: &str, changed: &str, text: &str) -> PathBuf {
    let tiny = tiny_model::gguf_bytes(3);
    let mut stream = GgufStream::new(None);
    stream.push(&tiny).expect("a valid file");
    let mut writer = GgufWriter::default();
    for (key, value) in stream.header().expect("a whole file").metadata.iter() {
        writer.metadata(key, if key == changed { MetadataValue::String(text.into()) } else { value.clone() });
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("strangers-{name}.gguf"));
    std::fs::write(&path, writer.to_bytes()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    path
}

fn tokenize(model: &Path, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lastbit"))
        .args(["tokenize", "hello", "--json"])
        .args(more)
        .env("LASTBIT_MODEL", model)
        .output()
        .expect("the program starts")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// The template is refused with this exit code, this stable code and these words, and the file is still of use.
#[track_caller]
fn check(name: &str, template: &str, exit: i32, code: &str, words: &str) {
    let path = file(name, TEMPLATE, template);
    let started = Instant::now();
    let output = tokenize(&path, &["--chat"]);
    let elapsed = started.elapsed();
    let error = &json(&output)["error"];
    assert_eq!(output.status.code(), Some(exit), "{name}: {error}");
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains(&format!("({code})")) && message.contains(words), "{name}: {message}");
    println!("{name}: {} ms: {message}", elapsed.as_millis());
    // The deadline is one second of rendering; starting both processes on a busy machine takes what it takes.
    assert!(elapsed < Duration::from_secs(30), "{name} took {elapsed:?}");
    assert!(tokenize(&path, &[]).status.success(), "{name}: text without a template");
}

#[test]
fn a_template_renders_and_its_hash_and_ids_are_told() {
    let path = file("good", TEMPLATE, "<|im_start|>{{ messages[0].content }}{{ strftime_now('%Y') }}<|im_end|>");
    let told = json(&tokenize(&path, &["--chat"]));
    assert_eq!(told["template"]["sha256"].as_str().map(str::len), Some(64), "{told}");
    assert!(told["template"]["now"].as_i64() > Some(1_700_000_000), "{told}");
    assert_eq!((&told["tokenizer"]["rule"], &told["tokenizer"]["proven"]), (&"smollm".into(), &true.into()));
    assert!(told["text"].as_str().is_some_and(|text| text.starts_with("<|im_start|>hello2")), "{told}");
    assert_eq!(told["ids"].as_array().map(Vec::len), told["pieces"].as_array().map(Vec::len));
}

#[test]
fn an_unknown_rule_of_words_is_refused_by_name_and_loaded_only_if_asked() {
    let path = file("pre", "tokenizer.ggml.pre", "qwen9");
    let refused = tokenize(&path, &[]);
    let error = &json(&refused)["error"];
    assert_eq!((refused.status.code(), &error["code"]), (Some(4), &"bad-file".into()));
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("\"qwen9\"") && message.contains("(TOKENIZER)"), "{message}");
    assert!(error["what_to_do"].as_str().is_some_and(|text| text.contains("anyway")), "{error}");

    let loaded = json(&tokenize(&path, &["--load-anyway"]));
    let report = &loaded["tokenizer"];
    assert_eq!((&report["pre_tokenizer"], &report["rule"]), (&"qwen9".into(), &"default".into()), "{loaded}");
    assert_eq!((&report["loaded_anyway"], &report["proven"]), (&true.into(), &false.into()), "{loaded}");
}

#[test]
fn what_a_template_says_reaches_the_person() {
    check(
        "refusal",
        "\n{{ raise_exception('Only <b>poems</b>, please.') }}",
        2,
        "TEMPLATE",
        "Only <b>poems</b>, please.",
    );
    check("syntax", "a\nb\n{% if %}", 4, "TEMPLATE", "line 3");
    check("filter", "\n{{ 'a' | nofilter }}", 4, "TEMPLATE", "nofilter");
    check("method", "{{ 'a'.nomethod() }}", 4, "TEMPLATE", "nomethod");
    check("include", "{% include 'https://example.com/x' %}", 4, "TEMPLATE", "template not found");
    check("format", "{{ strftime_now('%Q') }}", 4, "TEMPLATE", "%Q");
}

#[test]
fn templates_without_end_are_stopped() {
    let nested = "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}";
    check("loops", nested, 4, "TEMPLATE_LIMIT", "steps");
    check("range", "{% for a in range(1000000000) %}{% endfor %}", 4, "TEMPLATE_LIMIT", "line 1");
    check("macro", "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", 4, "TEMPLATE_LIMIT", "line 1");
    check("parentheses", &format!("{{{{ {}1 }}}}", "(".repeat(100_000)), 4, "TEMPLATE_LIMIT", "line 1");
    check("flood", "{% for i in range(999) %}{{ 'x' * 9999 }}{% endfor %}", 2, "TEMPLATE_LIMIT", "4194304 bytes");
    check("long", &" ".repeat((256 << 10) + 1), 4, "TEMPLATE_LIMIT", "262144");
    let slow = "{% for i in range(9999) %}{% set x = ('ab' * 9999999) | upper | length %}{% endfor %}";
    check("slow", slow, 4, "TEMPLATE_LIMIT", "1000 ms");
}

#[test]
fn templates_that_take_all_memory_or_stack_end_only_their_process() {
    let double = |what: &str, times: usize| {
        format!("{{% set x = {what} %}}{}{{{{ x | length }}}}", "{% set x = x ~ x %}".repeat(times))
    };
    check("text-doubled", &double("'abcdefgh'", 60), 4, "TEMPLATE_CRASHED", "memory");
    let list = "{% set x = [1] %}".to_owned() + &"{% set x = x + x %}".repeat(40) + "{{ x | list | length }}";
    check("list-doubled", &list, 4, "TEMPLATE_CRASHED", "memory");
    let replace = "{{ ('a' * 1000000) | replace('a', 'b' * 2000) | length }}";
    check("replace", replace, 4, "TEMPLATE_CRASHED", "memory");
    check("join", "{{ range(100000) | join('x' * 20000) | length }}", 4, "TEMPLATE_CRASHED", "memory");
    check("minus", &format!("{{{{ {}1 }}}}", "-".repeat(200_000)), 4, "TEMPLATE_CRASHED", "stack");
    check("not", &format!("{{{{ {}1 }}}}", "not ".repeat(60_000)), 4, "TEMPLATE_CRASHED", "stack");
    let elif = format!("{{% if a %}}{}{{% endif %}}", "{% elif a %}".repeat(20_000));
    check("elif", &elif, 4, "TEMPLATE_CRASHED", "stack");
}
