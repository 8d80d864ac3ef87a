//! Ratios that survive a loaded machine: anchors before and after every sample, unsteady samples discarded, medians and quartiles.

use serde::Serialize;

use super::anchors::{Anchor, Anchors, Probes};
use super::machine::Spent;
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
    /// The same in CPU time, anchors and all: what a loaded machine can still tell. Software adapters only.
    pub cpu_efficiency: Option<Quartiles>,
    /// Milliseconds of one run of the work.
    pub wall_ms: Quartiles,
    /// Milliseconds of CPU time of one run; none where the system does not tell.
    pub cpu_ms: Option<Quartiles>,
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
    software: bool,
    n_samples: usize,
    n_retries: usize,
    seen: Vec<Pair>,
}

/// Anchors by the clock and by CPU time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) wall: Anchors,
    pub(super) cpu: Anchors,
}

struct Sample {
    efficiency: f64,
    cpu_efficiency: f64,
    spent: Spent,
}

impl<'a> Sampler<'a> {
    /// Takes `n_samples` steady samples of each work, and gives up on more after `n_retries` unsteady ones.
    pub(super) fn new(probes: &'a Probes, software: bool, n_samples: usize, n_retries: usize) -> Self {
        Self { probes, software, n_samples, n_retries, seen: Vec::new() }
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
        let mut before = self.anchors(anchors).await?;
        while steady.len() < self.n_samples && unsteady.len() <= self.n_retries {
            let started = Spent::so_far();
            work().await?;
            let spent = started.until_now();
            let after = self.anchors(anchors).await?;
            let spent = Spent { wall_ms: spent.wall_ms / f64::from(runs), cpu_ms: spent.cpu_ms / f64::from(runs) };
            let sample = Sample {
                efficiency: ideal_ms(&before.wall.mean(&after.wall)) / spent.wall_ms,
                cpu_efficiency: ideal_ms(&before.cpu.mean(&after.cpu)) / spent.cpu_ms,
                spent,
            };
            let near = |a: f64, b: f64| (a - b).abs() <= STEADY * 0.5 * (a + b);
            let is_steady = anchors.iter().all(|&anchor| near(before.wall.get(anchor), after.wall.get(anchor)));
            if is_steady {
                steady.push(sample)
            } else {
                unsteady.push(sample)
            }
            before = after;
        }
        let everything: Vec<&Sample> = steady.iter().chain(&unsteady).collect();
        let by_cpu = |value: fn(&Sample) -> f64| {
            let values: Vec<f64> = everything.iter().map(|sample| value(sample)).collect();
            values.iter().all(|value| value.is_finite()).then(|| Quartiles::of(&values))
        };
        let cpu_efficiency = if self.software { by_cpu(|sample| sample.cpu_efficiency) } else { None };
        let cpu_ms = by_cpu(|sample| sample.spent.cpu_ms);
        let kept = if steady.is_empty() { &unsteady } else { &steady };
        let by_clock = |value: fn(&Sample) -> f64| Quartiles::of(&kept.iter().map(value).collect::<Vec<_>>());
        Ok(Measured {
            efficiency: by_clock(|sample| sample.efficiency),
            cpu_efficiency,
            wall_ms: by_clock(|sample| sample.spent.wall_ms),
            cpu_ms,
            n_samples: kept.len(),
            n_discarded: unsteady.len(),
            unsteady: steady.is_empty(),
        })
    }

    /// One value of each of these anchors.
    pub(super) async fn anchors(&mut self, anchors: &[Anchor]) -> Result<Pair, ModelError> {
        let mut values = Pair { wall: Anchors::UNKNOWN, cpu: Anchors::UNKNOWN };
        for &anchor in anchors {
            let (wall, cpu) = self.probes.measure(anchor).await?;
            values.wall.set(anchor, wall);
            values.cpu.set(anchor, cpu);
        }
        self.seen.push(values);
        Ok(values)
    }

    /// Quartiles of every value that an anchor had: by the clock, and by CPU time where that means something.
    pub(super) fn seen(&self, anchor: Anchor) -> (Quartiles, Option<Quartiles>) {
        let quartiles = |of: fn(&Pair) -> &Anchors| {
            let values = self.seen.iter().map(|pair| of(pair).get(anchor)).filter(|value| !value.is_nan());
            Quartiles::of(&values.collect::<Vec<_>>())
        };
        let by_cpu = quartiles(|pair| &pair.cpu);
        (quartiles(|pair| &pair.wall), (self.software && by_cpu.median.is_finite()).then_some(by_cpu))
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
