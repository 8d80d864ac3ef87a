//! Joins shader files into modules. Every file is plain WGSL; formats and families swap a file, never a branch.

use super::select::{KernelShape, Lanes};
use super::step::MAX_ROWS;
use super::wgsl_weights;
use crate::architecture::{Activation, Architecture};
use crate::numerics::{Accumulation, ActivationFormat, Arithmetic, KvFormat, Reduction, TieRule};
use crate::quant::TensorType;

macro_rules! shader {
    ($name:literal) => {
        include_str!(concat!("../../shaders/", $name, ".wgsl"))
    };
}
pub(super) use shader;

/// Four outputs of a task each.
pub(super) const OUT_QUADS: &str = "const OUT_QUADS: u32 = PANELS * GROUPS;";

/// How a block is written as f32, whatever the arithmetic.
pub(super) const WRITE_F32: [&str; 2] = [shader!("shared/write_f32"), shader!("shared/write_float")];

/// How blocks become quants.
const QUANTISE: &str = concat!(shader!("shared/magnitude"), shader!("shared/quantise_int8"));

/// What a finished dot product becomes: the epilogue joined to a matmul.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Epilogue {
    /// Rotary embedding of Q and K; K and V into the cache.
    Qkv,
    /// V into the cache; Q and K as they are, for head_norm to take on.
    QkvRaw,
    /// Onto the residual stream, and on to the next norm.
    Residual,
    /// One shard's part of what [`Epilogue::Residual`] takes whole, to be added to the others' by ring_sum.
    Partial,
    /// What [`Epilogue::Residual`] takes, for post_norm to take on.
    Total,
    /// activation(gate) * up.
    GateUp,
    /// Logits.
    Output,
}

impl Epilogue {
    /// Its shader's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Qkv => "qkv",
            Self::QkvRaw => "qkv_raw",
            Self::Residual => "residual",
            Self::Partial => "partial",
            Self::Total => "total",
            Self::GateUp => "gate_up",
            Self::Output => "output",
        }
    }

    /// What becomes of the products of Q, K and V.
    pub fn of_qkv(architecture: Architecture) -> Self {
        if architecture.head_norms { Self::QkvRaw } else { Self::Qkv }
    }

    /// What becomes of the products of attn_output and ffn_down.
    pub fn onto_stream(architecture: Architecture, shards: u32) -> Self {
        match shards {
            1 if architecture.post_norms => Self::Total,
            1 => Self::Residual,
            _ => Self::Partial,
        }
    }

    /// Whether a norm stands in front of the product, whose factor for the row it multiplies by.
    pub fn is_normed(self) -> bool {
        !matches!(self, Self::Residual | Self::Partial | Self::Total)
    }

    /// What of the cache it writes.
    fn sides(self) -> &'static [Side] {
        match self {
            Self::Qkv => &[Side::K, Side::V],
            Self::QkvRaw => &[Side::V],
            _ => &[],
        }
    }

    /// Panels of one task.
    pub fn panels(self) -> u32 {
        if self == Self::GateUp { 2 } else { 1 }
    }
}

/// What every kernel text depends on beside its own formats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// How blocks lie on threads.
    pub lanes: Lanes,
    /// Values of one attention head, a multiple of 32.
    pub head_dim: u32,
    /// Format of activations, and of sums in matrix products.
    pub arithmetic: Arithmetic,
    /// Format of cached keys.
    pub k: KvFormat,
    /// Format of cached values.
    pub v: KvFormat,
    /// Order of a norm's sum.
    pub norm: Reduction,
    /// Order of a softmax's sum.
    pub softmax: Reduction,
    /// Which of equal logits comes first.
    pub tie_rule: TieRule,
    /// Threads of a subgroup, where kernels may use subgroups of one size.
    pub subgroup_size: Option<u32>,
    /// What the model's kernels do otherwise than those of other architectures.
    pub architecture: Architecture,
}

