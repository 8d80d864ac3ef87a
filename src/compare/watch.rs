//! What a cold and a warm run of the same tokens held, place by place, and how far the two are apart.

use std::collections::BTreeMap;

use super::origin::slot;
use super::replay::{Lane, Pair, Schedule};
use crate::generate::{Engine, GenerateError};
use crate::gpu::step::Top;
use crate::model::{KvSlot, Outputs, TapRun, TapTensor, TappedRow};
use crate::tokenizer::TokenId;

/// Positions of which every tensor is looked at: the prompt's last and the next.
const MOST_TAPPED: usize = 4;

/// A row of a tensor. In the order in which execution comes by, as far as layers and tensors go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// From 0; behind every layer for the logits.
    pub(super) layer: u32,
    pub(super) tensor: TapTensor,
    pub(super) position: usize,
}

impl Place {
    pub(super) fn new(layer: Option<u32>, tensor: TapTensor, position: usize) -> Self {
        Self { layer: layer.unwrap_or(u32::MAX), tensor, position }
    }
}

/// What a run computed. // [place] row of its tensor
pub(super) type Values = BTreeMap<Place, Vec<f32>>;

/// Root mean square of the differences of two runs' values, by place.
#[derive(Debug, Clone, Default)]
pub struct Distances(pub(super) BTreeMap<Place, f64>);

impl Distances {
    /// At every place where both runs have values.
    pub(super) fn between(a: &Values, b: &Values) -> Self {
        Self(a.iter().filter_map(|(place, a)| Some((*place, root_mean_square(a, b.get(place)?)))).collect())
    }

    /// The larger of the two at every place.
    pub(super) fn widen(&mut self, other: Self) {
        for (place, distance) in other.0 {
            let widest = self.0.entry(place).or_insert(distance);
            *widest = widest.max(distance);
        }
    }
}

/// Of the differences of two rows. What is not a number is further than anything.
fn root_mean_square(a: &[f32], b: &[f32]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2));
    let root = (squares.sum::<f64>() / a.len() as f64).sqrt();
    if root.is_nan() { f64::INFINITY } else { root }
}

/// What a cold run computed, kept to hold warm runs against and to measure its rounding by.
#[derive(Debug, Clone)]
pub struct ColdRun {
    pub(super) ids: Vec<TokenId>, // the prompt's, then those decoded
    pub(super) schedule: Schedule,
    pub(super) values: Values,
}

/// A warm run whose cache is as an earlier run left it, before its own steps.
#[derive(Debug, Clone, Copy)]
pub struct WarmState<'a> {
    /// Its sequence.
    pub lane: Lane,
    /// The prompt.
    pub ids: &'a [TokenId],
}

impl WarmState<'_> {
    /// Where the cache holds a position.
    pub fn slot(&self, position: usize) -> KvSlot {
        slot(&self.lane, position)
    }
}

