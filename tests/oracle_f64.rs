//! The f64 forward pass: of the real models against llama.cpp's logits in f32, and of the tiny model against itself.
//!
//! All tokens of a prompt and of its recorded answer go through in one pass, and the five largest logits that llama.cpp
//! recorded are compared at each of its positions. For SmolLM2 the two agree to 0.00008; above 0.001 one of them is wrong.
#![cfg(not(target_arch = "wasm32"))]

use lastbit::gguf::{self, LoadedGguf};
use lastbit::model::check_header;
use lastbit::quant::{self, TensorType};
use lastbit::reference::forward_f64::ModelF64;
use lastbit::tiny_model::TinyModel;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const SMOLLM2_FILE: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";
const GEMMA3_FILE: &str = "gemma-3-270m-q4_k_m.gguf";
const FEWEST_POSITIONS: usize = 20;

#[test]
fn f64_forward_pass_agrees_with_llama_cpp() {
    agrees(include_str!("data/oracle/smollm2.greedy.f32.json"), &model_path(SMOLLM2_FILE), usize::MAX, 0.001);
}

/// Of Gemma the shorter prompts, for time. llama.cpp's GELU is a table in f16: its own routes differ by 0.024.
#[test]
fn f64_forward_pass_of_gemma_agrees_with_llama_cpp() {
    agrees(include_str!("data/oracle/gemma3.greedy.f32.json"), &model_path(GEMMA3_FILE), 100, 0.05);
}

/// Prompts that are with their answers no longer than `longest` tokens.
fn agrees(oracle: &str, model_file: &Path, longest: usize, largest_difference: f64) {
    let oracle: Value = serde_json::from_str(oracle).expect("the recorded results are JSON");
    let model_file = std::fs::File::open(model_file)
        .unwrap_or_else(|error| panic!("{}: {error}; `make model` puts it there", model_file.display()));
    let loaded = gguf::load(model_file, None).expect("the model file is valid");
    assert_eq!(loaded.summary.sha256_hex(), oracle["sha256"], "another file than llama.cpp had");
    let mut llama = llama_f64(&loaded);

    let (mut n_positions, mut n_same_top, mut largest) = (0, 0, 0.0f64);
    for (name, prompt) in oracle["prompts"].as_object().expect("prompts have names") {
        let recorded = recorded_positions(prompt);
        let mut tokens = token_ids(&prompt["prompt_ids"]);
        tokens.extend(token_ids(&prompt["ids"]));

        if tokens.len() > longest {
            continue;
        }
        llama.clear();
        let normed = llama.forward(&tokens);
        let embedding_dim = normed.len() / tokens.len();
        let mut largest_here = 0.0f64;
        for (position, top_ids, top_logits) in &recorded {
            let logits = llama.logits(&normed[position * embedding_dim..][..embedding_dim]);
            for (&id, logit) in top_ids.iter().zip(top_logits) {
                largest_here = largest_here.max((logits[id as usize] - logit).abs());
            }
            let top = (0u32..).zip(&logits).max_by(|a, b| a.1.total_cmp(b.1)).map(|(id, _)| id);
            n_same_top += usize::from(top == Some(top_ids[0]));
        }
        println!("{name}: {} positions, largest difference {largest_here:.6}", recorded.len());
        n_positions += recorded.len();
        largest = largest.max(largest_here);
    }
    println!("{n_positions} positions, {n_same_top} with the same top token, largest difference {largest:.6}");
    assert!(n_positions >= FEWEST_POSITIONS, "only {n_positions} positions were compared");
    assert_eq!(n_same_top, n_positions, "the top token differs");
    assert!(largest <= largest_difference, "a logit differs by {largest}");
}

