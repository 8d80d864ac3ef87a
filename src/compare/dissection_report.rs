//! A dissection as plain data: what the page shows and the command line prints as JSON.

use std::ops::Range;

use serde::Serialize;

use super::dissection::{Dissection, ForkStep, Lead, StepNoise};
use super::kv_map::KvMap;
use super::origin::Origin;
use crate::cache::BLOCK_TOKENS;
use crate::error::{Explained, explain};
use crate::tokenizer::TokenId;

/// How likely noise of the size that was measured flips each step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct FlipRisk {
    /// Root mean square of the gap's change, in logits.
    pub spread: f64,
    /// Chance of a flip, by the gap of the cold run. // [step]
    pub per_step: Vec<f64>,
}

/// A dissection as plain data.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Dissection"))]
#[serde(rename_all = "snake_case")]
pub struct DissectionReport<'a> {
    /// The prompt. // [token]
    pub prompt_ids: &'a [TokenId],
    /// Prompt tokens that the warm run reuses.
    pub reused_tokens: usize,
    /// Positions of one cache block.
    pub block_tokens: usize,
    /// Positions of the prompt that each step of the cold run computes.
    pub cold_steps: &'a [Range<usize>],
    /// The same of the warm run, with those that left its cache.
    pub warm_steps: &'a [Range<usize>],
    /// The cold run's tokens up to the fork, or beyond, which both runs were fed. // [token]
    pub decoded_ids: &'a [TokenId],
    /// Steps whose logits differ in some bit.
    pub steps_with_different_logits: usize,
    /// The step behind the prompt and those behind each decoded token.
    pub steps: &'a [StepNoise],
    /// The lead at each of these steps: of the fork's pair where there is a fork, else of the two best tokens. // [step]
    pub leads: Vec<Lead>,
    /// None before the first step.
    pub flip_risk: Option<FlipRisk>,
    /// Where the tokens first part; none where they do not.
    pub fork: Option<ForkStep>,
    /// The first value of which some bit differs; none where there is none, and where it was not looked for.
    pub origin: Option<&'a Origin>,
    /// The origin in one sentence; none where it was not looked for.
    pub sentence: Option<String>,
    /// How far the caches are apart, by layer and position; none where that was not looked at.
    pub kv_map: Option<&'a KvMap>,
    /// What ended it early.
    pub error: Option<Explained>,
    /// It was stopped.
    pub was_cancelled: bool,
}

impl Dissection {
    /// The origin in one sentence; none where it was not looked for. Equal bits of a warm run that reused nothing prove nothing.
    pub fn sentence(&self) -> Option<String> {
        let search = self.search.as_ref()?;
        Some(match (&search.origin, self.reused_tokens) {
            (None, 0) => "none: the warm run reused nothing, so nothing was put to the test".to_owned(),
            _ => search.sentence(),
        })
    }

    /// It as plain data.
    pub fn report(&self) -> DissectionReport<'_> {
        let per_step =
            |law: &super::flip_law::FlipLaw| self.steps.iter().map(|step| law.flip_chance(step.gap)).collect();
        DissectionReport {
            prompt_ids: &self.prompt,
            reused_tokens: self.reused_tokens,
            block_tokens: BLOCK_TOKENS,
            cold_steps: &self.cold_steps,
            warm_steps: &self.warm_steps,
            decoded_ids: &self.decoded,
            steps_with_different_logits: self.steps_with_different_logits,
            steps: &self.steps,
            leads: self.steps.iter().map(StepNoise::lead).collect(),
            flip_risk: self.flip_law().map(|law| FlipRisk { spread: law.spread, per_step: per_step(&law) }),
            fork: self.fork,
            origin: self.search.as_ref().and_then(|search| search.origin.as_ref()),
            sentence: self.sentence(),
            kv_map: self.search.as_ref().map(|search| &search.kv),
            error: self.error.as_ref().map(explain),
            was_cancelled: self.was_cancelled,
        }
    }
}
