//! Whole steps of a model: decoding, prefill, what the host adds, and what the invariant order costs.

use serde::Serialize;

use super::anchors::Anchor;
use super::machine::Spent;
use super::sample::{Measured, Quartiles, Sampler};
use crate::gpu::Device;
use crate::model::{Capacity, ForwardPass, Model, ModelError, Outputs, Row, TapRun, TappedRow};
use crate::numerics::{Formats, Numerics, Order};

/// Tokens of the prompt; decoding goes on behind it.
pub(super) const PROMPT_TOKENS: u32 = 128;

/// Rows of one prefill step.
const CHUNK_ROWS: u32 = 64;

/// Positions of a cache block.
const BLOCK: u32 = 16;

/// Where the model runs: one sequence with room for the prompt and what is decoded behind it.
const CAPACITY: Capacity = Capacity { context_len: 256, n_cache_blocks: 256 / BLOCK, n_sequences: 1 };

/// Exact counts of one decoded token, whose logits' top five, hash and finiteness are read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct TokenCounts {
    /// Dispatches.
    pub dispatches: u64,
    /// Compute passes.
    pub passes: u64,
    /// Submissions.
    pub submissions: u64,
    /// Buffers created.
    pub buffers: u64,
    /// Bind groups created.
    pub bind_groups: u64,
    /// Pipelines created.
    pub pipelines: u64,
    /// Bytes mapped for reading.
    pub bytes_read_back: u64,
}

impl TokenCounts {
    /// What was asked of a device since it was opened.
    pub fn so_far(device: &Device) -> Self {
        let counters = device.counters();
        Self {
            dispatches: counters.dispatches.get(),
            passes: counters.passes.get(),
            submissions: counters.submissions.get(),
            buffers: counters.buffers.get(),
            bind_groups: counters.bind_groups.get(),
            pipelines: counters.pipelines.get(),
            bytes_read_back: counters.bytes_read_back.get(),
        }
    }

    /// What was asked since `before`.
    pub fn since(self, before: Self) -> Self {
        Self {
            dispatches: self.dispatches - before.dispatches,
            passes: self.passes - before.passes,
            submissions: self.submissions - before.submissions,
            buffers: self.buffers - before.buffers,
            bind_groups: self.bind_groups - before.bind_groups,
            pipelines: self.pipelines - before.pipelines,
            bytes_read_back: self.bytes_read_back - before.bytes_read_back,
        }
    }
}

/// What one kernel takes of a decoded token.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct KernelTime {
    /// Kernel name.
    pub kernel: String,
    /// Milliseconds of all its dispatches of one token.
    pub wall_ms: f64,
    /// The same in CPU time; software adapters only.
    pub cpu_ms: Option<f64>,
}

/// Decoding, one token after another.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct Decode {
    /// Bytes of weights that a token reads.
    pub weight_bytes: u64,
    /// Against reading those bytes and making that many dispatches; times are of one token.
    pub measured: Measured,
    /// Share of a token's time in which no kernel runs: 1 minus its kernels' times over its own.
    pub host_share: Quartiles,
    /// The same in CPU time; software adapters only.
    pub cpu_host_share: Option<Quartiles>,
    /// What its kernels take, measured kernel by kernel; the least of several measurements.
    pub kernels: Vec<KernelTime>,
    /// Exact counts.
    pub per_token: TokenCounts,
}

/// Taking in a prompt.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct Prefill {
    /// Tokens of the prompt.
    pub tokens: u32,
    /// Floating-point operations of matrix products and attention.
    pub operations: f64,
    /// Against so many operations at the arithmetic anchor's rate; times are of the whole prompt.
    pub measured: Measured,
}

/// Time of one way over time of another.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct Price {
    /// By the clock.
    pub wall: Quartiles,
    /// By CPU time; software adapters only.
    pub cpu: Option<Quartiles>,
    /// Quadruples of the one, the other, the other, the one.
    pub n_quadruples: usize,
}

/// A forward pass with a sequence in it.
pub(super) struct Runner {
    pass: ForwardPass,
    formats: Formats,
    prompt: Vec<u32>,
}

