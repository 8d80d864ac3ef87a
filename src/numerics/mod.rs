//! Every choice that can change a bit, as one value; and how far two values are apart.

pub mod ulp;

mod check;
mod order;
mod reduction;
mod shards;
mod sum_format;
mod tie_rule;
mod weights;

use serde::{Deserialize, Serialize};

pub use check::{MAX_CHUNK_ROWS, NumericsError};
pub use order::{Order, Orders, Site};
pub use reduction::Reduction;
pub use shards::{SHARD_COUNTS, shard_blocks};
pub use sum_format::SumFormat;
pub use tie_rule::TieRule;
pub use weights::WeightFormat;

/// How activations are stored between operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ActivationFormat {
    /// 32-bit floats.
    F32,
    /// 16-bit floats, rounded to nearest even; what is computed from them is f32.
    F16,
    /// Blocks of 32 signed bytes with one f32 scale, as engines with quantised weights use.
    Int8,
}

/// In which format matrix products add.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Accumulation {
    /// 32-bit floats.
    F32,
    /// 16-bit floats: every product and every sum rounded to nearest even. Emulated by integer arithmetic, which is exact on every
    /// device; f16 arithmetic of the device's own is not used.
    F16,
}

/// The formats of a step's arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Arithmetic {
    /// Activations between operations.
    pub activations: ActivationFormat,
    /// Sums in matrix products.
    pub accumulation: Accumulation,
}

impl Arithmetic {
    /// These activations, with sums in f32.
    pub const fn of(activations: ActivationFormat) -> Self {
        Self { activations, accumulation: Accumulation::F32 }
    }
}

/// How keys, or values, are stored in the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum KvFormat {
    /// 32-bit floats.
    F32,
    /// 16-bit floats, rounded to nearest even.
    F16,
    /// Blocks of 32 signed bytes along the head with one f16 scale, as ggml's q8_0.
    #[serde(rename = "q8_0")]
    Q8_0,
    /// Blocks of 32 four-bit numbers along the head with one f16 scale, as ggml's q4_0.
    #[serde(rename = "q4_0")]
    Q4_0,
}

impl KvFormat {
    /// Words of four bytes that a block of 32 values takes.
    pub fn block_words(self) -> usize {
        match self {
            Self::F32 => 32,
            Self::F16 => 16,
            Self::Q8_0 => 9,
            Self::Q4_0 => 5,
        }
    }
}

/// Named sets of formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Formats {
    /// int8 activations, f16 K and V: the setting in which forks are common.
    Int8,
    /// f32 activations, f16 K and V.
    Float,
    /// f16 activations, sums of matrix products, K and V.
    Half,
    /// f32 everywhere.
    F32,
}

impl Formats {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Int8, Self::Float, Self::Half, Self::F32];
}

/// Every choice that can change a bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Numerics {
    /// Matrices, as the file holds them or re-quantised.
    pub weights: WeightFormat,
    /// Arithmetic of steps of few rows, which run the vector kernels.
    pub decode: Arithmetic,
    /// Arithmetic of steps of many rows, which run the tiled kernels. It is that of `decode` in every order but by-shape.
    pub prefill: Arithmetic,
    /// Cached keys.
    pub k: KvFormat,
    /// Cached values.
    pub v: KvFormat,
    /// Order of the sums at every site.
    pub orders: Orders,
    /// Order of the sum over a row that a norm needs.
    pub norm: Reduction,
    /// Order of the sum of a tile's exponentials in attention.
    pub softmax: Reduction,
    /// Which of several equal logits counts as the largest.
    pub tie_rule: TieRule,
    /// Most rows of one prefill step.
    pub chunk_rows: u32,
    /// Devices that attn_output and ffn_down are split over, 1 for none: each adds its part of the terms of every product, and the parts
    /// are added in ring order.
    pub shards: u32,
}

impl Numerics {
    /// The named formats in one order, with `chunk_rows` rows per prefill step; weights as in the file.
    pub fn new(formats: Formats, order: Order, chunk_rows: u32) -> Self {
        let (arithmetic, kv) = match formats {
            Formats::Int8 => (Arithmetic::of(ActivationFormat::Int8), KvFormat::F16),
            Formats::Float => (Arithmetic::of(ActivationFormat::F32), KvFormat::F16),
            Formats::Half => {
                let half = Arithmetic { activations: ActivationFormat::F16, accumulation: Accumulation::F16 };
                (half, KvFormat::F16)
            }
            Formats::F32 => (Arithmetic::of(ActivationFormat::F32), KvFormat::F32),
        };
        Self {
            weights: WeightFormat::AsInFile,
            decode: arithmetic,
            prefill: arithmetic,
            k: kv,
            v: kv,
            orders: Orders::all(order),
            norm: Reduction::Sequential,
            softmax: Reduction::WorkgroupTree,
            tie_rule: TieRule::LowestId,
            chunk_rows,
            shards: 1,
        }
    }
}
