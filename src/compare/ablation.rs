//! Which site's order of addition causes the difference between a cold and a warm run, found by changing one site at a time.
//!
//! Two questions about one prompt. Beginning with every site by shape: which sites, made invariant, give equal bits again? And
//! beginning with every site invariant: which sites, made by shape, are enough to make the bits differ? Every case is a cold and a
//! warm run of its own under its own orders; nothing is compared across cases.

use serde::Serialize;

use super::replay::Pair;
use super::schedules::Schedules;
use crate::generate::{CancelToken, Engine, GenerateError};
use crate::numerics::{Numerics, Order, Orders, Site};

/// Sites that are changed together: each alone, what belongs together, and all.
const GROUPS: [(&str, &[Site]); 10] = [
    ("attn_qkv", &[Site::AttnQkv]),
    ("attention", &[Site::Attention]),
    ("attn_output", &[Site::AttnOutput]),
    ("ffn_gate_up", &[Site::FfnGateUp]),
    ("ffn_down", &[Site::FfnDown]),
    ("output", &[Site::Output]),
    ("attention block", &[Site::AttnQkv, Site::Attention, Site::AttnOutput]),
    ("feed-forward", &[Site::FfnGateUp, Site::FfnDown]),
    ("all matrix products", &[Site::AttnQkv, Site::AttnOutput, Site::FfnGateUp, Site::FfnDown, Site::Output]),
    ("all", &Site::ALL),
];

/// How a cold and a warm run went under some orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "AblationOutcome"))]
#[serde(rename_all = "snake_case")]
pub struct Outcome {
    /// The first step of which some logit's bits differ; none where all are equal.
    pub first_differing: Option<usize>,
    /// The first step at which the two runs choose different tokens; none where they are the same.
    pub fork: Option<usize>,
    /// Steps compared.
    pub n_steps: usize,
}

impl Outcome {
    /// No bit of any logit differs.
    pub fn is_bit_identical(&self) -> bool {
        self.first_differing.is_none()
    }
}

/// One group of sites changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct AblationCase {
    /// What the group is called.
    pub group: &'static str,
    /// Its sites.
    pub sites: &'static [Site],
    /// Everything by shape, but these sites invariant: what is left.
    pub made_invariant: Outcome,
    /// Everything invariant, but these sites by shape: what they cause.
    pub made_by_shape: Outcome,
}

/// The whole ablation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct Ablation {
    /// Everything by shape.
    pub by_shape: Outcome,
    /// Everything invariant.
    pub invariant: Outcome,
    /// Each group changed.
    pub cases: Vec<AblationCase>,
}

impl Ablation {
    /// Single sites that alone make the bits differ.
    pub fn enough_to_cause(&self) -> impl Iterator<Item = &AblationCase> {
        self.cases.iter().filter(|case| case.sites.len() == 1 && !case.made_by_shape.is_bit_identical())
    }

    /// Of these, the sites from which a fork follows.
    pub fn enough_to_fork(&self) -> impl Iterator<Item = &AblationCase> {
        self.enough_to_cause().filter(|case| case.made_by_shape.fork.is_some())
    }

    /// Groups whose order, made invariant, gives equal bits though the rest stays by shape; smallest first.
    pub fn enough_to_remove(&self) -> impl Iterator<Item = &AblationCase> {
        let mut found: Vec<_> = self.cases.iter().filter(|case| case.made_invariant.is_bit_identical()).collect();
        found.sort_by_key(|case| case.sites.len());
        found.into_iter()
    }

    /// Every group was looked at: nobody stopped it.
    pub fn is_complete(&self) -> bool {
        self.cases.len() == GROUPS.len()
    }

    /// The finding in a sentence or two.
    pub fn sentence(&self) -> String {
        if self.by_shape.is_bit_identical() {
            return "Cold and warm have the same bits with every site by shape: there is nothing to take away."
                .to_owned();
        }
        if !self.is_complete() {
            let (looked_at, of) = (self.cases.len(), GROUPS.len());
            return format!("Stopped after {looked_at} of {of} groups of sites: nothing can be concluded yet.");
        }
        let list = |names: Vec<&str>| if names.is_empty() { "no single site".to_owned() } else { names.join(", ") };
        let causes = list(self.enough_to_cause().map(|case| case.group).collect());
        let forks = list(self.enough_to_fork().map(|case| case.group).collect());
        let removes = self.enough_to_remove().next().map_or("nothing tried", |case| case.group);
        format!(
            "By shape, each alone makes the bits differ: {causes}; of these a fork follows from: {forks}. To make the bits equal again, \
             invariant order is needed at: {removes}."
        )
    }
}