/// The tiny model must be worth running: logits that spread, answers that vary, and a cache that changes nothing.
#[test]
fn tiny_model_answers_with_variety() {
    for (output_type, seed) in [(None, 0), (None, 1), (Some(TensorType::F16), 2)] {
        let file = TinyModel { seed, output_type, ..TinyModel::default() }.gguf_bytes();
        let loaded = gguf::load(&file[..], None).expect("the tiny model is valid");
        let mut llama = llama_f64(&loaded);
        let prompt: Vec<u32> = (0..24).map(|i| 3 + (i * 37 + 11) % 300).collect();
        let normed = llama.forward(&prompt);
        let mut logits = llama.logits(&llama_row(&normed, prompt.len() - 1));
        let (mut answer, mut margins) = (Vec::new(), Vec::new());
        for _ in 0..64 {
            let mut order: Vec<usize> = (0..logits.len()).collect();
            order.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]));
            margins.push(logits[order[0]] - logits[order[1]]);
            answer.push(order[0] as u32);
            let normed = llama.forward(&[order[0] as u32]);
            logits = llama.logits(&normed);
        }
        let mean = logits.iter().sum::<f64>() / logits.len() as f64;
        let spread = (logits.iter().map(|logit| (logit - mean).powi(2)).sum::<f64>() / logits.len() as f64).sqrt();
        let distinct: BTreeSet<u32> = answer.iter().copied().collect();
        margins.sort_by(f64::total_cmp);
        let n_distinct = distinct.len();
        println!(
            "seed {seed}: {n_distinct} different tokens of 64, spread {spread:.2}, median margin {:.3}",
            margins[32]
        );

        let stepwise = logits;
        llama.clear();
        let whole = llama.forward(&[&prompt[..], &answer].concat());
        let at_once = llama.logits(&llama_row(&whole, prompt.len() + answer.len() - 1));
        for (stepwise, at_once) in stepwise.iter().zip(&at_once) {
            assert!((stepwise - at_once).abs() < 1e-9, "{stepwise} and {at_once}");
        }
        assert!(n_distinct >= 16, "{n_distinct} different tokens");
        assert!((1.0..10.0).contains(&spread), "spread {spread}");
    }
}

fn llama_row(normed: &[f64], row: usize) -> Vec<f64> {
    let embedding_dim = TinyModel::default().embedding_dim();
    normed[row * embedding_dim..][..embedding_dim].to_vec()
}

/// A file in the cache folder; the first model may be elsewhere, where `LASTBIT_MODEL` says.
fn model_path(file: &str) -> PathBuf {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    folder("LASTBIT_MODEL").filter(|_| file == SMOLLM2_FILE).unwrap_or_else(|| {
        let cache = folder("LASTBIT_CACHE")
            .or_else(|| folder("XDG_CACHE_HOME").map(|cache| cache.join("lastbit")))
            .or_else(|| folder("HOME").map(|home| home.join(".cache/lastbit")))
            .expect("LASTBIT_MODEL, LASTBIT_CACHE or HOME is set");
        cache.join("models").join(file)
    })
}

fn llama_f64(loaded: &LoadedGguf) -> ModelF64 {
    let n_threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    ModelF64::from_tensors(check_header(&loaded.header).expect("the header is a model's").in_f64(), n_threads, |name| {
        let index = loaded.header.tensor_index(name)?;
        let info = &loaded.header.tensors[index];
        let mut numbers = vec![0.0; info.n_elements() as usize];
        quant::dequantize(info.tensor_type, &loaded.tensors[index], &mut numbers);
        Some(numbers)
    })
    .expect("the model is complete")
}

/// Position, top-5 ids and logits; the recorded step k was predicted after the prompt and k tokens.
fn recorded_positions(prompt: &Value) -> Vec<(usize, Vec<u32>, Vec<f64>)> {
    let n_prompt_tokens = token_ids(&prompt["prompt_ids"]).len();
    let of_prompt: Vec<(usize, &Value)> = match &prompt["prompt_top5"] {
        Value::Array(all) => all.iter().enumerate().collect(),
        Value::Object(some) => {
            some.iter().map(|(position, top5)| (position.parse().expect("keys are positions"), top5)).collect()
        }
        other => panic!("prompt_top5 is neither list nor map: {other}"),
    };
    let steps = prompt["top5"].as_array().expect("steps are a list");
    let of_steps = steps.iter().enumerate().map(|(step, top5)| (n_prompt_tokens - 1 + step, top5));
    of_prompt
        .into_iter()
        .chain(of_steps)
        .map(|(position, top5)| {
            let logits = top5[1].as_array().expect("logits are a list");
            (position, token_ids(&top5[0]), logits.iter().map(|logit| logit.as_f64().expect("a number")).collect())
        })
        .collect()
}

fn token_ids(list: &Value) -> Vec<u32> {
    let ids = list.as_array().expect("ids are a list");
    ids.iter().map(|id| id.as_u64().expect("an id") as u32).collect()
}
