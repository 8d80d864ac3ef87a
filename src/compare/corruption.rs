//! Noise or corruption: whether what sets a warm run apart from a cold one is as small as this device's own rounding makes it.
//!
//! Rounding noise has a floor of its own in every layer and tensor: tiny where nothing has been rounded yet, large behind thirty layers
//! of int8. A [`NoiseFloor`] is measured on this device from pairs of runs that are known to be sound. A difference many times above the
//! floor of its own place is not noise, whatever token it leads to; and one below it everywhere is no evidence of a fault.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::origin::slot;
use super::replay::{Lane, Pair, Schedule};
use crate::generate::{Engine, GenerateError};
use crate::model::{KvLayerDifferences, KvSlot, Outputs, Tap, TapRun, TapTensor, TappedRow};
use crate::tokenizer::TokenId;

/// How many times its floor a difference must be to be no noise. Measured on SmolLM2 in int8 on lavapipe, learnt from ten pairs: the
/// gentlest fault of E16 (scores a tenth too large in one layer) is 2.6 times its floor, but of 20 sound pairs of other prompts seven
/// pass it somewhere too, by up to 70 times, where no pair learnt from had crossed a rounding boundary. No verdict rests on this yet.
const CORRUPT_FROM: f64 = 2.5;

/// Ratios are told up to here: records hold finite numbers.
const MOST_TIMES: f64 = 1e9;

/// A tensor of a layer; the logits belong to none.
type Place = (Option<u32>, TapTensor);

/// Differences of one warm run from its cold one: the prompt's last position and some decoded ones, and everything that is cached.
#[derive(Debug, Clone, Default)]
pub struct Measured {
    largest: BTreeMap<Place, Largest>,
}

#[derive(Debug, Clone, Copy)]
struct Largest {
    absolute: f64,
    position: usize,
}

impl Measured {
    fn note(&mut self, place: Place, position: usize, absolute: f32) {
        let absolute = f64::from(absolute);
        let largest = self.largest.entry(place).or_insert(Largest { absolute, position });
        // What is not a number is above every floor.
        if absolute.is_nan() || absolute > largest.absolute {
            *largest = Largest { absolute: if absolute.is_nan() { f64::INFINITY } else { absolute }, position };
        }
    }

    fn note_taps(&mut self, taps: &[Tap], position: usize) {
        for tap in taps {
            if let Some(difference) = tap.difference {
                self.note((tap.layer, tap.tensor), position, difference.largest_absolute);
            }
        }
    }

    fn note_cache(&mut self, layers: &[KvLayerDifferences]) {
        for (layer, of) in (0..).zip(layers) {
            for (tensor, side) in [(TapTensor::K, &of.k), (TapTensor::V, &of.v)] {
                for (position, difference) in side.iter().enumerate() {
                    self.note((Some(layer), tensor), position, difference.largest_absolute);
                }
            }
        }
    }
}

/// The largest difference between sound runs, by tensor and layer, as measured on this device under the numerics in use.
#[derive(Debug, Clone, Default)]
pub struct NoiseFloor {
    largest: BTreeMap<Place, f64>,
    n_pairs: usize,
}

/// What a difference is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Judgement {
    /// Nowhere above what rounding makes here.
    Noise {
        /// Largest ratio of a difference to the floor of its place.
        times_floor: f64,
    },
    /// Above it at this place, where a layer's tensors are looked at in order of execution.
    Corrupt {
        /// Layer, from 0; none for the logits.
        layer: Option<u32>,
        /// Which tensor.
        tensor: TapTensor,
        /// Position in the sequence.
        position: usize,
        /// Ratio of the difference to the floor.
        times_floor: f64,
    },
}

impl Judgement {
    /// Whether it is corruption.
    pub fn is_corrupt(&self) -> bool {
        matches!(self, Self::Corrupt { .. })
    }
}

impl NoiseFloor {
    /// Takes a pair of sound runs into account.
    pub fn learn(&mut self, measured: &Measured) {
        for (place, largest) in &measured.largest {
            let floor = self.largest.entry(*place).or_insert(0.0);
            *floor = floor.max(largest.absolute);
        }
        self.n_pairs += 1;
    }

    /// Pairs of runs that it was learnt from.
    pub fn n_pairs(&self) -> usize {
        self.n_pairs
    }

    /// Noise or corruption, by the first place in order of execution that is too far from its floor.
    pub fn judge(&self, measured: &Measured) -> Judgement {
        let mut most = 0.0_f64;
        for (&(layer, tensor), largest) in sorted(&measured.largest) {
            let floor = self.largest.get(&(layer, tensor)).copied().unwrap_or(0.0);
            let times_floor = match (largest.absolute, floor) {
                (0.0, _) => 0.0,
                (absolute, floor) => (absolute / floor).min(MOST_TIMES),
            };
            if times_floor >= CORRUPT_FROM {
                return Judgement::Corrupt { layer, tensor, position: largest.position, times_floor };
            }
            most = most.max(times_floor);
        }
        Judgement::Noise { times_floor: most }
    }
}

/// In order of execution: the logits come after every layer.
fn sorted(largest: &BTreeMap<Place, Largest>) -> impl Iterator<Item = (&Place, &Largest)> {
    let (logits, layers): (Vec<_>, Vec<_>) = largest.iter().partition(|((layer, _), _)| layer.is_none());
    layers.into_iter().chain(logits)
}

/// A warm run whose cache is as an earlier run left it, before its own steps.
#[derive(Debug, Clone, Copy)]
pub struct WarmState<'a> {
    /// Its sequence.
    pub lane: Lane,
    /// The prompt.
    pub ids: &'a [TokenId],
}