/// Runs the ablation on a prompt, each case up to `max_tokens` tokens or its fork; the engine's numerics are put back when it ends.
///
/// `on_case` hears how many of how many cases are done. A stop leaves out the groups that were not looked at in full; none is returned
/// where it came before there was anything to hold them against.
///
/// # Errors
/// As [`outcome_under`].
pub async fn ablation(
    engine: &mut Engine,
    schedules: &Schedules,
    max_tokens: usize,
    cancel: &CancelToken,
    mut on_case: impl FnMut(usize, usize),
) -> Result<Option<Ablation>, GenerateError> {
    let n_cases = 2 + 2 * GROUPS.len();
    let mut n_done = 0;
    let mut outcome = async |orders: Orders| {
        let outcome = outcome_under(engine, schedules, orders, max_tokens, cancel).await?;
        if outcome.is_some() {
            n_done += 1;
            on_case(n_done, n_cases);
        }
        Ok::<_, GenerateError>(outcome)
    };
    let (all_by_shape, all_invariant) = (Orders::all(Order::ByShape), Orders::all(Order::Invariant));
    let Some(by_shape) = outcome(all_by_shape).await? else { return Ok(None) };
    let Some(invariant) = outcome(all_invariant).await? else { return Ok(None) };
    let mut ablation = Ablation { by_shape, invariant, cases: Vec::new() };
    for (group, sites) in GROUPS {
        let Some(made_invariant) = outcome(all_by_shape.with_all(sites, Order::Invariant)).await? else { break };
        let Some(made_by_shape) = outcome(all_invariant.with_all(sites, Order::ByShape)).await? else { break };
        ablation.cases.push(AblationCase { group, sites, made_invariant, made_by_shape });
    }
    Ok(Some(ablation))
}

/// One cold and one warm run of a prompt under `orders`, up to `max_tokens` tokens or the fork; none where they were stopped. The
/// engine's numerics are put back however it ends.
///
/// # Errors
/// As [`Engine::configure`], [`Pair::prefill`] and [`Pair::step`].
pub async fn outcome_under(
    engine: &mut Engine,
    schedules: &Schedules,
    orders: Orders,
    max_tokens: usize,
    cancel: &CancelToken,
) -> Result<Option<Outcome>, GenerateError> {
    let before = *engine.numerics();
    engine.configure(Numerics { orders, ..before }).await?;
    let outcome = replay(engine, schedules, max_tokens, cancel).await;
    engine.configure(before).await?;
    outcome
}

/// One cold and one warm run under the engine's orders, fed the cold run's tokens, up to the fork; none where it was stopped.
async fn replay(
    engine: &mut Engine,
    schedules: &Schedules,
    max_tokens: usize,
    cancel: &CancelToken,
) -> Result<Option<Outcome>, GenerateError> {
    if cancel.is_cancelled() {
        return Ok(None);
    }
    let mut outcome = Outcome { first_differing: None, fork: None, n_steps: 0 };
    let mut pair = Pair::new(engine)?;
    let mut step = pair.prefill(&schedules.ids, &schedules.cold, &schedules.warm).await?;
    while !cancel.is_cancelled() {
        if step.change.n_differing > 0 && outcome.first_differing.is_none() {
            outcome.first_differing = Some(outcome.n_steps);
        }
        if step.change.flipped {
            outcome.fork = Some(outcome.n_steps);
        }
        outcome.n_steps += 1;
        let id = step.cold.ids[0];
        if outcome.fork.is_some() || outcome.n_steps >= max_tokens || pair.ends_turn(id) {
            return Ok(Some(outcome));
        }
        step = pair.step(id).await?;
    }
    Ok(None)
}
