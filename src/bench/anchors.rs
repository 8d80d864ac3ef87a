//! What this machine can do right now, measured by the simplest kernels there are. Every number of the bench is a share of these.

use serde::Serialize;

use super::machine::Spent;
use crate::gpu::{Bindings, Buffer, Device, GpuError, Kernel, Recorder};

/// Bytes that the read anchor reads: more than most caches hold.
const READ_BYTES: u64 = 64 << 20;

/// Bytes that one thread of either read kernel reads (CHUNK and 4 * UNITS quads there).
const READ_BYTES_PER_THREAD: u64 = 16 << 10;

/// Operations of one thread of the multiply-add kernel: 2 * 4 * 8 * ROUNDS.
const OPERATIONS_PER_THREAD: f64 = 64.0 * 2048.0;

/// Dispatches of the dispatch anchor.
const N_DISPATCHES: u32 = 500;

/// Round trips of the round-trip anchor.
const N_ROUND_TRIPS: u32 = 16;

/// Shortest measurement of the two rooflines.
const SHORTEST_MS: f64 = 20.0;

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    /// Reading 64 MiB, GB/s.
    Read,
    /// Independent multiply-adds, GFLOP/s.
    MultiplyAdd,
    /// One dispatch of one workgroup among many in a pass, µs.
    Dispatch,
    /// Submission and a 16-byte read-back, µs.
    RoundTrip,
}

/// One value of each anchor; those that were not measured are NaN.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct Anchors {
    /// Fastest reading, GB/s.
    pub read_gb_per_s: f64,
    /// Fastest f32 arithmetic, GFLOP/s.
    pub gflop_per_s: f64,
    /// A dispatch in an open pass, µs.
    pub dispatch_us: f64,
    /// Submission and read-back, µs.
    pub round_trip_us: f64,
}

impl Anchors {
    pub(super) const UNKNOWN: Self =
        Self { read_gb_per_s: f64::NAN, gflop_per_s: f64::NAN, dispatch_us: f64::NAN, round_trip_us: f64::NAN };

    pub(super) fn get(&self, anchor: Anchor) -> f64 {
        match anchor {
            Anchor::Read => self.read_gb_per_s,
            Anchor::MultiplyAdd => self.gflop_per_s,
            Anchor::Dispatch => self.dispatch_us,
            Anchor::RoundTrip => self.round_trip_us,
        }
    }

    /// Half-way between two measurements.
    pub(super) fn mean(&self, other: &Self) -> Self {
        Self {
            read_gb_per_s: 0.5 * (self.read_gb_per_s + other.read_gb_per_s),
            gflop_per_s: 0.5 * (self.gflop_per_s + other.gflop_per_s),
            dispatch_us: 0.5 * (self.dispatch_us + other.dispatch_us),
            round_trip_us: 0.5 * (self.round_trip_us + other.round_trip_us),
        }
    }

    pub(super) fn set(&mut self, anchor: Anchor, value: f64) {
        *match anchor {
            Anchor::Read => &mut self.read_gb_per_s,
            Anchor::MultiplyAdd => &mut self.gflop_per_s,
            Anchor::Dispatch => &mut self.dispatch_us,
            Anchor::RoundTrip => &mut self.round_trip_us,
        } = value;
    }
}

/// A kernel, bound, with its grid, and how often one measurement runs it.
#[derive(Debug)]
struct Probe {
    kernel: Kernel,
    bindings: Bindings,
    grid: (u32, u32, u32),
    repeats: u32,
}

impl Probe {
    async fn new(
        device: &Device,
        name: &str,
        source: &str,
        buffers: &[(u32, &Buffer)],
        n_workgroups: u64,
    ) -> Result<Self, GpuError> {
        let kernel = Kernel::new(device, name, source).await?;
        let bindings = kernel.bind(device, buffers);
        let (x, y) = crate::gpu::grid(u32::try_from(n_workgroups).expect("a few thousand workgroups"));
        Ok(Self { kernel, bindings, grid: (x, y, 1), repeats: 1 })
    }

    /// Time of `repeats` dispatches in one pass.
    async fn run(&self, device: &Device) -> Result<Spent, GpuError> {
        let mut record = Recorder::default();
        (0..self.repeats).for_each(|_| record.dispatch(&self.kernel, &self.bindings, self.grid));
        let before = Spent::so_far();
        record.submit(device);
        device.finished().await?;
        Ok(before.until_now())
    }

    /// Warms up and repeats often enough for a measurement.
    async fn calibrate(&mut self, device: &Device) -> Result<(), GpuError> {
        self.run(device).await?;
        while self.run(device).await?.wall_ms < SHORTEST_MS {
            self.repeats *= 2;
        }
        Ok(())
    }
}

