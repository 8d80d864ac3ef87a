//! The devices that kernels are tried on, and the one check that every test makes.

use lastbit::gpu::select::{Family, Lanes};
use lastbit::gpu::wgsl::Target;
use lastbit::gpu::{Device, DeviceOptions, Kernel};
use lastbit::model::self_test::case::{Case, Found, run};
use lastbit::numerics::{Accumulation, ActivationFormat, Arithmetic, KvFormat};
use lastbit::quant::TensorType;

/// Formats whose weights are tried in every combination: one of each kind. How weights are read does not touch what becomes of a product,
/// so the others' combinations are dealt out.
pub(crate) const EVERYWHERE: [TensorType; 3] = [TensorType::Q4_1, TensorType::Q8_0, TensorType::F16];
pub(crate) const KV: [KvFormat; 4] = [KvFormat::F16, KvFormat::F32, KvFormat::Q8_0, KvFormat::Q4_0];
pub(crate) const KV_F16: (KvFormat, KvFormat) = (KvFormat::F16, KvFormat::F16);
pub(crate) const KV_F32: (KvFormat, KvFormat) = (KvFormat::F32, KvFormat::F32);
pub(crate) const ACTIVATIONS: [ActivationFormat; 3] =
    [ActivationFormat::Int8, ActivationFormat::F32, ActivationFormat::F16];

/// Formats of K and V: every pair, or each format once on either side.
pub(crate) fn kv_pairs(all: bool) -> impl Iterator<Item = (KvFormat, KvFormat)> {
    let pairs = KV.iter().enumerate().flat_map(|(i, k)| KV.iter().enumerate().map(move |(j, v)| (i, j, (*k, *v))));
    pairs.filter(move |(i, j, _)| all || *j == (i + 1) % KV.len()).map(|(_, _, pair)| pair)
}

/// Every format of activations with every format of sums.
pub(crate) fn arithmetics() -> impl Iterator<Item = Arithmetic> {
    let accumulations = [Accumulation::F32, Accumulation::F16].into_iter();
    accumulations.flat_map(|accumulation| ACTIVATIONS.map(|activations| Arithmetic { activations, accumulation }))
}

/// A kernel variant on a device that runs it.
pub(crate) struct Variant {
    pub(crate) lanes: Lanes,
    pub(crate) device: Device,
    /// Whether this variant is the one that the device would run by itself.
    pub(crate) own: bool,
}

pub(crate) fn open(options: DeviceOptions) -> Device {
    pollster::block_on(Device::open(options)).unwrap_or_else(|error| {
        panic!("these tests need a GPU adapter (mesa-vulkan-drivers has one in software): {error}")
    })
}

/// The device as the engine opens it.
pub(crate) fn own_device() -> Variant {
    let device = open(DeviceOptions::default());
    Variant { lanes: device.report().family.lanes(device.report().subgroup_size), device, own: true }
}

/// Every variant that runs on this machine's adapter: its own; those without subgroups, on a device without them that stays within
/// WebGPU's default limits; and shuffles within eight lanes where a subgroup has eight or more.
pub(crate) fn variants() -> Vec<Variant> {
    let own = own_device();
    let mut lanes = vec![own.lanes];
    let size = own.device.report().subgroup_size;
    let mut variants = Vec::new();
    if own.lanes != Lanes::Shuffle8 && size.is_some_and(|size| size >= 8) {
        lanes.push(Lanes::Shuffle8);
        variants.push(Variant { lanes: Lanes::Shuffle8, device: own.device.clone(), own: false });
    }
    let plain = open(DeviceOptions { subgroups: false, default_limits: true, family: Some(Family::GpuPlain) });
    for without_subgroups in [Lanes::Alone, Lanes::Workgroup] {
        if !lanes.contains(&without_subgroups) {
            variants.push(Variant { lanes: without_subgroups, device: plain.clone(), own: false });
        }
    }
    variants.insert(0, own);
    variants
}

impl Variant {
    pub(crate) fn target(&self, head_dim: u32, activations: ActivationFormat, kv: (KvFormat, KvFormat)) -> Target {
        let subgroup_size = self.device.report().subgroup_size;
        let arithmetic = Arithmetic::of(activations);
        Target { subgroup_size, ..Target::new(self.lanes, head_dim, arithmetic, kv.0, kv.1) }
    }