impl Pair<'_> {
    /// Runs a prompt cold, decodes a few tokens, and keeps what every tensor of the prompt's last position and of theirs held, and all that
    /// is cached.
    ///
    /// # Errors
    /// As [`Pair::prefill`]; logits that are not finite.
    pub async fn watch_cold(&mut self, prompt: &[TokenId], schedule: &Schedule) -> Result<ColdRun, GenerateError> {
        self.engine.check_prompt(prompt)?;
        let lane = self.cold;
        let (mut ids, mut values) = (prompt.to_vec(), Values::new());
        self.steps_before_last(lane, &ids, schedule).await?;
        let mut from = schedule.steps().last().map_or(0, |step| step.start);
        for tapped in 1..=MOST_TAPPED {
            let top = self.watched_step(lane, &ids, from, &mut values).await?;
            if tapped == MOST_TAPPED || self.ends_turn(top.ids[0]) {
                break;
            }
            from = ids.len();
            ids.push(top.ids[0]);
        }
        self.cached(lane, ids.len(), &mut values).await?;
        Ok(ColdRun { ids, schedule: schedule.clone(), values })
    }

    /// Runs the tokens of a cold run warm, and measures how far it is from that in all that was kept of it.
    ///
    /// `before_warm` is called when the warm run's cache is as the earlier run left it, and `around_warm` with true before and false
    /// after each of the warm run's own steps: this is where faults are put in.
    ///
    /// # Errors
    /// As [`Pair::prefill`]; logits that are not finite.
    pub async fn watch_warm(
        &mut self,
        cold: &ColdRun,
        schedule: &Schedule,
        before_warm: impl AsyncFnOnce(&mut Engine, WarmState<'_>) -> Result<(), GenerateError>,
        around_warm: impl FnMut(&mut Engine, bool),
    ) -> Result<Distances, GenerateError> {
        let (lane, n_prompt) = (self.warm, schedule.n_positions());
        self.steps_before_last(lane, &cold.ids[..n_prompt], schedule).await?;
        before_warm(self.engine, WarmState { lane, ids: &cold.ids[..n_prompt] }).await?;
        let warm_values = self.last_steps(lane, &cold.ids, schedule, around_warm).await?;
        Ok(Distances::between(&cold.values, &warm_values))
    }

    /// Runs a prompt cold by a schedule, then the rest of `ids` one by one, and keeps what [`Pair::watch_cold`] keeps.
    pub(super) async fn cold_run(&mut self, ids: &[TokenId], schedule: &Schedule) -> Result<ColdRun, GenerateError> {
        let lane = self.cold;
        self.steps_before_last(lane, &ids[..schedule.n_positions()], schedule).await?;
        let values = self.last_steps(lane, ids, schedule, |_, _| {}).await?;
        Ok(ColdRun { ids: ids.to_vec(), schedule: schedule.clone(), values })
    }

    /// The last step of a prompt's schedule, then the rest of `ids` one by one: what the first of them, and the cache behind them, held.
    async fn last_steps(
        &mut self,
        lane: Lane,
        ids: &[TokenId],
        schedule: &Schedule,
        mut around: impl FnMut(&mut Engine, bool),
    ) -> Result<Values, GenerateError> {
        let (n_prompt, mut values) = (schedule.n_positions(), Values::new());
        let mut from = schedule.steps().last().map_or(0, |step| step.start);
        for end in n_prompt..=ids.len() {
            around(self.engine, true);
            let step = if end < n_prompt + MOST_TAPPED {
                self.watched_step(lane, &ids[..end], from, &mut values).await.map(|_| ())
            } else {
                let rows = lane.rows(from, &ids[from..end]);
                self.engine.pass().forward(&rows, Outputs::None).await.map(|_| ()).map_err(GenerateError::from)
            };
            around(self.engine, false);
            step?;
            from = end;
        }
        self.cached(lane, ids.len(), &mut values).await?;
        Ok(values)
    }

    /// Adds what the cache holds of a run's positions.
    async fn cached(&mut self, lane: Lane, n_positions: usize, values: &mut Values) -> Result<(), GenerateError> {
        self.n_positions = n_positions;
        let slots: Vec<KvSlot> = (0..n_positions).map(|position| slot(&lane, position)).collect();
        cached_values(self.engine, &slots, values).await
    }

    /// All steps of a schedule but the last.
    async fn steps_before_last(
        &mut self,
        lane: Lane,
        ids: &[TokenId],
        schedule: &Schedule,
    ) -> Result<(), GenerateError> {
        let (_, before) = schedule.steps().split_last().ok_or(GenerateError::EmptyPrompt)?;
        for step in before {
            self.engine.pass().forward(&lane.rows(step.start, &ids[step.clone()]), Outputs::None).await?;
        }
        Ok(())
    }

    /// The ids from position `from` on in one step; keeps what the last position's tensors held, but for those that stay in the cache.
    async fn watched_step(
        &mut self,
        lane: Lane,
        ids: &[TokenId],
        from: usize,
        values: &mut Values,
    ) -> Result<Top, GenerateError> {
        let rows = lane.rows(from, &ids[from..]);
        let row = u32::try_from(rows.len() - 1).expect("a step is at most MAX_ROWS rows");
        let tapped = TappedRow { row, run: TapRun::First };
        let (tops, _) = self.engine.pass().forward_tapped(&rows, Outputs::Last, tapped).await?;
        keep_tape(self.engine, ids.len() - 1, false, values).await?;
        Ok(tops[0])
    }
}

/// K and V of the positions from 0 on, as these slots of the cache hold them.
pub(super) async fn cached_values(
    engine: &mut Engine,
    slots: &[KvSlot],
    values: &mut Values,
) -> Result<(), GenerateError> {
    for (position, slot) in slots.iter().enumerate() {
        engine.pass().tap_cached(*slot, TapRun::First).await?;
        keep_tape(engine, position, true, values).await?;
    }
    Ok(())
}

/// Keeps what was last tapped of one position: the tensors that are cached, or all others.
async fn keep_tape(
    engine: &mut Engine,
    position: usize,
    cached: bool,
    values: &mut Values,
) -> Result<(), GenerateError> {
    let tape = engine.pass().tape(TapRun::First).await?;
    let rows = tape.rows().filter(|(_, tensor, _)| is_cached(*tensor) == cached);
    values.extend(rows.map(|(layer, tensor, row)| (Place::new(layer, tensor, position), row.to_vec())));
    Ok(())
}

/// Tensors that stay in the cache, where every position can be tapped.
fn is_cached(tensor: TapTensor) -> bool {
    matches!(tensor, TapTensor::K | TapTensor::V)
}
