//! A schedule of steps, replayed on a sequence of its own, gives the bits of the run that it describes.

use lastbit::compare::{Pair, PairStep, Schedule, SecondTurn};
use lastbit::generate::{CancelToken, Engine, GenerateError, Prompt, RunOptions, RunTrace};
use lastbit::numerics::{Formats, Numerics, Order};
use lastbit::tiny_model::TinyModel;

use crate::{engine, ids};

const N_TOKENS: usize = 12;

async fn run(engine: &mut Engine, prompt: &[u32], n_tokens: usize) -> RunTrace {
    engine.run(prompt, RunOptions::tokens(n_tokens), &CancelToken::default(), |_| ()).await.expect("a run")
}

async fn cold_run(engine: &mut Engine, prompt: &[u32], n_tokens: usize) -> RunTrace {
    engine.reset().expect("an empty cache");
    let trace = run(engine, prompt, n_tokens).await;
    assert_eq!(trace.reused_tokens, 0);
    trace
}

/// A pair that is fed one run's tokens.
async fn replay(engine: &mut Engine, ids: &[u32], warm: &Schedule, fed: &RunTrace) -> Vec<PairStep> {
    let cold = Schedule::cold(ids.len(), engine.chunk_rows());
    let mut pair = Pair::new(engine).expect("two sequences");
    let mut steps = vec![pair.prefill(ids, &cold, warm).await.expect("a prefill")];
    for step in &fed.steps[..fed.steps.len() - 1] {
        steps.push(pair.step(step.id).await.expect("a step"));
    }
    steps
}

/// Replays both runs, fed either one's tokens, and expects the run's own bits of the side whose tokens were fed.
async fn check(engine: &mut Engine, ids: &[u32], warm: &Schedule, cold_run: &RunTrace, warm_run: &RunTrace) {
    assert!(warm_run.reused_tokens > 0);
    let cold_fed = replay(engine, ids, warm, cold_run).await;
    let warm_fed = replay(engine, ids, warm, warm_run).await;
    let hashes = |run: &RunTrace| run.steps.iter().map(|step| step.logits_hash).collect::<Vec<_>>();
    assert_eq!(cold_fed.iter().map(|step| step.cold.hash).collect::<Vec<_>>(), hashes(cold_run));
    assert_eq!(warm_fed.iter().map(|step| step.warm.hash).collect::<Vec<_>>(), hashes(warm_run));

    let fork = cold_run.steps.iter().zip(&warm_run.steps).position(|(cold, warm)| cold.id != warm.id);
    assert_eq!(cold_fed.iter().position(|step| step.change.flipped), fork, "the first flip is the fork of the runs");
    for step in &cold_fed {
        assert_eq!(step.change.n_differing == 0, step.cold.hash == step.warm.hash, "{step:?}");
        assert!(!step.change.flipped || step.cold_gap() <= 2.0 * step.change.largest, "{step:?}");
    }
    check_margins(engine, ids, warm, cold_run, &cold_fed).await;
}

/// Margins of the last step's two largest, at every step: those of the replay's own logits.
async fn check_margins(engine: &mut Engine, ids: &[u32], warm: &Schedule, fed: &RunTrace, steps: &[PairStep]) {
    let last = steps.last().expect("a step");
    let (a, b) = (last.cold.ids[0], last.cold.ids[1]);
    let fed: Vec<u32> = fed.steps[..fed.steps.len() - 1].iter().map(|step| step.id).collect();
    let cold = Schedule::cold(ids.len(), engine.chunk_rows());
    let mut pair = Pair::new(engine).expect("two sequences");
    let margins = pair.margins(&[ids, &fed].concat(), (&cold, warm), (a, b)).await.expect("margins");
    assert_eq!(margins.len(), steps.len());
    for (margin, step) in margins.iter().zip(steps) {
        let logit = |id| step.cold.ids.iter().position(|other| *other == id).map(|i| f64::from(step.cold.values[i]));
        if let (Some(a), Some(b)) = (logit(a), logit(b)) {
            assert_eq!(margin[0], a - b, "{step:?}");
        }
    }
    let [in_cold, in_warm] = margins[margins.len() - 1];
    assert_eq!(in_cold, last.cold_gap());
    assert!((in_warm - in_cold - last.change.gap).abs() < 1e-12, "differences of f32 in f64: {in_warm}, {last:?}");
}

