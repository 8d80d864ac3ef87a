//! One dispatch of one kernel with all that goes in and all that must come out, bit for bit, by the CPU twin.
//!
//! Outputs are poisoned first: a word that the kernel leaves alone shows, and so does one that it had no business writing,
//! because every word around the outputs must still hold its poison.

use std::ops::Range;

use bytemuck::Zeroable;

use crate::gpu::step::{MAX_ROWS, StepHeader, StepRow};
use crate::gpu::{Bindings, Buffer, Device, GpuError, Kernel, Recorder};
use crate::numerics::{ActivationFormat, KvFormat};
use crate::reference::activations::Activations;
use crate::reference::exact_math::f32_from_f16_bits;
use crate::reference::kv_cache::kv_load;
use crate::reference::rms_norm::block_sum_of_squares;

/// What outputs hold before a kernel runs: not a number, as f32 and in both halves as f16.
pub const POISON: u32 = 0x7FDE_7EAD;

/// Poisoned words behind every output, which no kernel may touch.
pub(super) const GUARD_WORDS: usize = 16;

/// Largest squared error over squared value of quants: where a device's sums differ in the last bits from the twin's, a value near a tie
/// may round to the other quant.
const INT8_LIMIT: f64 = 1e-4;

/// The same with quants of four bits, where another quant is a larger step.
const Q4_0_LIMIT: f64 = 1e-2;

/// How the words of an output read as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// One f32 each.
    F32,
    /// Two f16 each.
    F16,
    /// Four signed bytes each.
    Int8,
    /// Blocks of cached keys or values.
    Kv(KvFormat),
    /// Ids, hashes, flags: equal or wrong.
    Exact,
}

/// What a kernel reads.
#[derive(Debug, Clone)]
pub struct Input {
    binding: u32,
    bytes: Vec<u8>,
    uniform: bool,
}

impl Input {
    /// A uniform buffer.
    pub fn uniform(binding: u32, bytes: &[u8]) -> Self {
        Self { binding, bytes: bytes.to_vec(), uniform: true }
    }

    /// A storage buffer.
    pub fn storage(binding: u32, bytes: &[u8]) -> Self {
        Self { binding, bytes: bytes.to_vec(), uniform: false }
    }
}

/// What a kernel writes.
#[derive(Debug, Clone)]
pub struct Output {
    /// Its binding.
    pub binding: u32,
    /// Its name in the shader.
    pub name: &'static str,
    /// How to read it.
    pub words: Words,
    /// What it holds before the kernel runs.
    pub before: Vec<u32>,
    /// What it must hold afterwards; a word equal to that of `before` must not change.
    pub after: Vec<u32>,
}

impl Output {
    /// An output that the kernel fills from its first word on; behind it lies poison.
    pub fn filled(binding: u32, name: &'static str, words: Words, mut after: Vec<u32>) -> Self {
        after.extend([POISON; GUARD_WORDS]);
        Self { binding, name, words, before: vec![POISON; after.len()], after }
    }

    /// The same, of whose words the kernel leaves some as they were.
    pub fn untouched(mut self, words: Range<usize>) -> Self {
        self.after[words.clone()].copy_from_slice(&self.before[words]);
        self
    }

    /// The same, over what it held before instead of over poison.
    pub fn over(mut self, before: &[u32]) -> Self {
        self.before[..before.len()].copy_from_slice(before);
        self
    }
}

/// One dispatch: inputs, and the outputs by the twin.
#[derive(Debug, Clone)]
pub struct Case {
    /// What the kernel reads.
    pub inputs: Vec<Input>,
    /// What it writes.
    pub outputs: Vec<Output>,
    /// Largest squared error over squared value that still counts as this kernel.
    pub limit: f64,
}

/// What the outputs of one dispatch were. // [output, word]
pub type Found = Vec<Vec<u32>>;

/// How far a device's words are from the twin's.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Distance {
    /// Words that the kernel had to write.
    pub n_words: usize,
    /// Those whose bits are not the twin's.
    pub n_differing: usize,
    /// Those that still hold what was there before.
    pub n_unwritten: usize,
    /// Those that read as NaN or infinity although the twin's do not.
    pub n_not_finite: usize,
    /// Words that changed although the kernel must not write them.
    pub n_outside: usize,
    /// Differing words of outputs that allow no error.
    pub n_inexact: usize,
    /// Squared error over squared value of the output that comes closest to its limit, or passes it.
    pub nmse: f64,
    /// That output's limit.
    pub limit: f64,
    /// The first word that is not as it should be.
    pub first: Option<String>,
}

