//! `lastbit bench`: how fast this is, as shares of what the machine can do in the same seconds.
//!
//! Absolute times say little on a shared machine. So every number here is a ratio: anchors (reading, multiply-adds, dispatches, round
//! trips) are measured in the same process before and after every sample, a sample whose anchors moved by more than a fifth is
//! discarded, and what is reported is the median with its quartiles. On software adapters the same ratios are also taken in CPU time,
//! which other programs disturb far less. Counts are exact. Native only: the waits block.

mod anchors;
mod machine;
mod prices;
mod products;
mod report;
mod sample;
mod steps;

use std::time::Instant;

pub use anchors::Anchors;
pub use prices::OrderPrices;
pub use products::Product;
pub use report::{AnchorQuartiles, BenchReport};
pub use sample::{Measured, Quartiles};
pub use steps::{Decode, KernelTime, Prefill, Price, TokenCounts};

use crate::gpu::Device;
use crate::model::{Model, ModelError};
use crate::numerics::{Formats, Order};
use anchors::{Anchor, Probes};
use products::Site;
use sample::Sampler;
use steps::{Runner, Way};

/// What to measure, and how thoroughly.
#[derive(Debug, Clone, Copy)]
pub struct BenchOptions {
    /// Few samples, and prices in the chosen formats only: under a minute.
    pub quick: bool,
    /// Also one product in every weight format.
    pub every_format: bool,
    /// Formats of whole steps; single products are measured with both formats of activations.
    pub formats: Formats,
}

/// How many of everything.
struct Plan {
    samples: usize,
    retries: usize,
    decoded_tokens: u32,
    quadruples: usize,
}

impl BenchOptions {
    fn plan(self) -> Plan {
        if self.quick {
            Plan { samples: 3, retries: 1, decoded_tokens: 8, quadruples: 2 }
        } else {
            Plan { samples: 9, retries: 9, decoded_tokens: 64, quadruples: 7 }
        }
    }
}

/// Measures a model on a device; `on_progress` is told what is being measured.
///
/// # Errors
/// GPU errors, a failed self-test.
pub async fn bench(
    device: &Device,
    model: &Model,
    options: BenchOptions,
    mut on_progress: impl FnMut(&str),
) -> Result<BenchReport, ModelError> {
    let started = Instant::now();
    let plan = options.plan();
    let load_before = machine::load_average();
    on_progress("anchors");
    let probes = Probes::new(device).await?;
    let mut sampler = Sampler::new(&probes, device.report().software, plan.samples, plan.retries);
    for _ in 0..plan.samples {
        sampler.anchors(&[Anchor::Read, Anchor::MultiplyAdd, Anchor::Dispatch, Anchor::RoundTrip]).await?;
    }
    let mut sites = Site::all(model);
    if options.every_format {
        sites.extend(Site::in_every_format());
    }
    let products = products::measure(device, model, sites, &mut sampler, &mut on_progress).await?;

    on_progress("compiling and testing kernels");
    let mut by_shape = Runner::new(device, model, options.formats, Order::ByShape).await?;
    let mut invariant = Runner::new(device, model, options.formats, Order::Invariant).await?;
    on_progress("decoding");
    let decode = steps::decode(device, model, &mut by_shape, &mut sampler, plan.decoded_tokens).await?;
    on_progress("prefill");
    let prefill = steps::prefill(model, &mut by_shape, &mut sampler).await?;
    let tokens = plan.decoded_tokens.div_ceil(4);
    let quadruples = plan.quadruples;
    on_progress("price of order invariant");
    let mut prices = vec![OrderPrices::measure(device, &mut by_shape, &mut invariant, tokens, quadruples).await?];
    on_progress("price of taps");
    let price_taps = steps::price(device, quadruples, async |way| match way {
        Way::Plain => by_shape.decode(tokens).await,
        Way::Priced => by_shape.decode_tapped(tokens).await,
    })
    .await?;

    for &formats in Formats::ALL.iter().filter(|formats| !options.quick && **formats != options.formats) {
        on_progress(&format!("price of order invariant, formats {formats:?}"));
        let mut others = Runner::new(device, model, formats, Order::ByShape).await?;
        let mut invariant = Runner::new(device, model, formats, Order::Invariant).await?;
        let of_order = OrderPrices::measure(device, &mut others, &mut invariant, tokens, quadruples).await?;
        let decode = steps::price(device, quadruples, async |way| match way {
            Way::Plain => by_shape.decode(tokens).await,
            Way::Priced => others.decode(tokens).await,
        })
        .await?;
        prices.push(OrderPrices { decode_over_chosen: Some(decode), ..of_order });
    }

    let anchors = [
        ("read 64 MiB", "GB/s", Anchor::Read),
        ("multiply-add", "GFLOP/s", Anchor::MultiplyAdd),
        ("dispatch", "us", Anchor::Dispatch),
        ("round trip", "us", Anchor::RoundTrip),
    ];
    Ok(BenchReport {
        version: env!("CARGO_PKG_VERSION"),
        device: device.report().clone(),
        model: model.config.name.clone(),
        formats: options.formats,
        quick: options.quick,
        checked_shaders: true,
        read_pattern: probes.read_pattern,
        anchors: anchors.map(|(name, unit, anchor)| {
            let (wall, cpu) = sampler.seen(anchor);
            AnchorQuartiles { name, unit, wall, cpu }
        }),
        products,
        decode,
        prefill,
        prices,
        price_taps,
        load_before,
        load_after: machine::load_average(),
        elapsed_s: started.elapsed().as_secs_f64(),
    })
}