#[test]
fn a_replay_has_the_bits_of_the_runs() {
    pollster::block_on(async {
        let bytes = TinyModel::default().gguf_bytes();
        for (formats, order) in
            [(Formats::Int8, Order::ByShape), (Formats::Float, Order::ByShape), (Formats::Int8, Order::Invariant)]
        {
            let mut engine = engine(&bytes, formats, order).await;
            for chunk_rows in [7, 64] {
                engine.configure(Numerics::new(formats, order, chunk_rows)).await.expect("other chunks");
                let chunk_rows = engine.chunk_rows();

                let prompt = ids(75, 11);
                let cold = cold_run(&mut engine, &prompt, N_TOKENS).await;
                let warm = run(&mut engine, &prompt, N_TOKENS).await;
                check(&mut engine, &prompt, &Schedule::warm_same_prompt(75, chunk_rows), &cold, &warm).await;

                let user = "Tell me about the sea.";
                let first_ids = engine.encode(&Prompt::Chat { user: user.to_owned() }).await.expect("a prompt");
                let first = cold_run(&mut engine, &first_ids, N_TOKENS).await;
                let turn =
                    SecondTurn::new(&engine, user, &first_ids, &first, "And then?").await.expect("a second turn");
                let warm = run(&mut engine, &turn.ids, N_TOKENS).await;
                assert_eq!(warm.reused_tokens, turn.n_reused);
                let cold = cold_run(&mut engine, &turn.ids, N_TOKENS).await;
                check(&mut engine, &turn.ids, &turn.warm_schedule(chunk_rows), &cold, &warm).await;
            }
        }
    });
}

#[test]
fn every_reuse_length_is_a_schedule() {
    pollster::block_on(async {
        let bytes = TinyModel::default().gguf_bytes();
        let mut engine = engine(&bytes, Formats::Int8, Order::ByShape).await;
        let prompt = ids(70, 3);
        for reuse in [1, 15, 16, 17, 65, 69] {
            let cold = cold_run(&mut engine, &prompt, N_TOKENS).await;
            let options = RunOptions { max_tokens: N_TOKENS, max_reused_tokens: reuse };
            let warm = engine.run(&prompt, options, &CancelToken::default(), |_| ()).await.expect("a run");
            assert_eq!(warm.reused_tokens, reuse);
            let schedule = Schedule::warm(70, reuse, engine.chunk_rows());
            check(&mut engine, &prompt, &schedule, &cold, &warm).await;
        }
    });
}

#[test]
fn nothing_that_a_replay_wrote_is_reused_and_bad_requests_are_typed() {
    pollster::block_on(async {
        let bytes = TinyModel::default().gguf_bytes();
        let mut engine = engine(&bytes, Formats::Int8, Order::ByShape).await;
        let prompt = ids(40, 4);
        let schedule = Schedule::cold(40, 64);
        run(&mut engine, &prompt, 1).await;
        let mut pair = Pair::new(&mut engine).expect("two sequences");
        pair.prefill(&prompt, &schedule, &schedule).await.expect("a prefill");
        let error = pair.prefill(&prompt[..39], &schedule, &schedule).await.expect_err("another prompt's schedule");
        assert!(matches!(error, GenerateError::Schedule { n_positions: 40, n_ids: 39 }), "{error}");
        let error = pair.prefill(&[], &schedule, &schedule).await.expect_err("no prompt");
        assert!(matches!(error, GenerateError::EmptyPrompt), "{error}");
        let long = ids(256, 4);
        let error = pair.prefill(&long, &Schedule::cold(256, 64), &schedule).await.expect_err("a full context");
        assert!(matches!(error, GenerateError::PromptTooLong { n_tokens: 256, context_len: 256 }), "{error}");
        let almost = ids(255, 4);
        pair.prefill(&almost, &Schedule::cold(255, 64), &Schedule::cold(255, 64)).await.expect("room for one more");
        pair.step(5).await.expect("the last position");
        let error = pair.step(5).await.expect_err("a full context");
        assert!(matches!(error, GenerateError::PromptTooLong { context_len: 256, .. }), "{error}");
        assert_eq!(run(&mut engine, &prompt, 1).await.reused_tokens, 0);
        let error = lastbit::compare::replay::Lane::all(&mut engine, 5).expect_err("four sequences");
        assert!(matches!(error, GenerateError::Sequences { needed: 5, found: 4 }), "{error}");
    });
}
