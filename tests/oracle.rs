//! The engine against llama.cpp's results for the same files (tests/data/oracle, see its README).

#![cfg(not(target_arch = "wasm32"))]

#[path = "support/gemma3.rs"]
mod gemma3;
#[path = "support/real_model.rs"]
mod real_model;
mod support;

use std::collections::{BTreeMap, BTreeSet};

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

/// A model and how closely it must follow.
struct Follower {
    /// Whose results.
    name: &'static str,
    open: AsyncOpen,
    /// Largest difference of a logit in f32.
    largest: f32,
    /// From which margin on the largest logit must be the same one.
    decided: f32,
}

type AsyncOpen = fn(Numerics) -> std::pin::Pin<Box<dyn Future<Output = Engine>>>;

const SMOLLM2: Follower = Follower {
    name: "smollm2",
    open: |numerics| Box::pin(real_model::smollm2(numerics, EngineOptions::default())),
    largest: 1e-3,
    decided: 1e-3,
};

/// Its own routes through f32 differ by 0.024 in llama.cpp, whose GELU is a table in f16.
const GEMMA3: Follower = Follower {
    name: "gemma3",
    open: |numerics| {
        let options = EngineOptions { context_len: 768, n_cache_blocks: 48, ..EngineOptions::default() };
        Box::pin(gemma3::engine(numerics, options))
    },
    largest: 0.05,
    decided: 0.05,
};

/// Teacher-forced logits at the positions that are recorded, in steps of 64 rows.
async fn teacher_forced(engine: &mut Engine, prompt: &Recorded) -> BTreeMap<usize, Vec<f32>> {
    let pass = engine.pass();
    let blocks: Vec<u32> = (0..prompt.ids.len().div_ceil(16) as u32).collect();
    pass.set_block_table(0, 0, &blocks);
    let mut logits = BTreeMap::new();
    for (chunk, tokens) in prompt.ids.chunks(64).enumerate() {
        let row = |(i, &token): (usize, &u32)| {
            let position = (chunk * 64 + i) as u32;
            Row { sequence: 0, position, token, block: blocks[position as usize / 16] }
        };
        let rows: Vec<Row> = tokens.iter().enumerate().map(row).collect();
        let recorded: BTreeSet<usize> =
            prompt.positions.iter().map(|(at, _)| *at).filter(|at| at / 64 == chunk).collect();
        let outputs = if recorded.is_empty() { Outputs::None } else { Outputs::All };
        pass.forward(&rows, outputs).await.expect("a step");
        if outputs == Outputs::All {
            let mut of_rows = pass.read_logits(rows.len() as u32).await.expect("logits");
            logits.extend(recorded.into_iter().map(|at| (at, std::mem::take(&mut of_rows[at % 64]))));
        }
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

/// Tokens of a short prompt. The long one has, with its answer, about three times the tokens of all others together.
const SHORT: usize = 512;

/// Every recorded position in f32 by shape, and those of the short prompts in order invariant.
fn follows(model: &Follower) {
    pollster::block_on(async {
        for order in [Order::ByShape, Order::Invariant] {
            let mut engine = (model.open)(Numerics::new(Formats::F32, order, 64)).await;
            let (mut n, mut n_same, mut largest) = (0, 0, 0.0_f32);
            let prompts = recorded(&format!("{}.greedy.f32", model.name));
            for prompt in prompts.iter().filter(|prompt| order == Order::ByShape || prompt.n_prompt <= SHORT) {
                let logits = teacher_forced(&mut engine, prompt).await;
                for (at, expected) in &prompt.positions {
                    let got = &logits[at];
                    for (id, logit) in expected.ids.iter().zip(&expected.logits) {
                        largest = largest.max((got[*id as usize] - logit).abs());
                    }
                    let same = top1(got) == expected.ids[0];
                    let decided = expected.logits[0] - expected.logits[1] > model.decided;
                    assert!(same || !decided, "{} position {at}", prompt.name);
                    n += 1;
                    n_same += usize::from(same);
                }
            }
            println!(
                "{} in f32, {order:?}: {n} positions, {n_same} with the same largest logit, largest top-5 logit difference {largest:.6}",
                model.name
            );
            assert!(n >= 20, "{n} positions are too few");
            assert!(largest <= model.largest, "largest difference {largest}");
        }
    });
}

#[test]
fn f32_follows_the_oracle_at_every_recorded_position() {
    follows(&SMOLLM2);
}

/// Among them a prompt of 637 tokens, longer than the window of 512.
#[test]
fn gemma_in_f32_follows_the_oracle_at_every_recorded_position() {
    follows(&GEMMA3);
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
    strays(&SMOLLM2);
}

#[test]
fn gemma_in_int8_strays_no_wider_than_llama_cpp_does() {
    strays(&GEMMA3);
}

fn strays(model: &Follower) {
    pollster::block_on(async {
        let mut engine = (model.open)(Numerics::new(Formats::Int8, Order::ByShape, 64)).await;
        let quantised = recorded(&format!("{}.greedy.q", model.name));
        let (mut theirs, mut ours, mut n, mut decided) = (Vec::new(), Vec::new(), 0, 0);
        for prompt in recorded(&format!("{}.greedy.f32", model.name)) {
            let other =
                quantised.iter().find(|q| q.name == prompt.name).expect("both recordings hold the same prompts");
            let logits = teacher_forced(&mut engine, &prompt).await;
            // Behind the first id in which the recordings part, they answer different questions.
            let common = prompt.ids.iter().zip(&other.ids).take_while(|(a, b)| a == b).count();
            assert!(common >= prompt.n_prompt, "{}: the prompts differ", prompt.name);
            for (at, exact) in prompt.positions.iter().filter(|(at, _)| *at < common) {
                let Some((_, q)) = other.positions.iter().find(|(q_at, _)| q_at == at) else { continue };
                let mut found = Differences { theirs: Vec::new(), ours: Vec::new() };
                for (id, logit) in exact.ids.iter().zip(&exact.logits) {
                    if let Some(k) = q.ids.iter().position(|q_id| q_id == id) {
                        found.theirs.push((q.logits[k] - logit).abs());
                        found.ours.push((logits[at][*id as usize] - logit).abs());
                    }
                }
                if exact.logits[0] - exact.logits[1] > 2.0 * largest(&found.ours) {
                    assert_eq!(top1(&logits[at]), exact.ids[0], "{} position {at}", prompt.name);
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
            "{} in int8: {n} positions ({decided} decided beyond the difference); from f32, median {our_median:.4} (llama.cpp {their_median:.4}), \
             largest {our_largest:.4} (llama.cpp {their_largest:.4})",
            model.name
        );
        assert!(n >= 20, "{n} positions are too few");
        assert!(our_median <= 1.5 * their_median, "median {our_median}, llama.cpp {their_median}");
        assert!(our_largest <= 1.5 * their_largest, "largest {our_largest}, llama.cpp {their_largest}");
    });
}
