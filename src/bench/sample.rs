//! Ratios that survive a loaded machine: anchors before and after every sample, unsteady samples discarded, medians and quartiles.

use std::time::Instant;

use serde::Serialize;

use super::anchors::{Anchor, Anchors, Probes};
use super::machine::cpu_ms;
use crate::model::ModelError;

/// Largest difference of an anchor before and after a sample, relative to their mean.
const STEADY: f64 = 0.2;

/// Median and quartiles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct Quartiles {
    /// A quarter of the values is below.
    pub low: f64,
    /// Half of the values is below.
    pub median: f64,
    /// Three quarters of the values are below.
    pub high: f64,
}

impl Quartiles {
    /// Of at least one value; NaN of none. Between two values by straight line.
    pub fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = share * sorted.len().saturating_sub(1) as f64;
            let (below, above) = (place.floor() as usize, place.ceil() as usize);
            match (sorted.get(below), sorted.get(above)) {
                (Some(low), Some(high)) => low + (high - low) * (place - place.floor()),
                _ => f64::NAN,
            }
        };
        Self { low: at(0.25), median: at(0.5), high: at(0.75) }
    }
}

/// Some work against what the anchors say that it could take.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct Measured {
    /// Ideal time over real time.
    pub efficiency: Quartiles,
    /// Milliseconds of one run of the work.
    pub wall_ms: Quartiles,
    /// Milliseconds of CPU time, user and system, of one run; none where the system does not tell.
    pub cpu_ms: Option<f64>,
    /// Samples kept.
    pub n_samples: usize,
    /// Samples whose anchors moved by more than a fifth.
    pub n_discarded: usize,
    /// Whether no sample was steady, so that unsteady ones had to be kept.
    pub unsteady: bool,
}

/// Takes samples between anchors.
pub(super) struct Sampler<'a> {
    probes: &'a Probes,
    n_samples: usize,
    n_retries: usize,
    seen: Vec<Anchors>,
}

struct Sample {
    efficiency: f64,
    wall_ms: f64,
    cpu_ms: Option<f64>,
}

impl<'a> Sampler<'a> {
    /// Takes `n_samples` steady samples of each work, and gives up on more after `n_retries` unsteady ones.
    pub(super) fn new(probes: &'a Probes, n_samples: usize, n_retries: usize) -> Self {
        Self { probes, n_samples, n_retries, seen: Vec::new() }
    }

    /// How many samples each work gets.
    pub(super) fn n_samples(&self) -> usize {
        self.n_samples
    }

    /// Samples `work`, one call of which runs it `runs` times; `ideal_ms` says what one run could take by the anchors.
    pub(super) async fn measure(
        &mut self,
        anchors: &[Anchor],
        runs: u32,
        ideal_ms: impl Fn(&Anchors) -> f64,
        mut work: impl AsyncFnMut() -> Result<(), ModelError>,
    ) -> Result<Measured, ModelError> {
        let (mut steady, mut unsteady) = (Vec::new(), Vec::new());
        let runs = f64::from(runs);
        let mut before = self.anchors(anchors).await?;
        while steady.len() < self.n_samples && unsteady.len() <= self.n_retries {
            let (cpu_before, started) = (cpu_ms(), Instant::now());
            work().await?;
            let wall_ms = started.elapsed().as_secs_f64() * 1e3 / runs;
            let cpu_ms = cpu_ms().zip(cpu_before).map(|(after, before)| (after - before) / runs);
            let after = self.anchors(anchors).await?;
            let mut mean = Anchors::UNKNOWN;
            let mut is_steady = true;
            for &anchor in anchors {
                let (a, b) = (before.get(anchor), after.get(anchor));
                mean.set(anchor, 0.5 * (a + b));
                is_steady &= (a - b).abs() <= STEADY * 0.5 * (a + b);
            }
            let sample = Sample { efficiency: ideal_ms(&mean) / wall_ms, wall_ms, cpu_ms };
            if is_steady {
                steady.push(sample)
            } else {
                unsteady.push(sample)
            }
            before = after;
        }
        let n_discarded = unsteady.len();
        let (kept, unsteady) = if steady.is_empty() { (unsteady, true) } else { (steady, false) };
        let all = |value: fn(&Sample) -> f64| Quartiles::of(&kept.iter().map(value).collect::<Vec<_>>());
        let cpu: Option<Vec<f64>> = kept.iter().map(|sample| sample.cpu_ms).collect();
        Ok(Measured {
            efficiency: all(|sample| sample.efficiency),
            wall_ms: all(|sample| sample.wall_ms),
            // The clock of CPU time is coarse, so the samples' mean says more than their median.
            cpu_ms: cpu.map(|cpu| cpu.iter().sum::<f64>() / cpu.len() as f64),
            n_samples: kept.len(),
            n_discarded,
            unsteady,
        })
    }

    /// One value of each of these anchors.
    pub(super) async fn anchors(&mut self, anchors: &[Anchor]) -> Result<Anchors, ModelError> {
        let mut values = Anchors::UNKNOWN;
        for &anchor in anchors {
            values.set(anchor, self.probes.measure(anchor).await?);
        }
        self.seen.push(values);
        Ok(values)
    }

    /// Quartiles of every value that an anchor had.
    pub(super) fn seen(&self, anchor: Anchor) -> Quartiles {
        let values = self.seen.iter().map(|anchors| anchors.get(anchor)).filter(|value| !value.is_nan());
        Quartiles::of(&values.collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_values_and_on_them() {
        let of = |values: &[f64]| {
            let Quartiles { low, median, high } = Quartiles::of(values);
            [low, median, high]
        };
        assert_eq!(of(&[3.0, 1.0, 2.0, 5.0, 4.0]), [2.0, 3.0, 4.0]);
        assert_eq!(of(&[1.0, 2.0]), [1.25, 1.5, 1.75]);
        assert_eq!(of(&[7.0]), [7.0; 3]);
        assert!(of(&[]).iter().all(|value| value.is_nan()));
    }
}
