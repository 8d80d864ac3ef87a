//! The bench's result, as a record and as a table.

use std::fmt;

use serde::Serialize;

use super::{Decode, Measured, OrderPrices, Prefill, Price, Product, Quartiles};
use crate::gpu::DeviceReport;
use crate::numerics::{ActivationFormat, Formats};

/// Quartiles of all values that an anchor had.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct AnchorQuartiles {
    /// What was measured.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// By the clock.
    pub wall: Quartiles,
    /// By CPU time; software adapters only.
    pub cpu: Option<Quartiles>,
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
    pub anchors: [AnchorQuartiles; 4],
    /// Single matrix products.
    pub products: Vec<Product>,
    /// Decoding.
    pub decode: Decode,
    /// Prefill.
    pub prefill: Prefill,
    /// What order invariant costs: in the chosen formats first, then, unless quick, in all others.
    pub prices: Vec<OrderPrices>,
    /// Every tensor tapped and compared over none, decoding.
    pub price_taps: Price,
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
        writeln!(f, "reading pattern: {}", self.read_pattern)?;
        writeln!(f, "\n{:<44} by the clock [quartiles]     by CPU time [quartiles]", "anchors")?;
        for anchor in &self.anchors {
            let cpu = anchor.cpu.as_ref().map_or(String::new(), quartiles);
            let name = format!("{}, {}", anchor.name, anchor.unit);
            writeln!(f, "  {name:<40} {:<27} {cpu}", quartiles(&anchor.wall))?;
        }
        writeln!(f, "\n{:<44} share of the anchors", "matrix products: m x n x k, weights, activations")?;
        for product in &self.products {
            product.fmt(f)?;
        }
        writeln!(f, "\n{}, formats {:?}", self.model, self.formats)?;
        let decode = &self.decode;
        line(f, "decode_eff, per token", &decode.measured)?;
        line(f, &format!("prefill_eff, {} tokens", self.prefill.tokens), &self.prefill.measured)?;
        ratio(f, "host_share", &decode.host_share, decode.cpu_host_share.as_ref())?;
        let price =
            |f: &mut fmt::Formatter<'_>, name: &str, price: &Price| ratio(f, name, &price.wall, price.cpu.as_ref());
        price(f, "price of taps, decoding", &self.price_taps)?;
        for of_order in &self.prices {
            let formats = of_order.formats;
            writeln!(f, "\nprice of order invariant, formats {formats:?}")?;
            price(f, "decoding", &of_order.decode)?;
            price(f, "prefill", &of_order.prefill)?;
            if let Some(over_chosen) = &of_order.decode_over_chosen {
                price(f, &format!("decoding by-shape: {formats:?} over {:?}", self.formats), over_chosen)?;
            }
        }
        writeln!(f, "\na decoded token by kernel, ms{:>18} by the clock{:>17}by CPU time", "", "")?;
        for time in &decode.kernels {
            let cpu = time.cpu_ms.map_or(String::new(), |ms| format!("{ms:>6.2}"));
            writeln!(f, "  {:<40} {:>6.2}{:>22}{cpu}", time.kernel, time.wall_ms, "")?;
        }
        let counts = &decode.per_token;
        writeln!(
            f,
            "\nper decoded token: {} dispatches, {} pass, {} submission; {} buffers, {} bind groups, {} pipelines created; \
             {} bytes read back; {} bytes of weights read",
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

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, unit) = if self.m == 1 { ("gemv_eff", "GB/s") } else { ("gemm_eff", "GFLOP/s") };
        let activations = match self.activations {
            ActivationFormat::Int8 => "int8",
            ActivationFormat::F16 => "f16",
            ActivationFormat::F32 => "f32",
        };
        let shape = format!("{}x{}x{}", self.m, self.n, self.k);
        let what = format!("{name} {shape:<12} {:<4} {activations:<4} {:>6.2} {unit}", self.weights, self.rate);
        line(f, &what, &self.measured)
    }
}

fn line(f: &mut fmt::Formatter<'_>, what: &str, measured: &Measured) -> fmt::Result {
    let cpu = measured.cpu_efficiency.as_ref().map_or(String::new(), quartiles);
    let cpu_ms = measured.cpu_ms.as_ref().map_or(String::new(), |ms| format!(" {:.2} ms CPU", ms.median));
    let steady = match (measured.unsteady, measured.n_discarded) {
        (true, _) => ", unsteady".to_owned(),
        (false, 0) => String::new(),
        (false, n) => format!(", {n} discarded"),
    };
    let times = format!("{:.2} ms{cpu_ms}{steady}", measured.wall_ms.median);
    writeln!(f, "  {what:<40} {:<27} {cpu:<27} {times}", quartiles(&measured.efficiency))
}

fn ratio(f: &mut fmt::Formatter<'_>, name: &str, wall: &Quartiles, cpu: Option<&Quartiles>) -> fmt::Result {
    writeln!(f, "  {name:<40} {:<27} {}", quartiles(wall), cpu.map_or(String::new(), quartiles))
}

fn quartiles(q: &Quartiles) -> String {
    format!("{:>6.2} [{:.2} - {:.2}]", q.median, q.low, q.high)
}