impl Distance {
    /// Whether every word is the twin's.
    pub fn is_zero(&self) -> bool {
        self.first.is_none()
    }
}

impl Case {
    /// Compares what a dispatch left with what the twin says.
    pub fn distance(&self, found: &Found) -> Distance {
        let mut distance = Distance::default();
        for (output, found) in self.outputs.iter().zip(found) {
            let (mut error, mut power) = (0.0_f64, 0.0_f64);
            for (i, (&word, (&before, &after))) in found.iter().zip(output.before.iter().zip(&output.after)).enumerate()
            {
                if word != after && distance.first.is_none() {
                    distance.first = Some(format!("{}[{i}] is {word:#010x}, expected {after:#010x}", output.name));
                }
                if after == before {
                    distance.n_outside += usize::from(word != after);
                    continue;
                }
                distance.n_words += 1;
                distance.n_differing += usize::from(word != after);
                distance.n_unwritten += usize::from(word == before);
                distance.n_inexact += usize::from(output.words == Words::Exact && word != after);
            }
            let len = output.words.len();
            let units =
                output.before.chunks_exact(len).zip(output.after.chunks_exact(len)).zip(found.chunks_exact(len));
            for ((_, after), word) in units.filter(|((before, after), _)| before != after) {
                let (value, twin) = (output.words.values(word), output.words.values(after));
                distance.n_not_finite +=
                    usize::from(value.iter().any(|v| !v.is_finite()) && twin.iter().all(|v| v.is_finite()));
                error += value.iter().zip(&twin).map(|(v, t)| (v - t).powi(2)).sum::<f64>();
                power += twin.iter().map(|t| t.powi(2)).sum::<f64>();
            }
            let nmse = if error > 0.0 { error / power } else { 0.0 };
            let limit = match output.words {
                Words::Int8 | Words::Kv(KvFormat::Q8_0) => INT8_LIMIT,
                Words::Kv(KvFormat::Q4_0) => Q4_0_LIMIT,
                Words::F32 | Words::F16 | Words::Kv(_) | Words::Exact => self.limit,
            };
            if distance.limit == 0.0 || nmse / limit > distance.nmse / distance.limit {
                (distance.nmse, distance.limit) = (nmse, limit);
            }
        }
        distance
    }
}

impl Words {
    /// Words that are read together.
    fn len(self) -> usize {
        match self {
            Self::Kv(format) => format.block_words(),
            Self::F32 | Self::F16 | Self::Int8 | Self::Exact => 1,
        }
    }

    /// The numbers in as many words.
    fn values(self, words: &[u32]) -> Vec<f64> {
        match self {
            Self::F32 => vec![f64::from(f32::from_bits(words[0]))],
            Self::F16 => [words[0] & 0xFFFF, words[0] >> 16].map(|bits| f64::from(f32_from_f16_bits(bits))).into(),
            Self::Int8 => words[0].to_le_bytes().map(|b| f64::from(b as i8)).into(),
            Self::Kv(format) => kv_load(format, words).map(f64::from).into(),
            Self::Exact => Vec::new(),
        }
    }
}

/// Runs every case on its kernel with its grid, in one submission, and reads back what they left.
///
/// # Errors
/// [`GpuError`] of the allocations, the submission or the way back.
pub async fn run(device: &Device, dispatches: &[(&Kernel, &Case, (u32, u32, u32))]) -> Result<Vec<Found>, GpuError> {
    let len = |words: &[u32]| 4 * words.len() as u64;
    let total: u64 = dispatches.iter().flat_map(|(_, case, _)| &case.outputs).map(|output| len(&output.before)).sum();
    let gathered = device.storage("self-test results", total).await?;
    let mut bound: Vec<(Bindings, Vec<Buffer>)> = Vec::with_capacity(dispatches.len());
    for (kernel, case, _) in dispatches {
        bound.push(bind(device, kernel, case).await?);
    }
    let mut recorder = Recorder::default();
    for ((kernel, _, grid), (bindings, _)) in dispatches.iter().zip(&bound) {
        recorder.dispatch(kernel, bindings, *grid);
    }
    let mut at = 0;
    for ((_, case, _), (_, outputs)) in dispatches.iter().zip(&bound) {
        for (output, buffer) in case.outputs.iter().zip(outputs) {
            recorder.copy(buffer, 0, &gathered, at, len(&output.before));
            at += len(&output.before);
        }
    }
    recorder.submit(device);
    let bytes = device.read_back("self-test results", &gathered, total).await?;
    let mut words = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
    let mut take = |output: &Output| words.by_ref().take(output.before.len()).collect();
    Ok(dispatches.iter().map(|(_, case, _)| case.outputs.iter().map(&mut take).collect()).collect())
}

