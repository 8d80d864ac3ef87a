//! The flip law: a step flips when noise moves its gap past zero.
//!
//! One parameter, the spread of the gap's change. With normal noise the chance that a gap `g` turns negative is the normal
//! distribution's tail above `g / spread`.

use super::normal_tail::upper_tail;

/// The law with its one parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlipLaw {
    /// Spread of the gap's change, in logits.
    pub spread: f64,
}

/// Lower ends of the bins of gaps in which the law is held against what happened, in logits.
pub const GAP_BINS: [f64; 5] = [0.0, 0.05, 0.1, 0.2, 0.4];

/// Steps whose cold gap lies in one bin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GapBin {
    /// Lower end of the bin.
    pub from: f64,
    /// Steps.
    pub n: usize,
    /// Of these flipped.
    pub n_flipped: usize,
    /// Mean of the chances that the law gives them; 0 of no steps.
    pub predicted: f64,
}

impl GapBin {
    /// Share of steps that flipped; none of no steps.
    pub fn measured(&self) -> Option<f64> {
        (self.n > 0).then(|| self.n_flipped as f64 / self.n as f64)
    }
}

impl FlipLaw {
    /// The most likely spread, given measured changes of gaps: of normal noise around zero that is their root mean square.
    pub fn fitted(gap_changes: &[f64]) -> Option<Self> {
        let squares: f64 = gap_changes.iter().map(|change| change * change).sum();
        (!gap_changes.is_empty()).then(|| Self { spread: (squares / gap_changes.len() as f64).sqrt() })
    }

    /// The chance that a step with this gap flips. Without noise nothing flips.
    pub fn flip_chance(&self, gap: f64) -> f64 {
        if self.spread == 0.0 { 0.0 } else { upper_tail(gap / self.spread) }
    }

    /// Holds the law against steps `(gap, flipped)`, bin by bin.
    pub fn by_gap(&self, steps: &[(f64, bool)]) -> [GapBin; GAP_BINS.len()] {
        let mut bins = GAP_BINS.map(|from| GapBin { from, n: 0, n_flipped: 0, predicted: 0.0 });
        for &(gap, flipped) in steps {
            let bin = bins.iter_mut().rev().find(|bin| bin.from <= gap);
            let bin = bin.expect("a gap is not negative");
            bin.n += 1;
            bin.n_flipped += usize::from(flipped);
            bin.predicted += self.flip_chance(gap);
        }
        bins.map(|bin| GapBin { predicted: bin.predicted / bin.n.max(1) as f64, ..bin })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_law_of_physics() {
        // Spread 0.15: middle of each bin against the predictions that were published with it.
        let law = FlipLaw { spread: 0.15 };
        for (gap, expected) in [(0.025, 0.43), (0.075, 0.31), (0.15, 0.16), (0.3, 0.023), (1.0, 0.0)] {
            assert!((law.flip_chance(gap) - expected).abs() < 0.006, "{gap}: {}", law.flip_chance(gap));
        }
        assert_eq!((law.flip_chance(0.0), FlipLaw { spread: 0.0 }.flip_chance(0.0)), (0.5, 0.0));
    }

    #[test]
    fn the_spread_is_the_most_likely_one() {
        let changes = [0.3, -0.1, 0.2, 0.0, -0.25];
        let fitted = FlipLaw::fitted(&changes).expect("changes").spread;
        let ln_likelihood = |spread: f64| -> f64 {
            changes.iter().map(|change: &f64| -(change / spread).powi(2) / 2.0 - spread.ln()).sum()
        };
        for other in [0.9, 0.99, 1.01, 1.1] {
            assert!(ln_likelihood(fitted * other) < ln_likelihood(fitted));
        }
        assert_eq!(FlipLaw::fitted(&[]), None);
    }

    #[test]
    fn steps_fall_into_their_bins() {
        let law = FlipLaw { spread: 0.1 };
        let bins = law.by_gap(&[(0.0, true), (0.049, false), (0.05, false), (0.2, false), (7.0, false)]);
        assert_eq!(bins.map(|bin| (bin.n, bin.n_flipped)), [(2, 1), (1, 0), (0, 0), (1, 0), (1, 0)]);
        assert_eq!((bins[0].measured(), bins[2].measured(), bins[2].predicted), (Some(0.5), None, 0.0));
        let expected = (0.5 + law.flip_chance(0.049)) / 2.0;
        assert!((bins[0].predicted - expected).abs() < 1e-15);
    }
}
