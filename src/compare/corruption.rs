//! Noise or corruption: whether a warm run is further from a cold one than rounding can take it.
//!
//! Rounding has a size that can be measured: how far a cold run is from a cold run of the same tokens in finer arithmetic, in every
//! layer and tensor. Two sound runs each lie about that far from what finer arithmetic gives, so they lie within a small multiple of
//! it from each other: √2 times where their roundings have nothing in common, and less where they still have most in common. A
//! warm run that is many times further from the cold one did not get there by rounding, whatever token it chose; one that is not is no
//! evidence of a fault. Nothing is learnt from other prompts, and nothing that warm runs share with cold ones takes part in the measure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::origin::slot;
use super::replay::{Lane, Pair, Schedule};
use crate::generate::{Engine, GenerateError, LastRun};
use crate::gpu::step::Top;
use crate::model::{KvSlot, Outputs, TapRun, TapTensor, TappedRow};
use crate::numerics::{Formats, Numerics, Order};
use crate::tokenizer::TokenId;

/// How many times the rounding a difference must be to be no rounding. Measured on SmolLM2 on lavapipe (experiment E16, 10 prompts): of 20
/// sound pairs each, none is over 2.16 times in int8 and 2.27 in f32 activations; the least of the twenty faults is first named at 4.46.
const CORRUPT_FROM: f64 = 4.0;

/// The same where the run's own arithmetic is f32 and no finer one is there to measure by. Its rounding is then how far two orders happen to
/// be apart, which at some place is very little: 19 of 20 sound pairs are under 2.7 times, one is 6.4 times there; the least fault is 130,000 times.
const CORRUPT_FROM_IN_F32: f64 = 100.0;

/// Positions of which every tensor is looked at: the prompt's last and the next.
const MOST_TAPPED: usize = 4;

/// Ratios are told up to here: records hold finite numbers.
const MOST_TIMES: f64 = 1e9;

/// A row of a tensor. In the order in which execution comes by, as far as layers and tensors go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// From 0; behind every layer for the logits.
    layer: u32,
    tensor: TapTensor,
    position: usize,
}

impl Place {
    fn new(layer: Option<u32>, tensor: TapTensor, position: usize) -> Self {
        Self { layer: layer.unwrap_or(u32::MAX), tensor, position }
    }
}

/// What rounding makes of a cold run.
#[derive(Debug, Clone)]
pub struct Rounding {
    distances: Distances,
    corrupt_from: f64,
}

/// What a run computed. // [place] row of its tensor
type Values = BTreeMap<Place, Vec<f32>>;

/// Root mean square of the differences of two runs' values, by place.
#[derive(Debug, Clone, Default)]
pub struct Distances(BTreeMap<Place, f64>);

impl Distances {
    /// At every place where both runs have values.
    fn between(a: &Values, b: &Values) -> Self {
        Self(a.iter().filter_map(|(place, a)| Some((*place, root_mean_square(a, b.get(place)?)))).collect())
    }

    /// The larger of the two at every place.
    fn widen(&mut self, other: Self) {
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

/// What a cold run computed, kept to measure its rounding by.
#[derive(Debug, Clone)]
pub struct ColdRun {
    ids: Vec<TokenId>, // the prompt's, then those decoded
    schedule: Schedule,
    values: Values,
}

/// A cold and a warm run of the same tokens.
#[derive(Debug, Clone)]
pub struct Watched {
    /// The cold run.
    pub cold: ColdRun,
    /// How far the warm one is from it.
    pub apart: Distances,
}

/// What a difference is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Judgement {
    /// Nowhere more than rounding makes.
    Noise {
        /// Largest ratio of a distance to the rounding at its place.
        times_rounding: f64,
    },
    /// More than rounding makes, here first, where a layer's tensors are looked at in order of execution.
    Corrupt {
        /// Layer, from 0; none for the logits.
        layer: Option<u32>,
        /// Which tensor.
        tensor: TapTensor,
        /// Position in the sequence.
        position: usize,
        /// Ratio of the distance to the rounding.
        times_rounding: f64,
    },
}

impl Judgement {
    /// Of a warm run this far apart from a cold one, whose rounding is this large.
    pub fn of(apart: &Distances, rounding: &Rounding) -> Self {
        let mut most = 0.0_f64;
        for (&Place { layer, tensor, position }, &distance) in &apart.0 {
            let here = rounding.distances.0.get(&Place { layer, tensor, position }).copied().unwrap_or(0.0);
            let times_rounding = if distance == 0.0 { 0.0 } else { (distance / here).min(MOST_TIMES) };
            if times_rounding >= rounding.corrupt_from {
                let layer = (layer != u32::MAX).then_some(layer);
                return Self::Corrupt { layer, tensor, position, times_rounding };
            }
            most = most.max(times_rounding);
        }
        Self::Noise { times_rounding: most }
    }