/// One side of the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    K,
    V,
}

impl Side {
    /// A format's file is written for a cache `kv`; K and V, whose formats may differ, each get it under their own names.
    fn named(self, file: &str) -> String {
        let (upper, lower) = if self == Self::K { ("K", "k_") } else { ("V", "v_") };
        file.replace("Kv", upper).replace("kv_", lower)
    }
}

impl Lanes {
    pub(super) fn source(self) -> &'static str {
        match self {
            Self::Subgroup8 => shader!("shared/lanes_subgroup_8"),
            Self::Subgroup4 => shader!("shared/lanes_subgroup_4"),
            Self::Alone => shader!("shared/lanes_alone"),
            Self::Shuffle8 => shader!("shared/lanes_shuffle_8"),
            Self::Workgroup => shader!("shared/lanes_workgroup"),
        }
    }

    fn uses_subgroups(self) -> bool {
        matches!(self, Self::Subgroup8 | Self::Subgroup4 | Self::Shuffle8)
    }

    /// Whether the vector kernel spreads slices of K over threads instead of walking them in one.
    pub fn spreads_slices(self) -> bool {
        matches!(self, Self::Shuffle8 | Self::Workgroup)
    }

    /// Whether integer dot products go through the packed instruction. Software adapters are faster without.
    fn packed_dot(self) -> bool {
        matches!(self, Self::Shuffle8 | Self::Workgroup)
    }
}

impl Target {
    /// Kernels of these formats in the orders that engines use most, of the plainest architecture.
    pub const fn new(lanes: Lanes, head_dim: u32, arithmetic: Arithmetic, k: KvFormat, v: KvFormat) -> Self {
        Self {
            lanes,
            head_dim,
            arithmetic,
            k,
            v,
            norm: Reduction::Sequential,
            softmax: Reduction::WorkgroupTree,
            tie_rule: TieRule::LowestId,
            subgroup_size: None,
            architecture: Architecture::LLAMA,
        }
    }

    /// One module: directives and constants, then the files in any order.
    pub(super) fn join(&self, constants: &str, files: &[&str]) -> String {
        // Browsers want the directive; naga 30 refuses it.
        let directive =
            if cfg!(target_arch = "wasm32") && self.lanes.uses_subgroups() { "enable subgroups;\n" } else { "" };
        let mut source = format!(
            "{directive}const HEAD_DIM: u32 = {}u;\nconst MAX_ROWS: u32 = {MAX_ROWS}u;\n{constants}\n",
            self.head_dim
        );
        for file in files {
            source.push_str(file);
            source.push('\n');
        }
        source
    }