impl Pair<'_> {
    /// Runs a prompt cold and warm and measures how far the two are apart: in every tensor of the prompt's last position and of
    /// `n_decoded` more, and in all that is cached.
    ///
    /// `before_warm` is called when the warm run's cache is as the earlier run left it, and `around_warm` with true before and false
    /// after each of the warm run's own steps: this is where faults are put in.
    ///
    /// # Errors
    /// As [`Pair::prefill`]; logits that are not finite.
    pub async fn watch(
        &mut self,
        (ids, cold, warm): (&[TokenId], &Schedule, &Schedule),
        n_decoded: usize,
        before_warm: impl AsyncFnOnce(&mut Engine, WarmState<'_>) -> Result<(), GenerateError>,
        mut around_warm: impl FnMut(&mut Engine, bool),
    ) -> Result<Measured, GenerateError> {
        self.engine.check_prompt(ids)?;
        let mut measured = Measured::default();
        let (cold_lane, warm_lane) = (self.cold, self.warm);
        let last = ids.len() - 1;
        self.steps_before_last(warm_lane, ids, warm).await?;
        before_warm(self.engine, WarmState { lane: warm_lane, ids }).await?;
        self.steps_before_last(cold_lane, ids, cold).await?;
        let top = self.watched_last(cold_lane, ids, cold, TapRun::First).await?.0;
        around_warm(self.engine, true);
        let tapped = self.watched_last(warm_lane, ids, warm, TapRun::Second).await;
        around_warm(self.engine, false);
        measured.note_taps(&tapped?.1, last);

        let mut ids = ids.to_vec();
        let mut next = top;
        for _ in 0..n_decoded {
            if self.ends_turn(next) {
                break;
            }
            ids.push(next);
            let at = ids.len() - 1;
            next = self.tapped_token(cold_lane, &ids, TapRun::First).await?.0;
            around_warm(self.engine, true);
            let tapped = self.tapped_token(warm_lane, &ids, TapRun::Second).await;
            around_warm(self.engine, false);
            measured.note_taps(&tapped?.1, at);
        }
        let sequences = [cold_lane, warm_lane].map(|lane| lane.rows(0, &[0])[0].sequence);
        let n_positions = u32::try_from(ids.len()).expect("a sequence is shorter than the context");
        measured.note_cache(&self.engine.pass().kv_difference(sequences, n_positions).await?);
        self.n_positions = ids.len();
        Ok(measured)
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

    /// The last step of a schedule, its last position tapped.
    async fn watched_last(
        &mut self,
        lane: Lane,
        ids: &[TokenId],
        schedule: &Schedule,
        run: TapRun,
    ) -> Result<(TokenId, Vec<Tap>), GenerateError> {
        let step = schedule.steps().last().ok_or(GenerateError::EmptyPrompt)?.clone();
        let rows = lane.rows(step.start, &ids[step]);
        let row = u32::try_from(rows.len() - 1).expect("a step is at most MAX_ROWS rows");
        let (tops, taps) = self.engine.pass().forward_tapped(&rows, Outputs::Last, TappedRow { row, run }).await?;
        Ok((tops[0].ids[0], taps))
    }

    /// The last of `ids`, in a step of its own, tapped.
    async fn tapped_token(
        &mut self,
        lane: Lane,
        ids: &[TokenId],
        run: TapRun,
    ) -> Result<(TokenId, Vec<Tap>), GenerateError> {
        let at = ids.len() - 1;
        let rows = lane.rows(at, &ids[at..]);
        let (tops, taps) = self.engine.pass().forward_tapped(&rows, Outputs::Last, TappedRow { row: 0, run }).await?;
        Ok((tops[0].ids[0], taps))
    }
}

impl WarmState<'_> {
    /// Where the cache holds a position.
    pub fn slot(&self, position: usize) -> KvSlot {
        slot(&self.lane, position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(values: &[(Option<u32>, TapTensor, f32)]) -> Measured {
        let mut measured = Measured::default();
        for (layer, tensor, absolute) in values {
            measured.note((*layer, *tensor), 7, *absolute);
        }
        measured
    }

    #[test]
    fn a_difference_is_judged_by_the_floor_of_its_own_place() {
        let mut floor = NoiseFloor::default();
        floor.learn(&measured(&[
            (Some(0), TapTensor::K, 0.001),
            (Some(9), TapTensor::K, 1.0),
            (None, TapTensor::Logits, 0.5),
        ]));
        floor.learn(&measured(&[
            (Some(0), TapTensor::K, 0.0),
            (Some(9), TapTensor::K, 2.0),
            (None, TapTensor::Logits, 0.4),
        ]));
        assert_eq!(floor.n_pairs(), 2);
        let small = measured(&[(Some(0), TapTensor::K, 0.002), (Some(9), TapTensor::K, 1.0)]);
        assert_eq!(floor.judge(&small), Judgement::Noise { times_floor: f64::from(0.002_f32) / f64::from(0.001_f32) });
        // As large as layer 9's noise, in layer 0: a fault there; and it is named before what follows from it.
        let large =
            measured(&[(None, TapTensor::Logits, 9.0), (Some(9), TapTensor::K, 9.0), (Some(0), TapTensor::K, 1.0)]);
        let Judgement::Corrupt { layer, tensor, position, .. } = floor.judge(&large) else { panic!("noise") };
        assert_eq!((layer, tensor, position), (Some(0), TapTensor::K, 7));
        // Where sound runs never differ, any difference is too large; and so is what is no number.
        assert!(floor.judge(&measured(&[(Some(1), TapTensor::V, 1e-9)])).is_corrupt());
        assert!(floor.judge(&measured(&[(Some(9), TapTensor::K, f32::NAN)])).is_corrupt());
        assert!(!floor.judge(&measured(&[(Some(1), TapTensor::V, 0.0)])).is_corrupt());
    }
}