/// The anchors' kernels, ready to run.
#[derive(Debug)]
pub(super) struct Probes {
    device: Device,
    read: Probe,
    multiply_add: Probe,
    threads: u64, // of one dispatch of multiply_add
    dispatch: Probe,
    word: Buffer,
    staging: Buffer,
    pub(super) read_pattern: &'static str,
}

impl Probes {
    /// Compiles them, and takes the faster of two patterns of reading.
    pub(super) async fn new(device: &Device) -> Result<Self, GpuError> {
        // A software adapter runs a workgroup on one of its few threads; a GPU wants many threads to be busy.
        let (workgroup, n_workgroups) = if device.report().software { (8, 128) } else { (64, 4096) };
        let threads = workgroup * n_workgroups;
        let source = |text: &str| format!("const WG_SIZE: u32 = {workgroup}u;\n{text}");
        let quads = device.storage("read anchor", READ_BYTES).await?;
        let n_readers = READ_BYTES / READ_BYTES_PER_THREAD;
        let result = device.storage("anchor results", n_readers.max(threads) * 16).await?;
        let word = device.storage("anchor word", 16).await?;
        let into = [(0, &quads), (1, &result)];
        let readers = n_readers / workgroup;
        let mut chunks = Probe::new(
            device,
            "read_chunks",
            &source(include_str!("../../shaders/bench/read_chunks.wgsl")),
            &into,
            readers,
        )
        .await?;
        let mut panels = Probe::new(
            device,
            "read_panels",
            &source(include_str!("../../shaders/bench/read_panels.wgsl")),
            &into,
            readers,
        )
        .await?;
        let mut multiply_add = Probe::new(
            device,
            "multiply_add",
            &source(include_str!("../../shaders/bench/multiply_add.wgsl")),
            &[(0, &result)],
            n_workgroups,
        )
        .await?;
        let mut dispatch =
            Probe::new(device, "one_word", include_str!("../../shaders/bench/one_word.wgsl"), &[(0, &word)], 1).await?;
        chunks.calibrate(device).await?;
        panels.calibrate(device).await?;
        multiply_add.calibrate(device).await?;
        dispatch.repeats = N_DISPATCHES;
        dispatch.run(device).await?;
        let (mut chunks_ms, mut panels_ms) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..3 {
            chunks_ms = chunks_ms.min(chunks.run(device).await?.wall_ms / f64::from(chunks.repeats));
            panels_ms = panels_ms.min(panels.run(device).await?.wall_ms / f64::from(panels.repeats));
        }
        let (read, read_pattern) = if chunks_ms < panels_ms { (chunks, "chunks") } else { (panels, "panels") };
        let staging = device.staging("anchor staging", 16).await?;
        Ok(Self { device: device.clone(), read, multiply_add, threads, dispatch, word, staging, read_pattern })
    }

    /// Measures one anchor, in its own unit: by the clock and by CPU time.
    pub(super) async fn measure(&self, anchor: Anchor) -> Result<(f64, f64), GpuError> {
        let (spent, rate): (Spent, Box<dyn Fn(f64) -> f64>) = match anchor {
            Anchor::Read => {
                let bytes = READ_BYTES as f64 * f64::from(self.read.repeats);
                (self.read.run(&self.device).await?, Box::new(move |ms| bytes / ms / 1e6))
            }
            Anchor::MultiplyAdd => {
                let operations = OPERATIONS_PER_THREAD * self.threads as f64 * f64::from(self.multiply_add.repeats);
                (self.multiply_add.run(&self.device).await?, Box::new(move |ms| operations / ms / 1e6))
            }
            Anchor::Dispatch => {
                let n = f64::from(self.dispatch.repeats);
                (self.dispatch.run(&self.device).await?, Box::new(move |ms| ms * 1e3 / n))
            }
            Anchor::RoundTrip => (self.round_trips().await?, Box::new(|ms| ms * 1e3 / f64::from(N_ROUND_TRIPS))),
        };
        Ok((rate(spent.wall_ms), rate(spent.cpu_ms)))
    }

    async fn round_trips(&self) -> Result<Spent, GpuError> {
        let before = Spent::so_far();
        for _ in 0..N_ROUND_TRIPS {
            let mut record = Recorder::default();
            record.copy(&self.word, 0, &self.staging, 0, 16);
            record.submit(&self.device);
            self.device.read_staging("anchor", &self.staging, 16).await?;
        }
        Ok(before.until_now())
    }
}
