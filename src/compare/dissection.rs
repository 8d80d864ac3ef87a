//! A fork taken apart: both runs side by side until their tokens part, then the first bit that set them apart.

use std::ops::Range;

use serde::Serialize;

use super::comparison::Scenario;
use super::flip_law::FlipLaw;
use super::origin::OriginSearch;
use super::replay::{Pair, PairStep};
use super::schedules::Schedules;
use crate::generate::{CancelToken, Engine, GenerateError, Prompt};
use crate::tokenizer::TokenId;

/// Where the two runs choose different tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct ForkStep {
    /// Number of the token, from 0.
    pub index: usize,
    /// The cold run's token.
    pub cold_id: TokenId,
    /// The warm run's token.
    pub warm_id: TokenId,
    /// Logit of the cold run's token minus logit of its second, in the cold run.
    pub cold_gap: f64,
}

/// One step of both runs, fed the same tokens. Everything in logits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct StepNoise {
    /// Largest minus second largest logit of the cold run.
    pub gap: f64,
    /// Change of the gap in the warm run.
    pub gap_change: f64,
    /// Largest change of any logit: epsilon.
    pub largest_change: f64,
    /// Logit of the fork's cold token minus logit of its warm token, in the cold run and in the warm one; none without a fork.
    pub pair_margin: Option<[f64; 2]>,
}

/// The lead of one token over another at one step, and how much noise moved it or could have. Everything in logits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct Lead {
    /// In the cold run: of the fork's cold token over its warm one; without a fork, of the best token over the second.
    pub cold: f64,
    /// Of the same two tokens, in the warm run.
    pub warm: f64,
    /// How far it moved from the one run to the other.
    pub drift: f64,
    /// Twice epsilon: no larger lead can be lost to noise of this size.
    pub two_epsilon: f64,
}

impl StepNoise {
    /// Two logits that change by at most epsilon each cannot pass each other across a gap of more than two epsilon.
    pub fn two_epsilon(&self) -> f64 {
        2.0 * self.largest_change
    }

    /// Whether no noise of this size can flip the step.
    pub fn is_safe(&self) -> bool {
        self.gap > self.two_epsilon()
    }

    /// The lead that decides: the fork's pair where there is a fork, else the two best tokens.
    pub fn lead(&self) -> Lead {
        let [cold, warm] = self.pair_margin.unwrap_or([self.gap, self.gap + self.gap_change]);
        Lead { cold, warm, drift: (warm - cold).abs(), two_epsilon: self.two_epsilon() }
    }
}

/// How far both runs are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Most tokens.
    pub max_tokens: usize,
    /// Goes on behind the fork, both runs fed the cold run's tokens: what is compared there is noise, and no longer what each would have
    /// answered.
    pub beyond_fork: bool,
}

impl Extent {
    /// Up to the fork, or so many tokens.
    pub fn to_fork(max_tokens: usize) -> Self {
        Self { max_tokens, beyond_fork: false }
    }
}

/// How far a dissection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum DissectEvent {
    /// Both runs have chosen this many tokens.
    Compared {
        /// Tokens.
        n_tokens: usize,
    },
    /// The fork's pair of tokens is looked at in every step before it.
    Margins,
    /// The first bit that differs is looked for.
    Origin,
}

/// What is known of one prompt's two runs; what a failure or a stop cut off is missing.
#[derive(Debug, Default)]
pub struct Dissection {
    /// The prompt. // [token]
    pub prompt: Vec<TokenId>,
    /// Prompt tokens that the warm run reuses.
    pub reused_tokens: usize,
    /// Positions of the prompt that each step of the cold run computes.
    pub cold_steps: Vec<Range<usize>>,
    /// The same of the warm run, with those that left its cache.
    pub warm_steps: Vec<Range<usize>>,
    /// The cold run's tokens up to the fork, or beyond, which both runs were fed. // [token]
    pub decoded: Vec<TokenId>,
    /// The step behind the prompt and those behind each of them.
    pub steps: Vec<StepNoise>,
    /// Steps of them whose logits differ in some bit.
    pub steps_with_different_logits: usize,
    /// Where the tokens first part.
    pub fork: Option<ForkStep>,
    /// The first bit that differs.
    pub search: Option<OriginSearch>,
    /// What ended it early.
    pub error: Option<GenerateError>,
    /// It was stopped.
    pub was_cancelled: bool,
}