    pub(super) fn accumulate(&self) -> &'static str {
        match self.arithmetic.accumulation {
            Accumulation::F32 => shader!("shared/accumulate_f32"),
            Accumulation::F16 => shader!("shared/accumulate_f16"),
        }
    }

    /// How a matmul reads its activations, and adds.
    fn read(&self, weights: TensorType) -> Vec<&'static str> {
        let Arithmetic { activations, accumulation } = self.arithmetic;
        let x = match activations {
            ActivationFormat::F32 => shader!("shared/x_f32"),
            ActivationFormat::F16 => shader!("shared/x_f16"),
            ActivationFormat::Int8 => shader!("shared/x_int8"),
        };
        let int8 = activations == ActivationFormat::Int8;
        let quants = wgsl_weights::are_quants(weights);
        let mut read = match (int8, quants, accumulation) {
            (true, true, _) | (true, _, Accumulation::F32) if self.lanes.packed_dot() => {
                vec![shader!("shared/read_int8")]
            }
            (true, true, _) => vec![shader!("shared/read_pairs")],
            (true, false, Accumulation::F32) => vec![shader!("shared/load_quads"), shader!("shared/read_quads")],
            (false, _, Accumulation::F32) => vec![shader!("shared/load_quads"), shader!("shared/read_float")],
            (_, _, Accumulation::F16) => vec![shader!("shared/read_rounded")],
        };
        read.extend([x, self.accumulate()]);
        read
    }

    /// How the tiled kernel reads four rows of them.
    fn tile(&self, weights: TensorType) -> &'static str {
        let pairs = wgsl_weights::are_quants(weights);
        match (self.arithmetic.activations, self.lanes) {
            (ActivationFormat::Int8, Lanes::Subgroup8) if pairs => shader!("shared/tile_pairs_8"),
            (ActivationFormat::Int8, Lanes::Subgroup4) if pairs => shader!("shared/tile_pairs_4"),
            _ => shader!("shared/tile_each"),
        }
    }

    pub(super) fn write(&self) -> String {
        match self.arithmetic.activations {
            ActivationFormat::F32 => [shader!("shared/write_f32"), shader!("shared/write_float")].concat(),
            ActivationFormat::F16 => [shader!("shared/write_f16"), shader!("shared/write_float")].concat(),
            ActivationFormat::Int8 => [QUANTISE, shader!("shared/write_int8")].concat(),
        }
    }

    /// How the cache is written: `k_store`, `v_store` or both.
    pub(super) fn kv_write(&self, sides: &[Side]) -> String {
        let format = |side: &Side| if *side == Side::K { self.k } else { self.v };
        let quantised = |side: &Side| matches!(format(side), KvFormat::Q8_0 | KvFormat::Q4_0);
        let mut source = String::from(if sides.iter().any(quantised) { QUANTISE } else { "" });
        for side in sides {
            let file = match format(side) {
                KvFormat::F32 => shader!("shared/kv_write_f32"),
                KvFormat::F16 => shader!("shared/kv_write_f16"),
                KvFormat::Q8_0 => shader!("shared/kv_write_q8_0"),
                KvFormat::Q4_0 => shader!("shared/kv_write_q4_0"),
            };
            source.push_str(&side.named(file));
        }
        source
    }

    /// How the cache is read: `k_octet` and `v_octet`.
    pub(super) fn kv_read(&self) -> String {
        Side::K.named(Self::kv_read_file(self.k)) + &Side::V.named(Self::kv_read_file(self.v))
    }

    pub(super) fn kv_read_file(format: KvFormat) -> &'static str {
        match format {
            KvFormat::F32 => shader!("shared/kv_read_f32"),
            KvFormat::F16 => shader!("shared/kv_read_f16"),
            KvFormat::Q8_0 => shader!("shared/kv_read_q8_0"),
            KvFormat::Q4_0 => shader!("shared/kv_read_q4_0"),
        }
    }

    pub(super) fn norm(&self) -> &'static str {
        match self.norm {
            Reduction::Sequential => shader!("shared/norm_sequential"),
            Reduction::Pairwise => shader!("shared/norm_pairwise"),
            Reduction::WorkgroupTree => shader!("shared/norm_workgroup_tree"),
            Reduction::Subgroup => shader!("shared/norm_subgroup"),
        }
    }

    /// Whether kernels for this target can add over a subgroup: a norm's row is one for all its threads, a softmax's head only where a
    /// subgroup is a task.
    pub fn lacks_subgroup_sum(&self) -> bool {
        let norm_lacks =
            self.norm == Reduction::Subgroup && !(self.lanes.uses_subgroups() && self.subgroup_size.is_some());
        let softmax_lacks =
            self.softmax == Reduction::Subgroup && !matches!(self.lanes, Lanes::Subgroup8 | Lanes::Subgroup4);
        norm_lacks || softmax_lacks
    }

    /// Whether a thread can hold twice the sums: not while it also rounds each of them, which takes registers and makes compilers slow.
    fn has_registers(&self) -> bool {
        self.lanes == Lanes::Subgroup8 && self.arithmetic.accumulation == Accumulation::F32
    }

    /// Activation rows of one task of the tiled kernel.
    pub fn tiled_tokens(&self) -> u32 {
        if self.has_registers() { 8 } else { 4 }
    }

    /// Whether the vector kernel computes two panels at once, which share the loading of activations. Only products with many output
    /// rows have panels enough for that.
    fn pairs_panels(&self, epilogue: Epilogue) -> bool {
        self.has_registers() && matches!(epilogue, Epilogue::GateUp | Epilogue::Output)
    }

    /// Panels of one workgroup of the vector kernel.
    pub fn vector_panels(&self, epilogue: Epilogue) -> u32 {
        match self.lanes {
            _ if self.pairs_panels(epilogue) => 2,
            lanes if lanes.spreads_slices() => epilogue.panels(),
            lanes => epilogue.panels() * lanes.tasks(),
        }
    }

    /// A matrix product with its epilogue.
    pub fn matmul(&self, weights: TensorType, shape: KernelShape, epilogue: Epilogue) -> String {
        let kernel: &[&str] = match shape {
            KernelShape::Vector if self.lanes.spreads_slices() => &[shader!("matmul_slices")],
            KernelShape::Vector if self.pairs_panels(epilogue) => &[shader!("matmul_pair")],
            KernelShape::Vector => &[shader!("matmul_thread")],
            KernelShape::Tiled if self.tiled_tokens() == 8 => {
                &[shader!("matmul_tiled_8"), shader!("shared/quartet"), self.tile(weights)]
            }
            KernelShape::Tiled => &[shader!("matmul_tiled"), shader!("shared/quartet"), self.tile(weights)],
        };
        let read = self.read(weights);
        let weights = wgsl_weights::source(weights);
        let (kv_write, write) = (self.kv_write(epilogue.sides()), self.write());
        let mut files = kernel.to_vec();
        files.extend([
            shader!("shared/four_rows"),
            shader!("shared/step"),
            shader!("shared/shape"),
            shader!("shared/bound"),
            shader!("shared/blocks"),
            shader!("shared/exact_math"),
            self.lanes.source(),
            &weights,
        ]);
        files.extend(read);
        match epilogue {
            Epilogue::Qkv | Epilogue::QkvRaw => {
                files.extend([shader!("shared/heads"), self.projection(), shader!("shared/inverse_rms"), self.norm()]);
                files.push(&kv_write);
                if epilogue == Epilogue::Qkv {
                    files.push(shader!("qkv"));
                } else {
                    files.push(shader!("qkv_raw"));
                    files.extend(WRITE_F32);
                }
            }
            Epilogue::Residual => files.extend([shader!("residual"), &write]),
            Epilogue::Partial => files.push(shader!("partial")),
            Epilogue::Total => {
                files.push(shader!("total"));
                files.extend(WRITE_F32);
            }
            Epilogue::GateUp => {
                files.extend([
                    shader!("gate_up"),
                    self.activation(),
                    shader!("shared/inverse_rms"),
                    self.norm(),
                    &write,
                ]);
            }
            Epilogue::Output => files.extend([shader!("output"), shader!("shared/inverse_rms"), self.norm()]),
        }
        self.join(&self.constants(), &files)
    }

    /// Those of every module that ends in an epilogue or takes a row's norm.
    pub(super) fn constants(&self) -> String {
        match self.norm {
            Reduction::Subgroup => {
                format!("{OUT_QUADS}\nconst SUBGROUP_SIZE: u32 = {}u;", self.subgroup_size.unwrap_or(1))
            }
            _ => OUT_QUADS.to_owned(),
        }
    }

    fn projection(&self) -> &'static str {
        if self.architecture.qkv_bias { shader!("shared/projection_bias") } else { shader!("shared/projection") }
    }

    fn activation(&self) -> &'static str {
        match self.architecture.activation {
            Activation::Silu => shader!("shared/activation_silu"),
            Activation::GeluTanh => shader!("shared/activation_gelu_tanh"),
        }
    }
}
