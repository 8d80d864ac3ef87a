//! Models in several files, and whether a model fits, on the command line.

use std::path::PathBuf;

use lastbit::tiny_model::TinyModel;
use serde_json::Value;

use crate::{check, check_failure, file, json, lastbit, tiny};

/// The tiny model in three files, of which only some are written.
fn three_parts(stem: &str, written: &[usize]) -> PathBuf {
    let parts = TinyModel { seed: 3, ..TinyModel::default() }.writer().to_parts(3);
    let name = |number: usize| format!("{stem}-{:05}-of-00003.gguf", number + 1);
    let paths: Vec<PathBuf> = written.iter().map(|number| file(&name(*number), &parts[*number])).collect();
    paths.last().expect("at least one part").clone()
}

#[test]
fn b064_any_part_opens_its_siblings() {
    let whole = tiny("cli-parts-whole.gguf");
    let part = three_parts("cli-parts", &[0, 2, 1]);
    let run = ["run", "--complete", "One two three.", "--max-tokens", "3", "--json"];
    let steps = |command| json(command, 0)["run"]["steps"].clone();
    let hashes = |steps: Value| -> Vec<Value> {
        steps.as_array().expect("steps").iter().map(|step| step["logits_hash"].clone()).collect()
    };
    let expected = hashes(steps(lastbit(&whole, &run)));
    assert_eq!(expected.len(), 3);
    assert_eq!(hashes(steps(lastbit(&part, &run))), expected);
    assert_eq!(hashes(steps(lastbit(&part, &[&run[..], &["--twin"]].concat()))), expected);

    let [inspected, as_whole] = [&part, &whole].map(|model| json(lastbit(model, &["inspect", "--json"]), 0));
    assert_eq!((&inspected["runs"], &inspected["fit"]), (&true.into(), &as_whole["fit"]), "{inspected}");
    assert_eq!(inspected["expected_bytes"], inspected["len_bytes"], "all bytes of all parts");
    check(lastbit(&part, &["tokenize", "hello"]), 0);
}

#[test]
fn b064_missing_parts_are_named() {
    let part = three_parts("cli-parts-few", &[0, 1]);
    let run = ["run", "--complete", "a", "--json"];
    check_failure(lastbit(&part, &run), 4, "bad-file", "parts 1, 2 are here, part 3 is missing");
    check_failure(lastbit(&part, &run), 4, "bad-file", "MODEL_SHARDS");
    check_failure(lastbit(&part, &[&run[..], &["--twin"]].concat()), 4, "bad-file", "MODEL_SHARDS");
    let inspected = json(lastbit(&part, &["inspect", "--json"]), 4);
    assert!(inspected["why_not"][0]["message"].as_str().is_some_and(|text| text.contains("part 3 is missing")));
    let renamed = file("cli-parts-renamed.gguf", &std::fs::read(&part).expect("the part"));
    check_failure(lastbit(&renamed, &run), 4, "bad-file", "part 2 is here, parts 1, 3 are missing");
}

#[test]
fn b064_swapped_and_cut_parts_have_one_reason() {
    let parts = TinyModel { seed: 3, ..TinyModel::default() }.writer().to_parts(2);
    let write = |stem: &str, first: &[u8], second: &[u8]| {
        file(&format!("{stem}-00001-of-00002.gguf"), first);
        file(&format!("{stem}-00002-of-00002.gguf"), second)
    };
    let swapped = write("cli-parts-swapped", &parts[1], &parts[0]);
    // A part that is too short would shift all that stands behind it.
    let cut = write("cli-parts-cut", &parts[0][..parts[0].len() - 40], &parts[1]);
    for (part, fault, words) in
        [(swapped, "MODEL_SHARDS", "names of the parts"), (cut, "GGUF_OFFSET", "the file ends at byte")]
    {
        check_failure(lastbit(&part, &["run", "--complete", "a", "--json"]), 4, "bad-file", words);
        let inspected = json(lastbit(&part, &["inspect", "--json"]), 4);
        let reasons = inspected["why_not"].as_array().expect("reasons");
        assert_eq!((reasons.len(), &reasons[0]["fault"]), (1, &fault.into()), "{inspected}");
    }
}

#[test]
fn inspect_says_whether_the_model_fits() {
    let model = tiny("cli-fit.gguf");
    let fit = |more: &[&str]| json(lastbit(&model, &[&["inspect", "--json"], more].concat()), 0);
    let small = fit(&["--memory", "1"]);
    assert_eq!((&small["fit"]["fits"], &small["fit"]["binding_fits"]), (&false.into(), &true.into()), "{small}");
    assert_eq!((&small["runs"], &small["why_not"][0]["code"]), (&false.into(), &"out-of-memory".into()));
    assert_eq!(small["error"], Value::Null, "nothing is wrong with the file");
    let twin = fit(&["--twin", "--formats", "f32"]);
    assert_eq!((&twin["runs"], &twin["device"]), (&true.into(), &Value::Null), "{twin}");
    assert_eq!(twin["fit"]["binding_limit_bytes"], Value::Null, "the twin binds nothing");
    let wide = twin["fit"]["kv"][2]["kv_bytes"].as_u64().expect("bytes");
    assert_eq!(fit(&["--twin"])["fit"]["kv"][2]["kv_bytes"].as_u64().map(|bytes| 2 * bytes), Some(wide));
    let told = check(lastbit(&model, &["inspect", "--memory", "1"]), 0);
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    for words in ["No, it does not fit", "2048", "more than the budget of 1.0 MB", "runs here: no"] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
}