impl Runner {
    /// Compiles and tests the kernels, as an engine does.
    pub(super) async fn new(
        device: &Device,
        model: &Model,
        formats: Formats,
        order: Order,
    ) -> Result<Self, ModelError> {
        let numerics = Numerics::new(formats, order, CHUNK_ROWS);
        let mut pass = ForwardPass::new(device, &model.config, &model.weights, numerics, CAPACITY).await?;
        pass.self_test(&model.weights.formats(model.config.architecture, numerics.shards)).await?;
        let blocks: Vec<u32> = (0..CAPACITY.n_cache_blocks).collect();
        pass.set_block_table(0, 0, &blocks);
        let vocab_size = model.config.vocab_size;
        let prompt = (0..PROMPT_TOKENS).map(|i| (i * 389 + 1000) % vocab_size).collect();
        Ok(Self { pass, formats, prompt })
    }

    /// Formats of its steps.
    pub(super) fn formats(&self) -> Formats {
        self.formats
    }

    /// Takes in the prompt.
    pub(super) async fn prefill(&mut self) -> Result<(), ModelError> {
        let rows: Vec<Row> = (0..).zip(&self.prompt).map(|(position, &token)| row(position, token)).collect();
        let n_chunks = rows.chunks(CHUNK_ROWS as usize).len();
        for (i, chunk) in rows.chunks(CHUNK_ROWS as usize).enumerate() {
            let outputs = if i + 1 == n_chunks { Outputs::Last } else { Outputs::None };
            self.pass.forward(chunk, outputs).await?;
        }
        Ok(())
    }

    /// Decodes `n` tokens behind the prompt, over whatever was there.
    pub(super) async fn decode(&mut self, n: u32) -> Result<(), ModelError> {
        let mut token = self.prompt[0];
        for i in 0..n {
            let tops = self.pass.forward(&[row(PROMPT_TOKENS + i, token)], Outputs::Last).await?;
            token = tops[0].ids[0];
        }
        Ok(())
    }

    /// The same with every row tapped and compared.
    pub(super) async fn decode_tapped(&mut self, n: u32) -> Result<(), ModelError> {
        let mut token = self.prompt[0];
        for i in 0..n {
            let tapped = TappedRow { row: 0, run: TapRun::Second };
            let (tops, _) = self.pass.forward_tapped(&[row(PROMPT_TOKENS + i, token)], Outputs::Last, tapped).await?;
            token = tops[0].ids[0];
        }
        Ok(())
    }

    /// What each kernel takes of one token behind the prompt, submission and way back included.
    async fn kernel_times(&mut self, device: &Device) -> Result<Vec<(String, Spent)>, ModelError> {
        let rows = [row(PROMPT_TOKENS, self.prompt[0])];
        let mut times = Vec::new();
        for (kernel, record) in self.pass.by_kernel(&rows, Outputs::Last)? {
            let before = Spent::so_far();
            record.submit(device);
            device.finished().await?;
            times.push((kernel.to_owned(), before.until_now()));
        }
        Ok(times)
    }
}

fn row(position: u32, token: u32) -> Row {
    Row { sequence: 0, position, token, block: position / BLOCK }
}

/// Bytes of weights that one decoded token reads: every matrix once; of the embedding only the head reads all.
fn weight_bytes(model: &Model) -> u64 {
    let blocks = model
        .weights
        .blocks
        .iter()
        .flat_map(|block| block.attn_qkv.iter().chain([&block.attn_output, &block.ffn_gate_up, &block.ffn_down]));
    let matrices = blocks.chain(model.weights.head());
    matrices.filter_map(|m| m.tensor_type.len_bytes(u64::from(m.n_panels) * 32 * u64::from(m.k))).sum()
}

/// Floating-point operations of taking in `n` tokens: products of every block, scores and weighted values, and one row's logits.
fn prefill_operations(model: &Model, n: u32) -> f64 {
    let config = &model.config;
    let of = |rows: u32, len: u32| 2.0 * f64::from(rows) * f64::from(len);
    let (dim, q_dim) = (config.embedding_dim, config.q_dim());
    let block = of(q_dim + 2 * config.kv_dim(), dim) + of(dim, q_dim) + 3.0 * of(config.feed_forward_dim, dim);
    let keys = 0.5 * f64::from(n) * f64::from(n + 1);
    f64::from(config.n_blocks) * (block * f64::from(n) + 4.0 * f64::from(q_dim) * keys) + of(config.vocab_size, dim)
}