    pub(crate) fn compile(&self, name: &str, source: String) -> Kernel {
        let built = pollster::block_on(Kernel::new(&self.device, name, &source));
        built.unwrap_or_else(|error| panic!("{:?}: {error}", self.lanes))
    }

    /// The formats of weights and arithmetic to try at a site, numbered from 0 to 4. Making pipelines is what takes time: so the device's
    /// own variant gets each pair at one site (and some at all), the others a part of that in which each format is. On SwiftShader, where the
    /// products' pipelines took six to nine times as long as on lavapipe, that part is its own variant's, and the others have each format once.
    pub(crate) fn format_pairs(&self, site: usize) -> Vec<(TensorType, Arithmetic)> {
        let is_slow = self.device.report().name.contains("SwiftShader");
        let is_whole = self.own && !is_slow;
        let mut pairs = Vec::new();
        for (i, weights) in TensorType::all().enumerate() {
            for (j, arithmetic) in arithmetics().enumerate() {
                let here = (i + j) % 5 == site;
                let few = if is_slow && !self.own { j == 0 } else { j < 2 || j == 2 + i % 4 };
                if if is_whole { here || EVERYWHERE.contains(&weights) } else { here && few } {
                    pairs.push((weights, arithmetic));
                }
            }
        }
        pairs
    }
}

/// Dispatches, words and errors of one test, printed at its end.
#[derive(Default)]
pub(crate) struct Tally {
    n_dispatches: usize,
    n_words: usize,
    n_differing: usize,
    nmse_twin: f64,
    pub(crate) nmse_truth: f64,
}

impl Tally {
    /// Runs a case and holds it against its twin.
    pub(crate) fn check(
        &mut self,
        variant: &Variant,
        kernel: &Kernel,
        case: &Case,
        grid: (u32, u32, u32),
        what: &str,
    ) -> Found {
        let report = variant.device.report();
        let what = format!("{} {:?} {what} on {}", kernel.name(), variant.lanes, report.name);
        let found = pollster::block_on(run(&variant.device, &[(kernel, case, grid)]));
        let found = found.unwrap_or_else(|error| panic!("{what}: {error}")).remove(0);
        let distance = case.distance(&found);
        assert!(distance.n_words > 0, "{what}: nothing was compared");
        if report.software {
            assert!(distance.is_zero(), "{what}: {distance:?}");
        }
        assert_eq!(
            distance.n_unwritten + distance.n_outside + distance.n_not_finite + distance.n_inexact,
            0,
            "{what}: {distance:?}"
        );
        assert!(distance.nmse <= distance.limit, "{what}: {distance:?}");
        self.n_dispatches += 1;
        self.n_words += distance.n_words;
        self.n_differing += distance.n_differing;
        self.nmse_twin = self.nmse_twin.max(distance.nmse);
        found
    }

    /// Holds values against the truth.
    pub(crate) fn truth(&mut self, values: &[f32], truth: &[f64], limit: f64, what: &str) {
        self.nmse_truth = self.nmse_truth.max(nmse_within(values, truth, limit, what));
    }

    pub(crate) fn print(&self, variant: &Variant, what: &str) {
        println!(
            "{what} {:?} on {}: {} dispatches, {} of {} words differ from the twin (NMSE {:.1e}), NMSE {:.1e} against f64",
            variant.lanes,
            variant.device.report().name,
            self.n_dispatches,
            self.n_differing,
            self.n_words,
            self.nmse_twin,
            self.nmse_truth
        );
    }
}

/// The floats in an output's first `n` words.
pub(crate) fn floats(words: &[u32], n: usize) -> Vec<f32> {
    words[..n].iter().map(|word| f32::from_bits(*word)).collect()
}

/// Squared error over squared truth, which must not pass `limit`.
pub(crate) fn nmse_within(values: &[f32], truth: &[f64], limit: f64, what: &str) -> f64 {
    assert_eq!(values.len(), truth.len(), "{what}");
    let error: f64 = values.iter().zip(truth).map(|(v, t)| (f64::from(*v) - t).powi(2)).sum();
    let power: f64 = truth.iter().map(|t| t * t).sum();
    let nmse = error / power;
    assert!(nmse <= limit, "{what}: NMSE {nmse:.2e} against f64, allowed are {limit:.0e}");
    nmse
}