/// Buffers of one case, outputs poisoned, bound to its kernel; and the outputs.
async fn bind(device: &Device, kernel: &Kernel, case: &Case) -> Result<(Bindings, Vec<Buffer>), GpuError> {
    let mut inputs = Vec::with_capacity(case.inputs.len());
    for input in &case.inputs {
        let buffer = if input.uniform {
            device.uniform("self-test input", &input.bytes).await?
        } else {
            device.upload("self-test input", &input.bytes).await?
        };
        inputs.push((input.binding, buffer));
    }
    let mut outputs = Vec::with_capacity(case.outputs.len());
    for output in &case.outputs {
        outputs.push(device.upload(output.name, bytemuck::cast_slice(&output.before)).await?);
    }
    let buffers: Vec<(u32, &Buffer)> = inputs
        .iter()
        .map(|(binding, buffer)| (*binding, buffer))
        .chain(case.outputs.iter().map(|output| output.binding).zip(&outputs))
        .collect();
    Ok((kernel.bind(device, &buffers), outputs))
}

/// The bits of f32 values, as words.
pub fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// Activations that a kernel reads (bindings 4 and 5), with the sums of squares of their blocks where a norm comes next. What the
/// kernel has no use for is poison.
pub(super) fn activation_inputs(activations: &Activations, sums_of_squares: Option<&[f32]>) -> [Input; 2] {
    let poison = f32::from_bits(POISON);
    let n_blocks = activations.n_rows() * activations.row_len() / 32;
    let mut info: Vec<f32> = Vec::with_capacity(4 * n_blocks);
    for block in 0..n_blocks {
        let [scale, scaled_sum] = activations.scales(block).unwrap_or([poison; 2]);
        info.extend([scale, scaled_sum, sums_of_squares.map_or(poison, |sums| sums[block]), poison]);
    }
    [Input::storage(4, bytemuck::cast_slice(&activations.words())), Input::storage(5, bytemuck::cast_slice(&info))]
}

/// Activations that a kernel writes (bindings 6 and 7).
pub(super) fn activation_outputs(activations: &Activations, sums_of_squares: Option<&[f32]>) -> [Output; 2] {
    let n_blocks = activations.n_rows() * activations.row_len() / 32;
    let mut info: Vec<f32> = Vec::with_capacity(4 * n_blocks);
    for block in 0..n_blocks {
        let [scale, scaled_sum] = activations.scales(block).unwrap_or([0.0; 2]);
        info.extend([scale, scaled_sum, sums_of_squares.map_or(0.0, |sums| sums[block]), 0.0]);
    }
    let words = match activations {
        Activations::F32 { .. } => Words::F32,
        Activations::F16 { .. } => Words::F16,
        Activations::Int8 { .. } => Words::Int8,
    };
    [Output::filled(6, "y", words, activations.words()), Output::filled(7, "y_info", Words::F32, bits(&info))]
}

/// Rows in f32, with the sums of squares of their blocks, as a kernel for which a norm comes next reads them (bindings 4 and 5).
pub(super) fn f32_inputs(row_len: usize, rows: &[f32]) -> [Input; 2] {
    let (rows, sums) = in_f32(row_len, rows);
    activation_inputs(&rows, Some(&sums))
}

/// The same as a kernel writes them (bindings 6 and 7).
pub(super) fn f32_outputs(row_len: usize, rows: &[f32]) -> [Output; 2] {
    let (rows, sums) = in_f32(row_len, rows);
    activation_outputs(&rows, Some(&sums))
}

fn in_f32(row_len: usize, rows: &[f32]) -> (Activations, Vec<f32>) {
    let sums = rows.as_chunks().0.iter().map(block_sum_of_squares).collect();
    (Activations::from_rows(ActivationFormat::F32, row_len, rows), sums)
}

/// The `step` uniform.
pub(super) fn step_input(header: StepHeader, rows: &[StepRow]) -> Input {
    let mut all = [StepRow::zeroed(); MAX_ROWS as usize];
    all[..rows.len()].copy_from_slice(rows);
    let mut bytes = bytemuck::bytes_of(&header).to_vec();
    bytes.extend_from_slice(bytemuck::cast_slice(&all));
    Input::uniform(0, &bytes)
}
