//! The bench's result, as a record and as a table.

use std::fmt;

use serde::Serialize;

use super::{Decode, Measured, Prefill, Price, Product, Quartiles};
use crate::gpu::DeviceReport;
use crate::numerics::{ActivationFormat, Formats};

/// Quartiles of all values that each anchor had.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct AnchorQuartiles {
    /// Fastest reading, GB/s.
    pub read_gb_per_s: Quartiles,
    /// Fastest f32 arithmetic, GFLOP/s.
    pub gflop_per_s: Quartiles,
    /// A dispatch in an open pass, µs.
    pub dispatch_us: Quartiles,
    /// Submission and read-back, µs.
    pub round_trip_us: Quartiles,
}

/// Everything that was measured.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct BenchReport {
    /// Version of this program.
    pub version: &'static str,
    /// Device, driver, kernel family.
    pub device: DeviceReport,
    /// The model's own name.
    pub model: String,
    /// Formats of whole steps.
    pub formats: Formats,
    /// Whether few samples were taken.
    pub quick: bool,
    /// Whether shaders check their bounds; always, as in browsers.
    pub checked_shaders: bool,
    /// Which pattern of reading was the faster.
    pub read_pattern: &'static str,
    /// What the machine can do.
    pub anchors: AnchorQuartiles,
    /// Single matrix products.
    pub products: Vec<Product>,
    /// Decoding.
    pub decode: Decode,
    /// Prefill.
    pub prefill: Prefill,
    /// Order invariant over by-shape, decoding.
    pub price_decode: Price,
    /// Order invariant over by-shape, prefill.
    pub price_prefill: Price,
    /// Load average before, where known.
    pub load_before: Option<f64>,
    /// Load average after, where known.
    pub load_after: Option<f64>,
    /// How long all this took, seconds.
    pub elapsed_s: f64,
}

impl fmt::Display for BenchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = &self.device;
        writeln!(f, "{} ({}, {})", device.name, device.backend, device.driver)?;
        let subgroups = match (device.subgroups, device.subgroup_size) {
            (true, Some(size)) => format!("subgroups of {size}"),
            (true, None) => "subgroups".to_owned(),
            (false, _) => "no subgroups".to_owned(),
        };
        let load = |load: Option<f64>| load.map_or("unknown".to_owned(), |load| format!("{load:.1}"));
        writeln!(
            f,
            "family {:?}, {subgroups}; checked shaders; load {} before, {} after; {:.0} s",
            device.family,
            load(self.load_before),
            load(self.load_after),
            self.elapsed_s
        )?;
        writeln!(f, "\nanchors                        median  [quartiles]")?;
        let anchor = |f: &mut fmt::Formatter<'_>, name: &str, q: &Quartiles, unit: &str| {
            writeln!(f, "  {name:<26} {:>8.2}  [{:.2} - {:.2}] {unit}", q.median, q.low, q.high)
        };
        anchor(f, &format!("read 64 MiB ({})", self.read_pattern), &self.anchors.read_gb_per_s, "GB/s")?;
        anchor(f, "multiply-add", &self.anchors.gflop_per_s, "GFLOP/s")?;
        anchor(f, "dispatch", &self.anchors.dispatch_us, "us")?;
        anchor(f, "round trip", &self.anchors.round_trip_us, "us")?;

        writeln!(
            f,
            "\nproducts                                    share of anchor          rate        wall ms   CPU ms"
        )?;
        for product in &self.products {
            let unit = if product.m == 1 { "GB/s" } else { "GFLOP/s" };
            let activations = match product.activations {
                ActivationFormat::Int8 => "int8",
                ActivationFormat::F32 => "f32",
            };
            let shape = format!("{}x{}x{}", product.m, product.n, product.k);
            writeln!(
                f,
                "  {:<14} {:<5} {:<5} {:<10} {}  {:>6.2} {:<7} {}",
                shape,
                product.weights,
                activations,
                if product.m == 1 { "gemv_eff" } else { "gemm_eff" },
                share(&product.measured.efficiency),
                product.rate,
                unit,
                times(&product.measured)
            )?;
        }

        let decode = &self.decode;
        writeln!(
            f,
            "\n{} in {:?} formats                  share                                wall ms   CPU ms",
            self.model, self.formats
        )?;
        writeln!(
            f,
            "  {:<36} {}                  {}",
            "decode_eff, per token",
            share(&decode.measured.efficiency),
            times(&decode.measured)
        )?;
        writeln!(f, "  {:<36} {}", "host_share", share(&decode.host_share))?;
        let prefill = format!("prefill_eff, {} tokens", self.prefill.tokens);
        let measured = &self.prefill.measured;
        writeln!(f, "  {prefill:<36} {}                  {}", share(&measured.efficiency), times(measured))?;
        for (name, price) in [("decoding", &self.price_decode), ("prefill", &self.price_prefill)] {
            let cpu = price.cpu.map_or(String::new(), |cpu| format!("  by CPU time {cpu:.2}"));
            writeln!(f, "  {:<36} {}{cpu}", format!("price of order invariant, {name}"), share(&price.wall))?;
        }
        writeln!(f, "\na decoded token by kernel, ms")?;
        for time in &decode.kernels {
            writeln!(f, "  {:<36} {:>6.2}", time.kernel, time.ms)?;
        }
        let counts = &decode.per_token;
        writeln!(
            f,
            "\nper decoded token: {} dispatches, {} pass, {} submission, {} buffers, {} bind groups and {} pipelines created, \
             {} bytes read back, {} bytes of weights read",
            counts.dispatches,
            counts.passes,
            counts.submissions,
            counts.buffers,
            counts.bind_groups,
            counts.pipelines,
            counts.bytes_read_back,
            decode.weight_bytes
        )
    }
}

fn share(q: &Quartiles) -> String {
    format!("{:>5.2}  [{:.2} - {:.2}]", q.median, q.low, q.high)
}

fn times(measured: &Measured) -> String {
    let cpu = measured.cpu_ms.map_or("      -".to_owned(), |ms| format!("{ms:>8.2}"));
    let unsteady = if measured.unsteady { "  unsteady" } else { "" };
    let discarded = if measured.n_discarded > 0 && !measured.unsteady {
        format!("  {} discarded", measured.n_discarded)
    } else {
        String::new()
    };
    format!("{:>8.2} {cpu}{unsteady}{discarded}", measured.wall_ms.median)
}
