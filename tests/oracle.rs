//! The engine against llama.cpp's results for the same file (tests/data/oracle, see its README).

#![cfg(not(target_arch = "wasm32"))]

#[path = "support/real_model.rs"]
mod real_model;
mod support;

use lastbit::generate::{Engine, EngineOptions};
use lastbit::model::{Outputs, Row};
use lastbit::numerics::{Formats, Numerics, Order};
use serde_json::Value;

/// One recorded position: what came before, and the five largest logits after it.
struct Position {
    ids: Vec<u32>,
    logits: Vec<f32>,
}

/// A prompt, its ids followed by the greedy answer, and what is recorded of both.
struct Recorded {
    name: String,
    ids: Vec<u32>,
    n_prompt: usize,
    positions: Vec<(usize, Position)>,
}

fn recorded(file: &str) -> Vec<Recorded> {
    let path = format!("{}/tests/data/oracle/{file}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let json: Value = serde_json::from_str(&text).expect("the oracle is JSON");
    let ids = |v: &Value| -> Vec<u32> {
        v.as_array().expect("ids").iter().map(|id| id.as_u64().expect("id") as u32).collect()
    };
    let top = |v: &Value| Position {
        ids: ids(&v[0]),
        logits: v[1].as_array().expect("logits").iter().map(|x| x.as_f64().expect("logit") as f32).collect(),
    };
    let prompts = json["prompts"].as_object().expect("prompts");
    prompts
        .iter()
        .map(|(name, prompt)| {
            let prompt_ids = ids(&prompt["prompt_ids"]);
            let mut positions: Vec<(usize, Position)> = match &prompt["prompt_top5"] {
                Value::Array(tops) => tops.iter().enumerate().map(|(i, v)| (i, top(v))).collect(),
                Value::Object(tops) => tops.iter().map(|(i, v)| (i.parse().expect("index"), top(v))).collect(),
                _ => panic!("prompt_top5 is a list or a map"),
            };
            let answer = ids(&prompt["ids"]);
            let n = prompt_ids.len();
            for (k, v) in prompt["top5"].as_array().expect("top5").iter().enumerate().skip(1) {
                positions.push((n + k - 1, top(v)));
            }
            let all = prompt_ids.into_iter().chain(answer).collect();
            Recorded { name: name.clone(), ids: all, n_prompt: n, positions }
        })
        .collect()
}

/// Teacher-forced logits at every position, in steps of 64 rows.
async fn teacher_forced(engine: &mut Engine, ids: &[u32]) -> Vec<Vec<f32>> {
    let pass = engine.pass();
    let blocks: Vec<u32> = (0..ids.len().div_ceil(16) as u32).collect();
    pass.set_block_table(0, 0, &blocks);
    let mut logits = Vec::new();
    for (chunk, tokens) in ids.chunks(64).enumerate() {
        let rows: Vec<Row> = tokens
            .iter()
            .enumerate()
            .map(|(i, &token)| {
                let position = (chunk * 64 + i) as u32;
                Row { sequence: 0, position, token, block: blocks[position as usize / 16] }
            })
            .collect();
        pass.forward(&rows, Outputs::All).await.expect("a step");
        logits.extend(pass.read_logits(rows.len() as u32).await.expect("logits"));
    }
    logits
}

fn top1(logits: &[f32]) -> u32 {
    let mut best = 0;
    for (i, v) in logits.iter().enumerate() {
        if *v > logits[best] {
            best = i;
        }
    }
    best as u32
}

#[test]
fn f32_follows_the_oracle_at_every_recorded_position() {
    pollster::block_on(async {
        for order in [Order::ByShape, Order::Invariant] {
            let mut engine =
                real_model::smollm2(Numerics::new(Formats::F32, order, 64), EngineOptions::default()).await;
            let (mut n, mut largest) = (0, 0.0_f32);
            for prompt in recorded("smollm2.greedy.f32") {
                let logits = teacher_forced(&mut engine, &prompt.ids).await;
                for (at, expected) in &prompt.positions {
                    let got = &logits[*at];
                    for (id, logit) in expected.ids.iter().zip(&expected.logits) {
                        largest = largest.max((got[*id as usize] - logit).abs());
                    }
                    if expected.logits[0] - expected.logits[1] > 1e-3 {
                        assert_eq!(top1(got), expected.ids[0], "{} position {at}", prompt.name);
                    }
                    n += 1;
                }
            }
            println!("f32, {order:?}: {n} positions, largest top-5 logit difference {largest:.6}");
            assert!(n >= 20, "{n} positions are too few");
            assert!(largest <= 1e-3, "largest difference {largest}");
        }
    });
}

/// Differences of one position, for ids that both recordings rank among their five largest.
struct Differences {
    /// |llama.cpp int8 - llama.cpp f32|
    theirs: Vec<f32>,
    /// |ours int8 - llama.cpp f32|
    ours: Vec<f32>,
}

fn median(values: &mut [f32]) -> f32 {
    values.sort_by(f32::total_cmp);
    values[values.len() / 2]
}

fn largest(values: &[f32]) -> f32 {
    values.iter().copied().fold(0.0, f32::max)
}

#[test]
fn int8_strays_no_wider_than_llama_cpp_does() {
    pollster::block_on(async {
        let mut engine =
            real_model::smollm2(Numerics::new(Formats::Int8, Order::ByShape, 64), EngineOptions::default()).await;
        let quantised = recorded("smollm2.greedy.q");
        let (mut theirs, mut ours, mut n, mut decided) = (Vec::new(), Vec::new(), 0, 0);
        for prompt in recorded("smollm2.greedy.f32") {
            let other =
                quantised.iter().find(|q| q.name == prompt.name).expect("both recordings hold the same prompts");
            let logits = teacher_forced(&mut engine, &prompt.ids).await;
            // Behind the first id in which the recordings part, they answer different questions.
            let common = prompt.ids.iter().zip(&other.ids).take_while(|(a, b)| a == b).count();
            assert!(common >= prompt.n_prompt, "{}: the prompts differ", prompt.name);
            for (at, exact) in prompt.positions.iter().filter(|(at, _)| *at < common) {
                let Some((_, q)) = other.positions.iter().find(|(q_at, _)| q_at == at) else { continue };
                let mut found = Differences { theirs: Vec::new(), ours: Vec::new() };
                for (id, logit) in exact.ids.iter().zip(&exact.logits) {
                    if let Some(k) = q.ids.iter().position(|q_id| q_id == id) {
                        found.theirs.push((q.logits[k] - logit).abs());
                        found.ours.push((logits[*at][*id as usize] - logit).abs());
                    }
                }
                if exact.logits[0] - exact.logits[1] > 2.0 * largest(&found.ours) {
                    assert_eq!(top1(&logits[*at]), exact.ids[0], "{} position {at}", prompt.name);
                    decided += 1;
                }
                theirs.append(&mut found.theirs);
                ours.append(&mut found.ours);
                n += 1;
            }
        }
        let (their_median, our_median) = (median(&mut theirs), median(&mut ours));
        let (their_largest, our_largest) = (largest(&theirs), largest(&ours));
        println!(
            "int8: {n} positions ({decided} decided beyond the difference); from f32, median {our_median:.4} (llama.cpp {their_median:.4}), \
             largest {our_largest:.4} (llama.cpp {their_largest:.4})"
        );
        assert!(n >= 20, "{n} positions are too few");
        assert!(our_median <= 1.5 * their_median, "median {our_median}, llama.cpp {their_median}");
        assert!(our_largest <= 1.5 * their_largest, "largest {our_largest}, llama.cpp {their_largest}");
    });
}