/// Measures decoding.
pub(super) async fn decode(
    device: &Device,
    model: &Model,
    runner: &mut Runner,
    sampler: &mut Sampler<'_>,
    tokens: u32,
) -> Result<Decode, ModelError> {
    runner.prefill().await?;
    runner.decode(2).await?;
    let before = TokenCounts::so_far(device);
    runner.decode(1).await?;
    let per_token = TokenCounts::so_far(device).since(before);
    let (bytes, dispatches) = (weight_bytes(model), per_token.dispatches as f64);
    let ideal_ms = |a: &super::Anchors| bytes as f64 / a.read_gb_per_s / 1e6 + dispatches * a.dispatch_us / 1e3;
    let anchors = [Anchor::Read, Anchor::Dispatch];
    let measured = sampler.measure(&anchors, tokens, ideal_ms, async || runner.decode(tokens).await).await?;

    let software = device.report().software;
    let (mut shares, mut cpu_shares, mut kernels) = (Vec::new(), Vec::new(), Vec::<KernelTime>::new());
    for _ in 0..sampler.n_samples() {
        let round_trip = sampler.anchors(&[Anchor::RoundTrip]).await?;
        let before = Spent::so_far();
        runner.decode(2).await?;
        let first = before.until_now();
        let times = runner.kernel_times(device).await?;
        let before = Spent::so_far();
        runner.decode(2).await?;
        let second = before.until_now();
        // Each kernel's dispatches were a submission of their own, whose way there and back is no kernel's time.
        let kernel_ms: f64 = times.iter().map(|(_, spent)| spent.wall_ms - round_trip.wall.round_trip_us / 1e3).sum();
        let kernel_cpu_ms: f64 = times.iter().map(|(_, spent)| spent.cpu_ms - round_trip.cpu.round_trip_us / 1e3).sum();
        shares.push(1.0 - 4.0 * kernel_ms / (first.wall_ms + second.wall_ms));
        cpu_shares.push(1.0 - 4.0 * kernel_cpu_ms / (first.cpu_ms + second.cpu_ms));
        for (kernel, spent) in times {
            let cpu_ms = software.then_some(spent.cpu_ms);
            match kernels.iter_mut().find(|known| known.kernel == kernel) {
                Some(known) => {
                    known.wall_ms = known.wall_ms.min(spent.wall_ms);
                    known.cpu_ms = known.cpu_ms.zip(cpu_ms).map(|(a, b)| a.min(b));
                }
                None => kernels.push(KernelTime { kernel, wall_ms: spent.wall_ms, cpu_ms }),
            }
        }
    }
    Ok(Decode {
        weight_bytes: bytes,
        measured,
        host_share: Quartiles::of(&shares),
        cpu_host_share: software.then(|| Quartiles::of(&cpu_shares)),
        kernels,
        per_token,
    })
}

/// Measures prefill.
pub(super) async fn prefill(
    model: &Model,
    runner: &mut Runner,
    sampler: &mut Sampler<'_>,
) -> Result<Prefill, ModelError> {
    runner.prefill().await?;
    let operations = prefill_operations(model, PROMPT_TOKENS);
    let ideal_ms = |a: &super::Anchors| operations / a.gflop_per_s / 1e6;
    let measured = sampler.measure(&[Anchor::MultiplyAdd], 1, ideal_ms, async || runner.prefill().await).await?;
    Ok(Prefill { tokens: PROMPT_TOKENS, operations, measured })
}

/// Which of two ways runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The one that is divided by.
    Plain,
    /// The one whose price is measured.
    Priced,
}

/// Measures a price: quadruples of plain, priced, priced, plain.
pub(super) async fn price(
    device: &Device,
    n_quadruples: usize,
    mut run: impl AsyncFnMut(Way) -> Result<(), ModelError>,
) -> Result<Price, ModelError> {
    run(Way::Plain).await?;
    run(Way::Priced).await?;
    let (mut wall, mut cpu) = (Vec::new(), Vec::new());
    for _ in 0..n_quadruples {
        let mut spent = [(0.0, 0.0); 2];
        for way in [Way::Plain, Way::Priced, Way::Priced, Way::Plain] {
            let before = Spent::so_far();
            run(way).await?;
            let one = before.until_now();
            spent[way as usize].0 += one.wall_ms;
            spent[way as usize].1 += one.cpu_ms;
        }
        wall.push(spent[1].0 / spent[0].0);
        cpu.push(spent[1].1 / spent[0].1);
    }
    let cpu = device.report().software.then(|| Quartiles::of(&cpu));
    Ok(Price { wall: Quartiles::of(&wall), cpu, n_quadruples })
}
