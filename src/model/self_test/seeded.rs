//! Seeded numbers: the same on every machine, so that a failure can be had again.

use crate::quant::{TensorType, quantize};

/// Runs of weights after which their bytes repeat: a prime, so that no two panels of a large matrix start alike.
const PERIOD_RUNS: usize = 9973;

/// A small generator with a fixed sequence per seed (splitmix64).
#[derive(Debug, Clone)]
pub struct Seeded {
    state: u64,
}

impl Seeded {
    /// The sequence of `seed`.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A whole number below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(n)) >> 32) as u32
    }

    /// About normal with variance 1: the sum of three even numbers of 21 bits.
    pub fn normal(&mut self) -> f32 {
        let bits = self.bits();
        let unit = |shift: u32| (bits >> shift & 0x1F_FFFF) as f32 / 0x20_0000 as f32;
        2.0 * (unit(0) + unit(21) + unit(42) - 1.5)
    }

    /// `n` of them.
    pub fn normals(&mut self, n: usize) -> Vec<f32> {
        (0..n).map(|_| self.normal()).collect()
    }

    /// `n_weights` weights of about variance 1/400 in the bytes of a GGUF tensor, not centred on zero.
    pub fn weight_bytes(&mut self, tensor_type: TensorType, n_weights: usize) -> Vec<u8> {
        let run_len = tensor_type.run_len();
        let n_seeded = n_weights.min(PERIOD_RUNS * run_len);
        let values: Vec<f32> = (0..n_seeded).map(|_| 0.05 * self.normal() + 0.003).collect();
        let bytes = quantize(tensor_type, &values);
        let len = bytes.len() / (n_seeded / run_len) * (n_weights / run_len);
        bytes.iter().copied().cycle().take(len).collect()
    }
}
