//! Whether a model fits a device, told from the header alone: before anything else of the file is fetched.

use serde::Serialize;

use super::ModelConfig;
use super::kv_pool::BLOCK_POSITIONS;
use crate::gguf::{GgufFile, TensorInfo};
use crate::gpu::panel::{self, PANEL_ROWS};
use crate::numerics::Numerics;
use crate::quant::TensorType;

/// Context lengths whose keys and values are told, as far as the model has them.
const CONTEXT_LENS: [u32; 3] = [512, 1024, 2048];

/// What a model may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FitLimits {
    /// Most bytes that a kernel binds at once; none on the CPU twin, which binds nothing.
    pub binding_bytes: Option<u64>,
    /// Bytes for weights and cache together. No browser and few drivers tell how much there is, so it is someone's choice.
    pub memory_bytes: u64,
}

impl FitLimits {
    /// Of memory, where nobody chose: what a usual graphics card, or a browser's tab, can be expected to give.
    pub const USUAL_MEMORY_BYTES: u64 = 4 << 30;
}

/// Keys and values of one sequence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct KvNeed {
    /// Its positions.
    pub context_len: u32,
    /// Bytes of its keys and values.
    pub kv_bytes: u64,
    /// The same with the weights.
    pub total_bytes: u64,
    /// Whether that is within the budget.
    pub fits: bool,
}

/// What a model takes of a device, and whether the device has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Fit {
    /// Numbers in all tensors.
    pub n_parameters: u64,
    /// Bytes of the weights.
    pub weights_bytes: u64,
    /// Bytes of the token embedding, which is cut, as is a head of its own, where a device binds less at once.
    pub embedding_bytes: u64,
    /// The largest other weights that one kernel binds.
    pub largest_binding: String,
    /// Their bytes.
    pub largest_binding_bytes: u64,
    /// Most bytes that a kernel binds at once; none on the CPU twin.
    pub binding_limit_bytes: Option<u64>,
    /// Bytes of keys and values of one position, all layers.
    pub kv_bytes_per_token: u64,
    /// Keys and values of sequences of some lengths.
    pub kv: Vec<KvNeed>,
    /// Positions that the cache is set up for.
    pub cache_positions: u32,
    /// Bytes of the cache.
    pub cache_bytes: u64,
    /// Weights and cache.
    pub total_bytes: u64,
    /// Bytes that they may take together.
    pub budget_bytes: u64,
    /// Whether the largest binding is within the limit.
    pub binding_fits: bool,
    /// Whether weights and cache are within the budget.
    pub memory_fits: bool,
    /// Both.
    pub fits: bool,
    /// All of that in words, with numbers.
    pub sentence: String,
}

/// What a model takes under these numerics, with a cache of `n_cache_blocks` blocks, and whether it is within the limits.
pub fn fit(file: &GgufFile, config: &ModelConfig, numerics: &Numerics, n_cache_blocks: u32, limits: FitLimits) -> Fit {
    let sum = |of: fn(&TensorInfo) -> u64| file.tensors.iter().fold(0_u64, |sum, t| sum.saturating_add(of(t)));
    let (largest_binding, largest_binding_bytes) = largest_binding(file, config);
    let weights_bytes = sum(|tensor| tensor.len_bytes);
    let kv_bytes_per_token = kv_bytes_per_token(config, numerics);
    let cache_positions = n_cache_blocks * BLOCK_POSITIONS;
    let kv_of = |positions: u32| u64::from(positions) * kv_bytes_per_token;
    let total_bytes = weights_bytes.saturating_add(kv_of(cache_positions));
    let kv = context_lens(config).into_iter().map(|context_len| {
        let total_bytes = weights_bytes.saturating_add(kv_of(context_len));
        KvNeed { context_len, kv_bytes: kv_of(context_len), total_bytes, fits: total_bytes <= limits.memory_bytes }
    });
    let binding_fits = limits.binding_bytes.is_none_or(|limit| largest_binding_bytes <= limit);
    let memory_fits = total_bytes <= limits.memory_bytes;
    let mut fit = Fit {
        n_parameters: sum(TensorInfo::n_elements),
        weights_bytes,
        embedding_bytes: file.tensor("token_embd.weight").map_or(0, |tensor| tensor.len_bytes),
        largest_binding,
        largest_binding_bytes,
        binding_limit_bytes: limits.binding_bytes,
        kv_bytes_per_token,
        kv: kv.collect(),
        cache_positions,
        cache_bytes: kv_of(cache_positions),
        total_bytes,
        budget_bytes: limits.memory_bytes,
        binding_fits,
        memory_fits,
        fits: binding_fits && memory_fits,
        sentence: String::new(),
    };
    fit.sentence = sentence(&fit);
    fit
}

