//! Noise or corruption: whether a warm run is further from a cold one than rounding can take it.
//!
//! Rounding has a size that can be measured: how far a cold run is from a cold run of the same tokens in finer arithmetic, in every
//! layer and tensor. Two sound runs each lie about that far from what finer arithmetic gives, so they lie within a small multiple of
//! it from each other: √2 times where their roundings have nothing in common, and less where they still have most in common. A
//! warm run that is many times further from the cold one did not get there by rounding, whatever token it chose; one that is not is no
//! evidence of a fault. Nothing is learnt from other prompts, and nothing that warm runs share with cold ones takes part in the measure.

use serde::{Deserialize, Serialize};

use super::replay::{Pair, Schedule};
use super::watch::{ColdRun, Distances, Place, Values, cached_values};
use crate::generate::{Engine, GenerateError, LastRun};
use crate::model::TapTensor;
use crate::numerics::{Formats, Numerics, Order};

/// How many times the rounding a difference must be to be no rounding. Measured on SmolLM2 on lavapipe (experiment E16, 10 prompts): of 20
/// sound pairs each, none is over 2.16 times in int8 and 2.27 in f32 activations; the least of the twenty faults is first named at 4.46.
const CORRUPT_FROM: f64 = 4.0;

/// The same where the run's own arithmetic is f32 and no finer one is there to measure by. Its rounding is then how far two orders happen to
/// be apart, which at some place is very little: 19 of 20 sound pairs are under 2.7 times, one is 6.4 times there; the least fault is 130,000 times.
const CORRUPT_FROM_IN_F32: f64 = 100.0;

/// Ratios are told up to here: records hold finite numbers.
const MOST_TIMES: f64 = 1e9;

/// What rounding makes of a cold run.
#[derive(Debug, Clone)]
pub struct Rounding {
    distances: Distances,
    corrupt_from: f64,
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
