//! What is told of two runs side by side: the origin of a difference, which site's order causes it, what a transplant does, whether
//! every shape gives the same bits.

use serde_json::Value;

use crate::{check, check_failure, json, lastbit, tiny};

#[test]
fn origin_names_the_first_different_bit_and_who_wrote_it() {
    let model = tiny("cli-origin.gguf");
    let run = |order: &str, more: &[&str]| {
        let mut arguments = vec!["origin", "--complete", "the sea and the sky", "--max-tokens", "3", "--order", order];
        arguments.extend(more);
        lastbit(&model, &arguments)
    };
    let found = json(run("by-shape", &["--json"]), 0);
    let n_prompt = found["prompt_ids"].as_array().expect("ids").len();
    assert_eq!(found["reused_tokens"], n_prompt - 1);
    let origin = &found["origin"];
    assert_eq!(
        (&origin["layer"], &origin["tensor"], &origin["position"]),
        (&0.into(), &"q".into(), &(n_prompt - 1).into())
    );
    assert_eq!(origin["warm"]["writer"]["kernel"], "qkv_q4_1_vector");
    assert_eq!(
        found["kv_map"]["k"]["share"][0].as_array().map(Vec::len),
        found["prompt_ids"].as_array().map(|ids| { ids.len() + found["decoded_ids"].as_array().map_or(0, Vec::len) })
    );
    let told = check(run("by-shape", &[]), 0);
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(text.contains(found["sentence"].as_str().expect("a sentence")), "{text}");
    assert!(text.contains("Largest distance in ulp"), "{text}");

    let found = json(run("invariant", &["--json"]), 0);
    assert_eq!((&found["origin"], &found["steps_with_different_logits"]), (&Value::Null, &0.into()));
    // One token is always computed anew: nothing was reused, and equal bits prove nothing.
    let vacuous = json(lastbit(&model, &["origin", "--complete", "a", "--max-tokens", "2", "--json"]), 0);
    assert_eq!(vacuous["reused_tokens"], 0);
    assert!(vacuous["sentence"].as_str().is_some_and(|sentence| sentence.contains("reused nothing")), "{vacuous}");
    check_failure(lastbit(&model, &["origin", "--complete", "", "--json"]), 2, "bad-request", "empty");
}

#[test]
fn ablation_names_the_sites_that_cause_the_difference() {
    let model = tiny("cli-ablation.gguf");
    let text = "the sea and the sky and the ships that sail on it for days and days until they see the land again";
    let arguments = ["ablation", "--complete", text, "--max-tokens", "2", "--formats", "f32"];
    let found = json(lastbit(&model, &[&arguments[..], &["--json"]].concat()), 0);
    let cases = found["ablation"]["cases"].as_array().expect("cases");
    let case = |group: &str| cases.iter().find(|case| case["group"] == group).expect("a group of that name");
    assert_ne!(case("ffn_down")["made_by_shape"]["first_differing"], Value::Null);
    assert_eq!(case("all")["made_invariant"]["first_differing"], Value::Null);
    let told = check(lastbit(&model, &arguments), 0);
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(text.contains(found["sentence"].as_str().expect("a sentence")), "{text}");
    check_failure(lastbit(&model, &["ablation", "--complete", "", "--json"]), 2, "bad-request", "empty");
}

#[test]
fn a_transplant_says_whose_answer_the_recipient_gives() {
    let model = tiny("cli-transplant.gguf");
    let arguments = ["transplant", "--complete", "the sea and the sky", "--max-tokens", "4", "--formats", "f32"];
    let run = |more: &[&str]| lastbit(&model, &[&arguments[..], more].concat());
    // With all of the cold run's K and V the warm run is the cold run, in every bit.
    let found = json(run(&["--json"]), 0);
    let followed = &found["followed"];
    assert_eq!(followed["transplanted"], followed["cold"]);
    assert_ne!(followed["warm"]["logits_hashes"], followed["cold"]["logits_hashes"]);
    let text = String::from_utf8_lossy(&check(run(&["--into", "cold", "--layers", "0..1"]), 0).stdout).into_owned();
    assert!(text.contains("layers 0..1") && text.contains("follows"), "{text}");
    check_failure(run(&["--positions", "0..999", "--json"]), 2, "bad-request", "999");
    check(run(&["--layers", "2..2"]), 2);
}

#[test]
fn compare_says_whether_every_shape_gives_the_same_bits() {
    let model = tiny("cli-shapes.gguf");
    let compare = |order: &str, more: &[&str]| {
        let mut arguments = vec!["compare", "--complete", "One two three four five six seven.", "--max-tokens", "3"];
        arguments.extend(["--check-shapes", "--formats", "f32", "--order", order]);
        arguments.extend(more);
        lastbit(&model, &arguments)
    };
    let check_of = |order: &str| json(compare(order, &["--json"]), 0)["shape_check"].clone();
    let invariant = check_of("invariant");
    assert_eq!((&invariant["claim"], &invariant["n_differing"]), (&Value::from("L2"), &0.into()), "{invariant}");
    let by_shape = check_of("by-shape");
    assert!(by_shape["claim"].is_null() && by_shape["n_differing"].as_u64() > Some(0), "{by_shape}");
    let told = check(compare("invariant", &[]), 0);
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(text.contains("L2 holds: the same bits in all"), "{text}");
    check(compare("invariant", &["--twin"]), 2);
}