fn sentence(fit: &Fit) -> String {
    let (weights, cache, total) = (told(fit.weights_bytes), told(fit.cache_bytes), told(fit.total_bytes));
    let verdict = if fit.fits { "Yes, it fits" } else { "No, it does not fit" };
    let memory = format!(
        "{weights} of weights and {cache} of keys and values for {} positions are {total}, {} the budget of {}",
        fit.cache_positions,
        if fit.memory_fits { "within" } else { "more than" },
        told(fit.budget_bytes),
    );
    let Some(limit) = fit.binding_limit_bytes else { return format!("{verdict}: {memory}.") };
    format!(
        "{verdict}: {memory}; the largest tensor that is bound whole, {} with {}, is {} the {} that this device binds at once.",
        fit.largest_binding,
        told(fit.largest_binding_bytes),
        if fit.binding_fits { "within" } else { "more than" },
        told(limit),
    )
}

/// Decimal units, as download sizes are told everywhere.
fn told(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

fn context_lens(config: &ModelConfig) -> Vec<u32> {
    let mut lens: Vec<u32> = CONTEXT_LENS.into_iter().filter(|len| *len <= config.context_len).collect();
    if lens.is_empty() {
        lens.push(config.context_len);
    }
    lens
}

fn kv_bytes_per_token(config: &ModelConfig, numerics: &Numerics) -> u64 {
    let words = (numerics.k.block_words() + numerics.v.block_words()) as u64;
    u64::from(config.n_blocks) * u64::from(config.kv_dim() / 32) * words * 4
}

/// The weights that a kernel binds whole, of which the embedding and the head are not: name and bytes of the largest.
fn largest_binding(file: &GgufFile, config: &ModelConfig) -> (String, u64) {
    let mut largest = (String::new(), 0);
    for block in 0..config.n_blocks {
        let tensor = |part: &str| file.tensor(&format!("blk.{block}.{part}.weight"));
        // Neighbours of one format among Q, K and V are stacked into one binding, and so are gate and up.
        let stacks = stacked(["attn_q", "attn_k", "attn_v"].map(tensor).into_iter().flatten());
        let gate_up = ["ffn_gate", "ffn_up"].map(tensor).into_iter().flatten().map(plane_bytes).sum();
        let whole = |part: &str| (format!("blk.{block}.{part}.weight"), tensor(part).map_or(0, plane_bytes));
        let bindings = stacks.into_iter().map(|bytes| (format!("blk.{block}.attn_qkv"), bytes)).chain([
            (format!("blk.{block}.ffn_gate_up"), gate_up),
            whole("attn_output"),
            whole("ffn_down"),
        ]);
        largest = bindings.fold(largest, |largest, binding| if binding.1 > largest.1 { binding } else { largest });
    }
    largest
}

/// Bytes of each stack of neighbours of one format.
fn stacked<'a>(tensors: impl Iterator<Item = &'a TensorInfo>) -> Vec<u64> {
    let mut stacks: Vec<(TensorType, u64)> = Vec::new();
    for tensor in tensors {
        match stacks.last_mut() {
            Some((tensor_type, bytes)) if *tensor_type == tensor.tensor_type => *bytes += plane_bytes(tensor),
            _ => stacks.push((tensor.tensor_type, plane_bytes(tensor))),
        }
    }
    stacks.into_iter().map(|(_, bytes)| bytes).collect()
}

/// Bytes of the larger of a matrix's two buffers, quants and scales, in panels.
fn plane_bytes(tensor: &TensorInfo) -> u64 {
    let rows = tensor.n_rows().next_multiple_of(PANEL_ROWS as u64);
    let (quants, scales) = panel::len_bytes(tensor.tensor_type, tensor.row_length().saturating_mul(rows));
    quants.max(scales)
}
