//! What a device makes of arithmetic, read off a few small kernels (`shaders/probes`) when it is opened.
//!
//! WGSL leaves much open: a product and a sum may be fused, sums regrouped, subnormals flushed, and most functions have an error of
//! their own. Where a device takes a liberty that the model's kernels are exposed to, its bits cannot be those of the CPU twin, and
//! [`Fingerprint::unlike_the_twin`] says why.

mod probe;
mod questions;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{Device, GpuError};
use probe::Probe;
use questions::N_THREADS;

/// In which order the lanes of a subgroup are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum SubgroupOrder {
    /// Lane after lane.
    Sequential,
    /// Neighbours first, then neighbours of neighbours.
    Neighbours,
    /// The lower half with the upper half, then the same within a half.
    Halves,
    /// None of these.
    Other,
}

/// What a device makes of arithmetic. Counts are out of fixed sets of numbers; errors are in units in the last place (ulp) from the f32
/// nearest to the truth, the largest over 16 fixed arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct Fingerprint {
    /// `a * b + c` is rounded once, in at least one of five ways to write it.
    pub multiply_add_fused: bool,
    /// `fma(a, b, c)` is rounded once.
    pub fma_fused: bool,
    /// A sum is added in another order than it is written, in at least one of the forms that the kernels use.
    pub sums_regrouped: bool,
    /// `(a * b + c * d) + e` is added in another order.
    pub products_regrouped: bool,
    /// `(a + b) + constant` is added in another order.
    pub constants_regrouped: bool,
    /// Of 1024 sums and 1024 products, those that are not the nearest f32, ties to even.
    pub sums_and_products_wrong: u32,
    /// A product below the smallest normal f32 is kept, not flushed to zero.
    pub subnormal_results_kept: bool,
    /// A subnormal operand counts, instead of being taken for zero.
    pub subnormal_operands_kept: bool,
    /// `round` of 2.5 is 2, of 3.5 is 4, of -2.5 is -2.
    pub round_ties_to_even: bool,
    /// Of 2048 numbers half-way between two f16 or one bit beside, those that `pack2x16float` does not bring to the nearest f16, ties
    /// to even.
    pub f16_pack_wrong: u32,
    /// Of 2048 f16, every subnormal among them, those that `unpack2x16float` does not return exactly.
    pub f16_unpack_wrong: u32,
    /// Error of `exp`.
    pub exp_ulp: u32,
    /// Error of `inverseSqrt`.
    pub inverse_sqrt_ulp: u32,
    /// Error of a division.
    pub division_ulp: u32,
    /// Error of `sin`.
    pub sin_ulp: u32,
    /// Error of `tanh`.
    pub tanh_ulp: u32,
    /// Of 1024 `dot4I8Packed`, those that are not exact; none where the language lacks it.
    pub packed_dot_wrong: Option<u32>,
    /// In which order `subgroupAdd` adds; none without subgroups.
    pub subgroup_order: Option<SubgroupOrder>,
    /// Of 1024 sums and 1024 products in the device's own f16, those that are not the nearest f16, ties to even; none without
    /// shader-f16.
    pub native_f16_wrong: Option<u32>,
    /// Hash of every word that the probes wrote, as 16 hex digits: devices of one hash gave the same bits in all of them.
    pub hash: String,
}

impl Fingerprint {
    /// Whether nothing here keeps the device from giving the CPU twin's bits. Whether it does give them, a run on both must show.
    pub fn rounds_like_the_twin(&self) -> bool {
        self.unlike_the_twin().is_empty()
    }

    /// What keeps the device from giving the CPU twin's bits, in words; empty where nothing does.
    ///
    /// The kernels call none of `exp`, `inverseSqrt`, division, `pack2x16float`, `fma` and `subgroupAdd`, and write no sum in the two
    /// forms that are known to be regrouped, so those are no hindrance. Nor are flushed subnormals by themselves: numbers that small
    /// matter only where everything they are added to is as small.
    pub fn unlike_the_twin(&self) -> Vec<&'static str> {
        let hindrances = [
            (self.multiply_add_fused, "it fuses a product and a sum into one rounding"),
            (self.sums_regrouped, "it adds in another order than the kernels write"),
            (self.sums_and_products_wrong > 0, "it does not round every sum and product to the nearest number"),
            (!self.round_ties_to_even, "it does not round ties to even"),
            (self.f16_unpack_wrong > 0, "it does not read 16-bit floats exactly"),
            (self.packed_dot_wrong.unwrap_or(0) > 0, "its integer products are not exact"),
        ];
        hindrances.into_iter().filter(|(hinders, _)| *hinders).map(|(_, words)| words).collect()
    }

    /// Runs the probes, all in one submission.
    pub(super) async fn measure(device: &Device, subgroups: bool, shader_f16: bool) -> Result<Self, GpuError> {
        let bytes = questions::Bytes::new();
        let of_threads = (N_THREADS / 64, 1, 1);
        let arithmetic = [&bytes.forms, &bytes.arguments, &bytes.pairs, &bytes.midpoints, &bytes.halves];
        let source = include_str!("../../../shaders/probes/arithmetic.wgsl");
        let mut probes =
            vec![Probe::new(device, "arithmetic", source, &arithmetic, questions::N_ARITHMETIC, of_threads).await?];

        let source = include_str!("../../../shaders/probes/packed_dot.wgsl");
        let packed_dot =
            match Probe::new(device, "packed dot", source, &[&bytes.quads], N_THREADS as usize, of_threads).await {
                // A language without the function refuses the kernel.
                Err(GpuError::Shader { .. }) => None,
                probe => Some(probe?),
            };
        let has_packed_dot = packed_dot.is_some();
        probes.extend(packed_dot);
        if subgroups {
            // Browsers want the directive; naga 30 refuses it.
            let directive = if cfg!(target_arch = "wasm32") { "enable subgroups;\n" } else { "" };
            let source = directive.to_owned() + include_str!("../../../shaders/probes/subgroup_sum.wgsl");
            let n_words = questions::N_SUBGROUP;
            probes.push(Probe::new(device, "subgroup sum", &source, &[&bytes.places], n_words, (1, 1, 1)).await?);
        }
        if shader_f16 {
            let source = include_str!("../../../shaders/probes/native_f16.wgsl");
            let n_words = 2 * N_THREADS as usize;
            probes.push(Probe::new(device, "native f16", source, &[&bytes.f16_pairs], n_words, of_threads).await?);
        }

        let answers = probe::run(device, &probes).await?;
        let hash = Sha256::digest(bytemuck::cast_slice::<u32, u8>(&answers.concat()));
        let mut answers = answers.into_iter();
        let mut next = |was_asked: bool| if was_asked { answers.next() } else { None };
        let mut found = questions::arithmetic(&next(true).unwrap_or_default());
        found.packed_dot_wrong = next(has_packed_dot).map(|words| questions::packed_dot_wrong(&words));
        found.subgroup_order = next(subgroups).map(|words| questions::subgroup_order(&words));
        found.native_f16_wrong = next(shader_f16).map(|words| questions::native_f16_wrong(&words));
        found.hash = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(found)
    }
}
