//! Free runs: every run chooses its own tokens and takes from the cache what it finds.

use serde::{Deserialize, Serialize};

use super::prompts::PROMPTS;
use crate::generate::{CancelToken, Engine, GenerateError, Prompt, RunOptions};
use crate::tokenizer::TokenId;

/// What one run answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Prompt tokens that it reused.
    pub reused_tokens: usize,
    /// The tokens.
    pub ids: Vec<TokenId>,
    /// Hash of the logits of each step.
    pub hashes: Vec<String>,
}

impl Answer {
    /// Same tokens and the same bits of every logit.
    pub fn has_bits_of(&self, other: &Self) -> bool {
        self.ids == other.ids && self.hashes == other.hashes
    }

    /// Number of the first token in which two answers differ.
    pub fn fork(&self, other: &Self) -> Option<usize> {
        self.ids.iter().zip(&other.ids).position(|(a, b)| a != b)
    }
}

/// A cold run and a warm one, and the same again from an empty cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunsOutcome {
    /// From an empty cache.
    pub cold: [Answer; 2],
    /// The same prompt right after.
    pub warm: [Answer; 2],
}

/// Where cold and warm part, time after time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepeatsOutcome {
    /// Number of the first token that differs, or none.
    pub forks: Vec<Option<usize>>,
}

pub(super) async fn measure(
    engine: &mut Engine,
    prompt: usize,
    max_tokens: usize,
) -> Result<RunsOutcome, GenerateError> {
    let ids = encode(engine, prompt).await?;
    let (cold_a, warm_a) = cold_and_warm(engine, &ids, max_tokens).await?;
    let (cold_b, warm_b) = cold_and_warm(engine, &ids, max_tokens).await?;
    Ok(RunsOutcome { cold: [cold_a, cold_b], warm: [warm_a, warm_b] })
}

pub(super) async fn repeat(
    engine: &mut Engine,
    prompt: usize,
    max_tokens: usize,
    times: usize,
) -> Result<RepeatsOutcome, GenerateError> {
    let ids = encode(engine, prompt).await?;
    let mut forks = Vec::new();
    for _ in 0..times {
        let (cold, warm) = cold_and_warm(engine, &ids, max_tokens).await?;
        forks.push(cold.fork(&warm));
    }
    Ok(RepeatsOutcome { forks })
}

async fn cold_and_warm(
    engine: &mut Engine,
    ids: &[TokenId],
    max_tokens: usize,
) -> Result<(Answer, Answer), GenerateError> {
    engine.reset()?;
    Ok((run(engine, ids, max_tokens).await?, run(engine, ids, max_tokens).await?))
}

async fn run(engine: &mut Engine, ids: &[TokenId], max_tokens: usize) -> Result<Answer, GenerateError> {
    let trace = engine.run(ids, RunOptions::tokens(max_tokens), &CancelToken::default(), |_| ()).await?;
    Ok(Answer {
        reused_tokens: trace.reused_tokens,
        ids: trace.steps.iter().map(|step| step.id).collect(),
        hashes: trace.steps.iter().map(|step| hex_digits(step.logits_hash)).collect(),
    })
}

/// The ids of one of the prompts, as a chat's first message.
pub(super) async fn encode(engine: &Engine, prompt: usize) -> Result<Vec<TokenId>, GenerateError> {
    engine.encode(&Prompt::Chat { user: PROMPTS[prompt].to_owned() }).await
}

pub(super) fn hex_digits(hash: [u32; 4]) -> String {
    hash.iter().map(|word| format!("{word:08x}")).collect()
}
