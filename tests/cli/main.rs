//! The program as a person or a script meets it: exit codes, JSON, and what it says when something is wrong.
#![cfg(not(target_arch = "wasm32"))]

mod bad_files;
mod before_loading;
#[path = "../support/changed.rs"]
mod changed;
mod parts;
mod side_by_side;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use lastbit::tiny_model;
use serde_json::Value;

/// A file of the tests, written once per name; names are unique to each test.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    path
}

fn tiny(name: &str) -> PathBuf {
    file(name, &tiny_model::gguf_bytes(3))
}

fn lastbit(model: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lastbit"));
    command.args(arguments).env("LASTBIT_MODEL", model);
    command
}

/// Runs, expects an exit code, and returns the output.
#[track_caller]
fn check(mut command: Command, expected: i32) -> Output {
    let output = command.output().expect("the program starts");
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (shown(&output.stdout), shown(&output.stderr));
    assert_eq!(output.status.code(), Some(expected), "{command:?}\n{stdout}\n{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    output
}

#[track_caller]
fn json(command: Command, expected: i32) -> Value {
    let output = check(command, expected);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// A failure: exit code, its stable code, and words on standard error for a person.
#[track_caller]
fn check_failure(command: Command, exit: i32, code: &str, words: &str) {
    let output = check(command, exit);
    let json: Value = serde_json::from_slice(&output.stdout).expect("a failure as JSON");
    assert_eq!(json["error"]["code"], code, "{json}");
    assert!(json["error"]["what_to_do"].as_str().is_some_and(|text| text.ends_with('.')), "{json}");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains(words), "{words:?} is not in {stderr}");
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().map(|item| item.as_str().expect("a text")).collect()
}

#[test]
fn usage_is_told_and_is_exit_code_2() {
    let model = Path::new("unused");
    let help = check(lastbit(model, &["--help"]), 0);
    let text = String::from_utf8_lossy(&help.stdout);
    for word in [
        "compare",
        "origin",
        "ablation",
        "transplant",
        "tokenize",
        "inspect",
        "experiments",
        "Exit codes",
        "control failed",
    ] {
        assert!(text.contains(word), "{word} is not in\n{text}");
    }
    check(lastbit(model, &[]), 2);
    check(lastbit(model, &["run"]), 2);
    check(lastbit(model, &["run", "--chat", "a", "--complete", "b"]), 2);
    check(lastbit(model, &["compare", "--complete", "a", "--second-turn", "b"]), 2);
    check(lastbit(model, &["run", "--chat", "a", "--chunk-rows", "0"]), 2);
    check_failure(
        lastbit(model, &["run", "--chat", "a", "--chunk-rows", "0", "--json"]),
        2,
        "bad-usage",
        "--chunk-rows",
    );
    check_failure(lastbit(model, &["compare", "--chat", "a", "--formats", "int4", "--json"]), 2, "bad-usage", "int4");
    check(lastbit(model, &["experiments", "E1", "--prompts", "41"]), 2);
    check(lastbit(model, &["experiments", "E99"]), 2);
}

#[test]
fn requests_that_cannot_be_are_exit_code_2() {
    let model = tiny("cli-requests.gguf");
    let nowhere = Path::new("refused before it is looked for");
    for command in ["run", "compare", "origin", "ablation", "transplant"] {
        for kind in ["--complete", "--chat"] {
            check_failure(lastbit(nowhere, &[command, kind, "", "--json"]), 2, "bad-request", "empty");
        }
    }
    let by_subgroup = ["run", "--chat", "a", "--norm", "subgroup", "--order", "invariant", "--json"];
    check_failure(lastbit(nowhere, &by_subgroup), 2, "bad-request", "NUMERICS_SUBGROUP");
    for (option, range, words) in [("--layers", "0..99", "layers 0..3"), ("--positions", "2..99", "positions 0..")] {
        let transplant = ["transplant", "--complete", "One two three four.", option, range, "--json"];
        check_failure(lastbit(&model, &transplant), 2, "bad-request", words);
    }
    let long = "far too long ".repeat(2000);
    check_failure(lastbit(&model, &["run", "--complete", &long, "--json"]), 2, "context-full", "tokens");
    check_failure(lastbit(&model, &["logits", "--ids", "1,999999"]), 2, "bad-request", "999999");
    for (shards, words) in [("3", "1, 2, 4 or 8"), ("8", "only 3 blocks")] {
        check_failure(lastbit(&model, &["logits", "--ids", "1", "--shards", shards]), 2, "bad-request", words);
    }
}

#[test]
fn a_missing_or_bad_file_is_exit_code_4() {
    let run = ["run", "--complete", "a", "--json"];
    let missing = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli-nowhere.gguf");
    check_failure(lastbit(&missing, &run), 4, "no-file", "cli-nowhere.gguf");
    check_failure(lastbit(Path::new(env!("CARGO_TARGET_TMPDIR")), &run), 4, "no-file", "directory");

    let whole = tiny_model::gguf_bytes(3);
    let cases: [(&str, &[u8], &str); 3] = [
        ("cli-empty.gguf", b"", "GGUF_EMPTY"),
        ("cli-page.gguf", b"<!DOCTYPE html><title>404</title>", "an HTML or XML page"),
        ("cli-cut.gguf", &whole[..whole.len() - 100], "GGUF_OFFSET"),
    ];
    for (name, bytes, words) in cases {
        let path = file(name, bytes);
        check_failure(lastbit(&path, &run), 4, "bad-file", words);
        check_failure(lastbit(&path, &run), 4, "bad-file", name);
    }
}

#[cfg(target_os = "linux")] // where the loader of Vulkan drivers reads these variables
#[test]
fn without_a_gpu_it_is_exit_code_3_and_what_needs_none_still_works() {
    let model = tiny("cli-no-gpu.gguf");
    let blind = |arguments: &[&str]| {
        let mut command = lastbit(&model, arguments);
        command.env("VK_DRIVER_FILES", "/nowhere.json").env("VK_ICD_FILENAMES", "/nowhere.json");
        command
    };
    check_failure(blind(&["run", "--chat", "a", "--json"]), 3, "no-adapter", "adapter");
    // What the header is refused for is told before a GPU is looked for; `before_loading` has what a prompt is refused for.
    let bad = patched(tiny_model::gguf_bytes(3), "llama.rope.dimension_count", 4, &33_u32.to_le_bytes());
    let mut refused = blind(&["run", "--complete", "a", "--json"]);
    refused.env("LASTBIT_MODEL", file("cli-no-gpu-bad.gguf", &bad));
    check_failure(refused, 4, "bad-file", "MODEL_ROPE");
    check(blind(&["tokenize", "a"]), 0);
    let inspected = json(blind(&["inspect", "--json"]), 0);
    assert_eq!((&inspected["device"], &inspected["runs"]), (&Value::Null, &Value::Bool(false)));
    assert_eq!(inspected["model"]["n_blocks"], 3);

    let twin = blind(&["compare", "--complete", "One two three four five.", "--twin", "--max-tokens", "3", "--json"]);
    let compared = json(twin, 0);
    assert!(compared["device"]["name"].as_str().is_some_and(|name| name.contains("CPU twin")), "{compared}");
    assert!(compared["comparison"]["exposure"].as_u64() > Some(0), "{compared}");
    check(blind(&["run", "--complete", "One two three.", "--twin", "--max-tokens", "2"]), 0);
}

#[test]
fn compare_says_whether_the_device_gave_the_bits_of_the_twin() {
    let model = tiny("cli-twin.gguf");
    let arguments = ["compare", "--complete", "One two three four five.", "--max-tokens", "3", "--check-twin"];
    let compared = json(lastbit(&model, &[&arguments[..], &["--json"]].concat()), 0);
    let checked = &compared["twin_check"];
    assert_eq!((&checked["claim"], &checked["first_difference"]), (&Value::from("L4"), &Value::Null), "{checked}");
    assert_eq!(compared["device"]["fingerprint"]["multiply_add_fused"], false, "{compared}");
    let told = check(lastbit(&model, &arguments), 0);
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(text.contains("L4 holds: all"), "{text}");
    check(lastbit(&model, &[&arguments[..], &["--twin"]].concat()), 2);
}

#[test]
fn run_streams_the_text_that_its_json_holds() {
    let model = tiny("cli-run.gguf");
    let arguments = ["run", "--chat", "Tell me about the sea.", "--max-tokens", "6"];
    let as_json = json(lastbit(&model, &[&arguments[..], &["--json"]].concat()), 0);
    let steps = as_json["run"]["steps"].as_array().expect("steps");
    assert!((1..=6).contains(&steps.len()), "{as_json}");
    assert_eq!(steps[0]["logits_hash"].as_str().map(str::len), Some(32));
    assert_eq!(
        as_json["run"]["prompt_tokens"].as_u64(),
        Some(as_json["prompt_ids"].as_array().expect("ids").len() as u64)
    );
    assert_eq!((as_json["formats"].as_str(), as_json["order"].as_str()), (Some("int8"), Some("by-shape")));

    let streamed = check(lastbit(&model, &arguments), 0);
    let shown = |c: char| if c.is_control() && c != '\n' && c != '\t' { char::REPLACEMENT_CHARACTER } else { c };
    let expected: String = as_json["text"].as_str().expect("text").chars().map(shown).collect();
    assert_eq!(String::from_utf8_lossy(&streamed.stdout), expected + "\n");
    assert!(String::from_utf8_lossy(&streamed.stderr).contains("prompt tokens"));
}

#[test]
fn logits_after_a_prompt_are_those_that_the_first_token_is_chosen_from() {
    let model = tiny("cli-logits.gguf");
    let run = json(lastbit(&model, &["run", "--chat", "Why?", "--max-tokens", "1", "--json"]), 0);
    let fed = json(lastbit(&model, &["logits", "--chat", "Why?"]), 0);
    let positions = fed["positions"].as_array().expect("positions");
    assert_eq!(positions.len() as u64, run["run"]["prompt_tokens"].as_u64().expect("a count"));
    let last = positions.last().expect("a position");
    let top: Vec<Value> = run["run"]["steps"][0]["top"].as_array().expect("top").clone();
    for (rank, pair) in top.iter().enumerate() {
        assert_eq!((&last["top_ids"][rank], &last["top_logits"][rank]), (&pair[0], &pair[1]), "rank {rank}");
    }
    let ids: Vec<String> = positions.iter().map(|position| position["id"].to_string()).collect();
    let again = json(lastbit(&model, &["logits", "--ids", &ids.join(",")]), 0);
    assert_eq!(again["positions"], fed["positions"]);
    let coarse = json(lastbit(&model, &["logits", "--chat", "Why?", "--weights", "q2_32"]), 0);
    assert_eq!(
        (&fed["numerics"]["weights"], &coarse["numerics"]["weights"]),
        (&Value::from("as-in-file"), &Value::from("q2_32"))
    );
    assert!(coarse["weights_method"].as_str().is_some_and(|method| method.contains("round to nearest, blocks of 32")));
    assert_ne!(coarse["positions"], fed["positions"]);
    let wide = json(lastbit(&model, &["logits", "--text", "ab", "--top", "9"]), 0);
    assert_eq!(wide["positions"][0]["top_ids"].as_array().map(Vec::len), Some(9));
}

#[test]
fn compare_tells_runs_verdict_control_and_exposure() {
    let model = tiny("cli-compare.gguf");
    let prompt = ["compare", "--chat", "Tell me about the sea.", "--max-tokens", "6"];
    let invariant = json(lastbit(&model, &[&prompt[..], &["--order", "invariant", "--json"]].concat()), 0);
    let comparison = &invariant["comparison"];
    assert_eq!(comparison["verdict"], "bit-identical");
    assert_eq!(
        (&comparison["control"]["same_tokens"], &comparison["control"]["same_bits"]),
        (&true.into(), &true.into())
    );
    let names: Vec<&str> =
        comparison["runs"].as_array().expect("runs").iter().filter_map(|run| run["run"].as_str()).collect();
    assert_eq!(names, ["cold-a", "cold-b", "warm"]);
    assert_eq!(invariant["model"]["sha256"].as_str().map(str::len), Some(64));

    let extra = ["--before", "one text", "--before", "another", "--second-turn", "And then?", "--reply-tokens", "4"];
    let second = json(lastbit(&model, &[&prompt[..], &extra, &["--json"]].concat()), 0);
    assert_eq!(second["request"]["scenario"]["kind"], "second-turn");
    assert_eq!(second["comparison"]["runs"][0]["run"], "first-turn");
    assert!(second["comparison"]["exposure"].as_u64().is_some_and(|n| n > 0), "{second}");

    let told = check(lastbit(&model, &prompt), 0);
    let text = String::from_utf8_lossy(&told.stdout);
    for word in ["device", "model", "cold A", "cold B", "warm", "bits", "verdict", "control   passed", "exposure"] {
        assert!(text.contains(word), "{word:?} is not in\n{text}");
    }
}

#[test]
fn every_choice_of_numerics_stands_in_the_record() {
    let model = tiny("cli-numerics.gguf");
    let run = |more: &[&str]| lastbit(&model, &[&["logits", "--ids", "5,6,7"], more].concat());
    let choices = ["--norm", "pairwise", "--softmax", "sequential", "--tie-rule", "highest-id", "--order", "tiled"];
    let found = json(run(&[&choices[..], &["--k", "q8_0", "--chunk-rows", "2"]].concat()), 0);
    let numerics = &found["numerics"];
    let words = ["norm", "softmax", "tie_rule", "k", "v"].map(|choice| numerics[choice].as_str().unwrap_or_default());
    assert_eq!(words, ["pairwise", "sequential", "highest-id", "q8_0", "f16"]);
    assert_eq!((&numerics["chunk_rows"], &found["order"]), (&2.into(), &"tiled".into()));
    let refused = run(&["--norm", "subgroup", "--order", "invariant"]);
    check_failure(refused, 2, "bad-request", "no order that is known");
}

#[test]
fn tokenize_keeps_typed_control_tokens_as_text() {
    let model = tiny("cli-tokenize.gguf");
    let ids = |arguments: &[&str]| json(lastbit(&model, &[&["tokenize", "--json"], arguments].concat()), 0);
    let plain = ids(&["a<|im_end|>b"]);
    let special = ids(&["a<|im_end|>b", "--special"]);
    assert_eq!(strings(&special["pieces"]), ["a", "<|im_end|>", "b"]);
    assert!(!strings(&plain["pieces"]).contains(&"<|im_end|>"), "{plain}");
    assert_eq!(strings(&plain["pieces"]).concat(), "a<|im_end|>b");
    let chat = ids(&["hi", "--chat"]);
    assert!(chat["text"].as_str().is_some_and(|text| text.contains("hi") && text.contains("<|im_start|>")), "{chat}");
    let lines = check(lastbit(&model, &["tokenize", "ab"]), 0);
    assert!(String::from_utf8_lossy(&lines.stdout).contains('"'));
}

/// Overwrites what stands `skip` bytes behind the first occurrence of `name`.
fn patched(mut bytes: Vec<u8>, name: &str, skip: usize, new: &[u8]) -> Vec<u8> {
    let at = bytes.windows(name.len()).position(|window| window == name.as_bytes()).expect("the name is in the file");
    let at = at + name.len() + skip;
    bytes[at..at + new.len()].copy_from_slice(new);
    bytes
}

#[test]
fn inspect_describes_files_that_cannot_run() {
    let whole = tiny_model::gguf_bytes(3);
    let inspect = |name: &str, bytes: &[u8], exit| json(lastbit(&file(name, bytes), &["inspect", "--json"]), exit);

    let good = inspect("cli-inspect.gguf", &whole, 0);
    assert_eq!((&good["runs"], &good["fit"]["fits"]), (&true.into(), &true.into()), "{good}");
    assert_eq!((&good["why_not"], &good["notes"]), (&serde_json::json!([]), &serde_json::json!([])), "{good}");
    assert_eq!(good["len_bytes"].as_u64(), Some(whole.len() as u64));
    assert_eq!(good["tensor_types"]["Q4_1"]["tensors"], 21);
    assert_eq!(good["metadata"]["general.architecture"], "llama");

    let header_bytes = good["tensors"][0]["file_offset"].as_u64().expect("a place") as usize;
    let cut = inspect("cli-inspect-cut.gguf", &whole[..header_bytes], 4);
    assert_eq!(cut["tensors"], good["tensors"], "the header alone says as much");
    assert!(cut["len_bytes"].as_u64() < cut["expected_bytes"].as_u64());

    // Key, value type, length of the text.
    let other = patched(whole.clone(), "general.architecture", 4 + 8, b"mamba");
    let other = inspect("cli-inspect-other.gguf", &other, 4);
    assert_eq!((&other["runs"], &other["why_not"][0]["code"]), (&false.into(), &"bad-file".into()));
    assert!(
        other["why_not"][0]["message"].as_str().is_some_and(|text| text.contains("mamba") && text.contains("qwen3")),
        "{other}"
    );

    // Name, number of dimensions, two dimensions, type: 29 is IQ1_M.
    let unknown = patched(whole, "blk.0.attn_q.weight", 4 + 16, &29_u32.to_le_bytes());
    let unknown = inspect("cli-inspect-type.gguf", &unknown, 4);
    assert_eq!(unknown["metadata"]["general.architecture"], "llama", "the description stands before the tensors");
    assert!(unknown["why_not"][0]["message"].as_str().is_some_and(|text| text.contains("IQ1_M")), "{unknown}");
    assert_eq!((&unknown["runs"], &unknown["error"]["fault"]), (&false.into(), &"MODEL_QUANT".into()));
    let told = check(lastbit(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli-inspect-type.gguf"), &["inspect"]), 4);
    assert!(String::from_utf8_lossy(&told.stdout).contains("runs here: no"));
}

#[test]
fn an_interrupted_experiment_goes_on_and_other_circumstances_are_refused() {
    let model = tiny("cli-experiments.gguf");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli-experiments.json");
    if out.exists() {
        std::fs::remove_file(&out).expect("an old record goes");
    }
    let out_text = out.to_str().expect("a plain path");
    let arguments = |prompts: &'static str| {
        ["experiments", "E2", "e3", "E8", "--json", "--tokens", "4", "--out", out_text, "--prompts", prompts]
    };
    let first = json(lastbit(&model, &arguments("1")), 0);
    let measured = |record: &Value| record["measured"].as_array().expect("cases").clone();
    let n_first = measured(&first).len();
    let more = json(lastbit(&model, &arguments("2")), 0);
    assert_eq!(measured(&more).len(), 2 * n_first);
    assert_eq!(measured(&more)[..n_first], measured(&first)[..], "nothing was measured again");
    let row = |experiment: &str| {
        more["rows"]
            .as_array()
            .expect("rows")
            .iter()
            .find(|row| row["experiment"] == experiment)
            .expect("a row")
            .clone()
    };
    assert_eq!((&row("E2")["k"], &row("E2")["n"], &row("E2")["judged"]), (&2.into(), &2.into(), &"pass".into()));
    assert_eq!((&row("E3")["n"], &row("E8")["judged"]), (&2.into(), &"pass".into()));
    let kept: Value = serde_json::from_slice(&std::fs::read(&out).expect("the record")).expect("JSON");
    assert_eq!(kept, more);
    // One question more, asked alone, leaves the rows of the others as they are.
    let alone = ["experiments", "E13", "--json", "--tokens", "4", "--out", out_text, "--prompts", "2"];
    let asked = json(lastbit(&model, &alone), 0);
    let others = |record: &Value| -> Vec<Value> {
        let rows = record["rows"].as_array().expect("rows");
        rows.iter().filter(|row| row["experiment"] != "E13").cloned().collect()
    };
    assert_eq!(others(&asked), others(&more));
    assert!(asked["rows"].as_array().expect("rows").len() > others(&more).len());
    let in_words = ["experiments", "E13", "--tokens", "4", "--out", out_text, "--prompts", "2"];
    let told = check(lastbit(&model, &in_words), 0);
    let text = String::from_utf8_lossy(&told.stdout);
    assert!(text.contains("warm runs that reuse something") && text.contains("4 of 4"), "{text}");
    let other = file("cli-experiments-other.gguf", &tiny_model::gguf_bytes(4));
    check_failure(lastbit(&other, &arguments("2")), 2, "bad-request", "the model's SHA-256 was");
    let altered = std::fs::read_to_string(&out).expect("the record").replacen("\"largest\":", "\"largest\":1", 1);
    std::fs::write(&out, altered).expect("the record is altered");
    check_failure(lastbit(&model, &arguments("2")), 2, "bad-request", "not what was written");
}

#[test]
fn a_closed_pipe_ends_a_run_quietly() {
    let model = tiny("cli-pipe.gguf");
    let mut child = lastbit(&model, &["run", "--complete", "a", "--max-tokens", "60"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0));
}