    /// It in words.
    pub fn words(&self) -> String {
        match self {
            Self::Noise { times_rounding: 0.0 } => "noise: both are the same in every bit".to_owned(),
            Self::Noise { times_rounding } => {
                format!("noise: nowhere further apart than {times_rounding:.2} times the rounding of the formats")
            }
            Self::Corrupt { layer, tensor, position, times_rounding } => {
                let place = layer.map_or(String::new(), |layer| format!("layer {layer}, "));
                let tensor = tensor.name();
                format!(
                    "corrupt: {place}{tensor} of position {position} is {times_rounding:.0} times the rounding of the formats away"
                )
            }
        }
    }

    /// Whether it is corruption.
    pub fn is_corrupt(&self) -> bool {
        matches!(self, Self::Corrupt { .. })
    }
}

/// How far each cold run is from itself in finer arithmetic: f32 everywhere, in the order of few rows and in that of many, the larger
/// distance of the two. Where the run's own arithmetic is f32, what is left is the order. The engine's numerics are as before when this
/// returns; what it had cached is forgotten.
///
/// # Errors
/// GPU errors; those of [`Engine::configure`].
pub async fn rounding(engine: &mut Engine, runs: &[&ColdRun]) -> Result<Vec<Rounding>, GenerateError> {
    let own = *engine.numerics();
    let measured = distances_to_finer(engine, &own, runs).await;
    engine.configure(own).await?;
    let finest = Numerics::new(Formats::F32, Order::ByShape, own.chunk_rows);
    let formats = |numerics: &Numerics| (numerics.decode, numerics.prefill, numerics.k, numerics.v);
    let corrupt_from = if formats(&own) == formats(&finest) { CORRUPT_FROM_IN_F32 } else { CORRUPT_FROM };
    Ok(measured?.into_iter().map(|distances| Rounding { distances, corrupt_from }).collect())
}

async fn distances_to_finer(
    engine: &mut Engine,
    own: &Numerics,
    runs: &[&ColdRun],
) -> Result<Vec<Distances>, GenerateError> {
    let mut all = vec![Distances::default(); runs.len()];
    for order in [Order::Vector, Order::Tiled] {
        let finer = Numerics { weights: own.weights, ..Numerics::new(Formats::F32, order, own.chunk_rows) };
        engine.configure(finer).await?;
        for (distances, run) in all.iter_mut().zip(runs) {
            let finer = Pair::new(engine)?.cold_run(&run.ids, &run.schedule).await?;
            distances.widen(Distances::between(&run.values, &finer.values));
        }
    }
    Ok(all)
}

/// Judges the K and V that an engine's last run worked with, all positions of its sequence, just as the cache holds them: against a cold
/// run of the same tokens. None where there is no such run any more. What the engine had cached is forgotten.
///
/// # Errors
/// Those of [`rounding`]; an engine that was set up for fewer than two sequences.
pub async fn judge_last_run(engine: &mut Engine, n_prompt: usize) -> Result<Option<Judgement>, GenerateError> {
    let Some(LastRun { ids, slots }) = engine.last_run().cloned() else { return Ok(None) };
    let mut values = Values::new();
    cached_values(engine, &slots, &mut values).await?;
    let schedule = Schedule::cold(n_prompt.min(ids.len()), engine.chunk_rows());
    let cold = Pair::new(engine)?.cold_run(&ids, &schedule).await?;
    let rounding = rounding(engine, &[&cold]).await?;
    Ok(Some(Judgement::of(&Distances::between(&cold.values, &values), &rounding[0])))
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
    /// Runs a prompt cold and warm and measures how far the two are apart: in every tensor of the prompt's last position and of a few
    /// decoded ones, and in all that is cached.
    ///
    /// `before_warm` is called when the warm run's cache is as the earlier run left it, and `around_warm` with true before and false
    /// after each of the warm run's own steps: this is where faults are put in.
    ///
    /// # Errors
    /// As [`Pair::prefill`]; logits that are not finite.
    pub async fn watch(
        &mut self,
        (ids, cold, warm): (&[TokenId], &Schedule, &Schedule),
        before_warm: impl AsyncFnOnce(&mut Engine, WarmState<'_>) -> Result<(), GenerateError>,
        mut around_warm: impl FnMut(&mut Engine, bool),
    ) -> Result<Watched, GenerateError> {
        self.engine.check_prompt(ids)?;
        let (cold_lane, warm_lane) = (self.cold, self.warm);
        self.steps_before_last(warm_lane, ids, warm).await?;
        before_warm(self.engine, WarmState { lane: warm_lane, ids }).await?;
        self.steps_before_last(cold_lane, ids, cold).await?;

        let (mut ids, mut cold_values, mut warm_values) = (ids.to_vec(), Values::new(), Values::new());
        let mut steps = [cold, warm].map(|schedule| schedule.steps().last().map_or(0, |step| step.start));
        for tapped in 1..=MOST_TAPPED {
            let top = self.watched_step(cold_lane, &ids, steps[0], &mut cold_values).await?;
            around_warm(self.engine, true);
            let warm_step = self.watched_step(warm_lane, &ids, steps[1], &mut warm_values).await;
            around_warm(self.engine, false);
            warm_step?;
            if tapped == MOST_TAPPED || self.ends_turn(top.ids[0]) {
                break;
            }
            steps = [ids.len(); 2];
            ids.push(top.ids[0]);
        }
        self.n_positions = ids.len();
        for (lane, values) in [(cold_lane, &mut cold_values), (warm_lane, &mut warm_values)] {
            let slots: Vec<KvSlot> = (0..ids.len()).map(|position| slot(&lane, position)).collect();
            cached_values(self.engine, &slots, values).await?;
        }
        let apart = Distances::between(&cold_values, &warm_values);
        Ok(Watched { cold: ColdRun { ids, schedule: cold.clone(), values: cold_values }, apart })
    }

    /// Runs a prompt cold by a schedule, then the rest of `ids` one by one, and keeps what [`Pair::watch`] looks at.
    async fn cold_run(&mut self, ids: &[TokenId], schedule: &Schedule) -> Result<ColdRun, GenerateError> {
        let lane = self.cold;
        let mut values = Values::new();
        let n_prompt = schedule.n_positions();
        self.steps_before_last(lane, &ids[..n_prompt], schedule).await?;
        let mut from = schedule.steps().last().map_or(0, |step| step.start);
        for end in n_prompt..=ids.len() {
            if end < n_prompt + MOST_TAPPED {
                self.watched_step(lane, &ids[..end], from, &mut values).await?;
            } else {
                self.engine.pass().forward(&lane.rows(from, &ids[from..end]), Outputs::None).await?;
            }
            from = end;
        }
        self.n_positions = ids.len();
        let slots: Vec<KvSlot> = (0..ids.len()).map(|position| slot(&lane, position)).collect();
        cached_values(self.engine, &slots, &mut values).await?;
        Ok(ColdRun { ids: ids.to_vec(), schedule: schedule.clone(), values })
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
async fn cached_values(engine: &mut Engine, slots: &[KvSlot], values: &mut Values) -> Result<(), GenerateError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn distances(of: &[(Option<u32>, TapTensor, f32)]) -> Distances {
        let values = |sign: f32| -> Values {
            let row = |by: f32| vec![1.0 + sign * by, 2.0 - sign * by];
            of.iter().map(|(layer, tensor, by)| (Place::new(*layer, *tensor, 7), row(*by))).collect()
        };
        Distances::between(&values(0.0), &values(1.0))
    }

    #[test]
    fn a_difference_is_judged_by_the_rounding_of_its_own_place() {
        let measured = distances(&[
            (Some(0), TapTensor::K, 0.125),
            (Some(9), TapTensor::K, 1.0),
            (None, TapTensor::Logits, 0.5),
            (Some(1), TapTensor::V, 0.0),
        ]);
        let rounding = Rounding { distances: measured, corrupt_from: 4.0 };
        let small = distances(&[(Some(0), TapTensor::K, 0.25), (Some(9), TapTensor::K, 1.0)]);
        assert_eq!(Judgement::of(&small, &rounding), Judgement::Noise { times_rounding: 2.0 });
        // As large as layer 9's noise, in layer 0: a fault there; and it is named before what follows from it.
        let large =
            distances(&[(None, TapTensor::Logits, 9.0), (Some(9), TapTensor::K, 9.0), (Some(0), TapTensor::K, 1.0)]);
        let corrupt = Judgement::Corrupt { layer: Some(0), tensor: TapTensor::K, position: 7, times_rounding: 8.0 };
        assert_eq!(Judgement::of(&large, &rounding), corrupt);
        // Where nothing was rounded, any difference is too large; and so is what is no number.
        let is_corrupt = |of: &[_]| Judgement::of(&distances(of), &rounding).is_corrupt();
        assert!(is_corrupt(&[(Some(1), TapTensor::V, 1e-6)]));
        assert!(is_corrupt(&[(Some(9), TapTensor::K, f32::NAN)]));
        assert!(!is_corrupt(&[(Some(1), TapTensor::V, 0.0)]));
        // Where the rounding is known less well, less is called a fault.
        let rounding = Rounding { corrupt_from: 10.0, ..rounding };
        assert_eq!(
            Judgement::of(&large, &rounding),
            Judgement::Corrupt { times_rounding: 18.0, layer: None, tensor: TapTensor::Logits, position: 7 }
        );
    }

    #[test]
    fn the_wider_of_two_roundings_counts() {
        let mut wide = distances(&[(Some(0), TapTensor::K, 1.0)]);
        wide.widen(distances(&[(Some(0), TapTensor::K, 0.5), (Some(1), TapTensor::K, 2.0)]));
        assert_eq!(wide.0.values().copied().collect::<Vec<_>>(), [1.0, 2.0]);
    }
}