/// Runs a prompt cold and warm side by side and looks for the origin of their difference, telling `on_event` how far it is. The engine needs two sequences; what it had cached is forgotten. An error is kept beside what was found before it.
pub async fn dissect(
    engine: &mut Engine,
    (prompt, scenario): (&Prompt, &Scenario),
    extent: Extent,
    cancel: &CancelToken,
    mut on_event: impl FnMut(DissectEvent),
) -> Dissection {
    let mut found = Dissection::default();
    if let Err(error) = run(engine, (prompt, scenario), extent, cancel, &mut on_event, &mut found).await {
        found.error = Some(error);
    }
    found
}

async fn run(
    engine: &mut Engine,
    (prompt, scenario): (&Prompt, &Scenario),
    extent: Extent,
    cancel: &CancelToken,
    on_event: &mut impl FnMut(DissectEvent),
    found: &mut Dissection,
) -> Result<(), GenerateError> {
    let Schedules { ids: prompt_ids, n_reused, cold, warm } = Schedules::new(engine, prompt, scenario).await?;
    (found.prompt, found.reused_tokens) = (prompt_ids, n_reused);
    (found.cold_steps, found.warm_steps) = (cold.steps().to_vec(), warm.steps().to_vec());
    let mut pair = Pair::new(engine)?;
    let mut step = pair.prefill(&found.prompt, &cold, &warm).await?;
    found.note(&step);
    on_event(DissectEvent::Compared { n_tokens: found.steps.len() });
    while (found.fork.is_none() || extent.beyond_fork) && found.steps.len() < extent.max_tokens {
        if found.stops(cancel) {
            return Ok(());
        }
        let id = step.cold.ids[0];
        if pair.engine.tokenizer().is_end_of_turn(id) {
            break;
        }
        step = pair.step(id).await?;
        found.decoded.push(id);
        found.note(&step);
        on_event(DissectEvent::Compared { n_tokens: found.steps.len() });
    }
    if found.stops(cancel) {
        return Ok(());
    }
    let ids = [found.prompt.as_slice(), found.decoded.as_slice()].concat();
    if let Some(fork) = &found.fork {
        on_event(DissectEvent::Margins);
        let margins = pair.margins(&ids, (&cold, &warm), (fork.cold_id, fork.warm_id)).await?;
        for (step, margin) in found.steps.iter_mut().zip(margins) {
            step.pair_margin = Some(margin);
        }
    }
    if found.stops(cancel) {
        return Ok(());
    }
    on_event(DissectEvent::Origin);
    found.search = Some(pair.origin(&ids, &cold, &warm).await?);
    Ok(())
}

impl Dissection {
    /// How likely noise of the size that these steps show flips a step, by its gap; none before the first step.
    pub fn flip_law(&self) -> Option<FlipLaw> {
        FlipLaw::fitted(&self.steps.iter().map(|step| step.gap_change).collect::<Vec<_>>())
    }

    fn stops(&mut self, cancel: &CancelToken) -> bool {
        self.was_cancelled |= cancel.is_cancelled();
        self.was_cancelled
    }

    /// Takes the step behind the tokens fed so far into account.
    fn note(&mut self, step: &PairStep) {
        self.steps.push(StepNoise {
            gap: step.cold_gap(),
            gap_change: step.change.gap,
            largest_change: step.change.largest,
            pair_margin: None,
        });
        self.steps_with_different_logits += usize::from(step.change.n_differing > 0);
        if step.change.flipped && self.fork.is_none() {
            self.fork = Some(ForkStep {
                index: self.decoded.len(),
                cold_id: step.cold.ids[0],
                warm_id: step.warm.ids[0],
                cold_gap: step.cold_gap(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_is_of_the_forks_pair_where_there_is_one_else_of_the_two_best_tokens() {
        let best = StepNoise { gap: 0.5, gap_change: -0.75, largest_change: 0.5, pair_margin: None };
        assert_eq!(best.lead(), Lead { cold: 0.5, warm: -0.25, drift: 0.75, two_epsilon: 1.0 });
        let pair = StepNoise { pair_margin: Some([-2.0, -1.5]), ..best };
        assert_eq!(pair.lead(), Lead { cold: -2.0, warm: -1.5, drift: 0.5, two_epsilon: 1.0 });
        assert_eq!([0.5, 1.0, 1.5].map(|gap| StepNoise { gap, ..best }.is_safe()), [false, false, true]);
    }
}
