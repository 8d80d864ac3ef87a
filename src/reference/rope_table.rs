//! The rotations of RoPE, computed in f64 on the CPU, because a GPU's sine may be hundreds of ulp off.

use crate::architecture::Window;

/// What the file says about RoPE.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeSettings {
    /// Base of the wavelengths (`rope.freq_base`).
    pub base: f32,
    /// Values of a head (`head_dim`), even.
    pub head_dim: usize,
    /// Values of a head that turn (`rope.dimension_count`), even, at most `head_dim`.
    pub rope_dim: usize,
    /// Linear scaling: positions are divided by it; 1 without (`rope.scaling.factor`).
    pub linear_factor: f32,
    /// Divisors of the pairs' angles, `rope_dim / 2` of them (tensor `rope_freqs.weight`); `None` without.
    pub frequency_factors: Option<Vec<f32>>,
}

impl RopeSettings {
    /// The rotations of layers with a window, where they are others than everywhere else.
    pub fn in_window(&self, window: Option<Window>) -> Option<Self> {
        let base = window?.pattern.local_rope_base?;
        Some(Self { base, linear_factor: 1.0, frequency_factors: None, ..self.clone() })
    }
}

/// The rotations of every layer.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeTables {
    /// Of layers that see all keys.
    pub global: RopeTable,
    /// Of layers with a window, where those are others.
    pub local: Option<RopeTable>,
    window: Option<Window>,
}

impl RopeTables {
    /// The tables for positions 0 to `n_positions - 1`.
    pub fn new(settings: &RopeSettings, window: Option<Window>, n_positions: usize) -> Self {
        let local = settings.in_window(window).map(|settings| RopeTable::new(&settings, n_positions));
        Self { global: RopeTable::new(settings, n_positions), local, window }
    }

    /// The rotations of a layer.
    pub fn of_layer(&self, layer: usize) -> &RopeTable {
        let is_local = self.window.is_some_and(|window| window.is_local(layer));
        self.local.as_ref().filter(|_| is_local).unwrap_or(&self.global)
    }
}

/// The rotations of every position; `[position, head_dim / 2]`.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeTable {
    /// (cosine, sine) of every pair of a head, position after position.
    pub cos_sin: Vec<[f32; 2]>,
    /// Pairs per position: head_dim / 2.
    pub n_pairs: usize,
}

impl RopeTable {
    /// The table for positions 0 to `n_positions - 1`.
    ///
    /// Pair i of position p turns by `p / linear_factor * base^(-2i / rope_dim) / frequency_factors[i]`;
    /// pairs beyond `rope_dim` do not turn.
    pub fn new(settings: &RopeSettings, n_positions: usize) -> Self {
        let n_pairs = settings.head_dim / 2;
        let frequencies: Vec<f64> = (0..n_pairs).map(|pair| frequency(settings, pair)).collect();
        let cos_sin = (0..n_positions)
            .flat_map(|position| {
                frequencies.iter().map(move |frequency| {
                    let angle = position as f64 * frequency;
                    [angle.cos() as f32, angle.sin() as f32]
                })
            })
            .collect();
        Self { cos_sin, n_pairs }
    }

    /// The rotations of one position.
    pub fn row(&self, position: usize) -> &[[f32; 2]] {
        &self.cos_sin[position * self.n_pairs..][..self.n_pairs]
    }
}

/// Angle per position of one pair.
fn frequency(settings: &RopeSettings, pair: usize) -> f64 {
    if 2 * pair >= settings.rope_dim {
        return 0.0;
    }
    let exponent = -2.0 * pair as f64 / settings.rope_dim as f64;
    let factor = settings.frequency_factors.as_ref().map_or(1.0, |factors| f64::from(factors[pair]));
    f64::from(settings.base).powf(exponent) / f64::from(settings.linear_factor) / factor
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> RopeSettings {
        RopeSettings { base: 10_000.0, head_dim: 8, rope_dim: 4, linear_factor: 1.0, frequency_factors: None }
    }

    #[test]
    fn angles_by_hand() {
        let table = RopeTable::new(&settings(), 4);
        assert_eq!(table.row(0), [[1.0, 0.0]; 4]);
        // Pair 0 turns by 1 per position, pair 1 by 10000^(-1/2) = 0.01, the others not at all.
        assert_eq!(table.row(3)[0], [3.0_f64.cos() as f32, 3.0_f64.sin() as f32]);
        assert_eq!(table.row(3)[1], [0.03_f64.cos() as f32, 0.03_f64.sin() as f32]);
        assert_eq!(table.row(3)[2..], [[1.0, 0.0]; 2]);
    }

    #[test]
    fn factors_slow_the_rotation() {
        let slow = RopeSettings { linear_factor: 2.0, frequency_factors: Some(vec![4.0, 1.0]), ..settings() };
        let (slow, fast) = (RopeTable::new(&slow, 17), RopeTable::new(&settings(), 17));
        assert_eq!(slow.row(16)[0], fast.row(2)[0]);
        assert_eq!(slow.row(16)[1], fast.row(8)[1]);
    }
}
