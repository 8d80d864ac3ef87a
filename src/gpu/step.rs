//! The uniform structs that kernels read; a test holds them against their WGSL twins.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

/// Most rows of one step.
pub const MAX_ROWS: u32 = crate::numerics::MAX_CHUNK_ROWS;

/// Values of Q, K and V of one token, at most, where each has a bias (`Biases` in shaders/shared/projection_bias.wgsl).
pub const MAX_BIASES: u32 = 16_384;

/// First part of `Step` (shaders/shared/step.wgsl).
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct StepHeader {
    /// Rows in this step.
    pub n_rows: u32,
    /// First row whose logits are wanted.
    pub first_output_row: u32,
    /// How many rows' logits are wanted.
    pub n_output_rows: u32,
    /// 1: attention in 64-key tiles at absolute positions; 0: by length.
    pub fixed_splits: u32,
    /// By length only: most splits of one row's keys.
    pub max_splits: u32,
    /// Entries of one sequence in the block table.
    pub max_blocks: u32,
    /// Padding.
    pub unused: [u32; 2],
}

/// One row of `Step` (shaders/shared/step.wgsl).
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct StepRow {
    /// Line of the block table.
    pub sequence: u32,
    /// Absolute position.
    pub position: u32,
    /// Token id.
    pub token: u32,
    /// Cache block * 16 + position % 16.
    pub slot: u32,
}

/// `Shape` (shaders/shared/shape.wgsl).
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
pub struct Shape {
    /// K / 32.
    pub n_blocks: u32,
    /// First block of K that is added.
    pub first_block: u32,
    /// The block behind the last one.
    pub end_block: u32,
    /// Blocks of one slice of those.
    pub blocks_per_slice: u32,
    /// Groups of PANELS panels.
    pub n_tasks: u32,
    /// n_heads * head_dim.
    pub q_dim: u32,
    /// n_kv_heads * head_dim.
    pub kv_dim: u32,
    /// 1 / embedding_dim.
    pub inverse_dim: f32,
    /// RMSNorm epsilon.
    pub norm_eps: f32,
    /// First panel among those of the site: of Q, K and V, or of the parts of embedding and head.
    pub first_task: u32,
    /// Number of the shard, where a product is split.
    pub shard: u32,
    /// Shards, where they are added.
    pub n_shards: u32,
    /// Of the output head: tasks of a row of logits, over all its parts.
    pub row_tasks: u32,
    /// Of the embedding: its factor, where it has one.
    pub embedding_scale: f32,
    /// Padding.
    pub unused: [u32; 2],
}

impl Shape {
    /// This shape with the blocks of K that are added, in so many slices.
    #[must_use]
    pub fn adding(self, blocks: &Range<u32>, n_slices: u32) -> Self {
        let blocks_per_slice = (blocks.end - blocks.start) / n_slices;
        Self { first_block: blocks.start, end_block: blocks.end, blocks_per_slice, ..self }
    }
}

/// `AttentionShape` (shaders/shared/attention_shape.wgsl).
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
pub struct AttentionShape {
    /// Query heads.
    pub n_heads: u32,
    /// Key and value heads.
    pub n_kv_heads: u32,
    /// Splits that fit into the parts buffer per row and head.
    pub part_splits: u32,
    /// 1 / sqrt(head_dim).
    pub scale: f32,
    /// Keys that a row sees at most; [`NO_WINDOW`] where it sees all.
    pub window: u32,
    /// Padding.
    pub unused: [u32; 3],
}

/// [`AttentionShape::window`] of a layer that sees all keys.
pub const NO_WINDOW: u32 = u32::MAX;

/// `TopShape` (shaders/shared/top_shape.wgsl).
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
pub struct TopShape {
    /// Vocabulary.
    pub n_vocab: u32,
    /// Logits per row in the buffer.
    pub n_padded: u32,
    /// Stretches of [`PART_LOGITS`].
    pub n_parts: u32,
    /// Padding.
    pub unused: u32,
}

/// Logits that one thread of top_k_parts looks at.
pub const PART_LOGITS: u32 = 256;

/// `Top` (shaders/shared/top.wgsl): 64 bytes, all that a decode step reads back.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
pub struct Top {
    /// Ids of the five largest logits, largest first, lowest id first among equals.
    pub ids: [u32; 5],
    /// Their logits.
    pub values: [f32; 5],
    /// 128-bit hash of the row's logits.
    pub hash: [u32; 4],
    /// 1 if any logit is NaN or infinite.
    pub not_finite: u32,
    /// Padding.
    pub unused: u32,
}

/// `TapShape` (shaders/shared/tap_shape.wgsl).
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
pub struct TapShape {
    /// Values of a row that count.
    pub n_values: u32,
    /// Values of a row in its buffer, a multiple of 32.
    pub row_len: u32,
    /// Which of [`TapStep`]'s places says where the row lies.
    pub place: u32,
    /// Where the tensor begins on each half of the tape.
    pub tape_at: u32,
    /// Number of its record.
    pub record: u32,
    /// Padding.
    pub unused: [u32; 3],
}

/// `TapStep` (shaders/shared/tap_shape.wgsl).
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
pub struct TapStep {
    /// Row of the step, output row of the step, cache slot, nothing.
    pub places: [u32; 4],
    /// 0 for the first of the two runs, 1 for the second.
    pub run: u32,
    /// Values of one half of the tape.
    pub tape_len: u32,
    /// Padding.
    pub unused: [u32; 2],
}

/// `KvPair` (shaders/kv_difference.wgsl).
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
pub struct KvPair {
    /// Lines of the block table.
    pub sequences: [u32; 2],
    /// Positions to compare, from 0.
    pub n_positions: u32,
    /// Entries of one sequence in the block table.
    pub max_blocks: u32,
    /// Positions of one sequence at most.
    pub max_positions: u32,
    /// Padding.
    pub unused: [u32; 3],
}

/// `RowDifference` (shaders/shared/difference.wgsl).
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct RowDifference {
    /// Most representable numbers between two values.
    pub largest_ulp: u32,
    /// Values of which some bit differs.
    pub n_differing: u32,
    /// `u32::MAX` minus the index of the first of them; 0: there is none.
    pub first_from_end: u32,
    /// Bits of the largest magnitude of a difference.
    pub largest_bits: u32,
}

/// `KvRowDifference` (shaders/kv_difference.wgsl).
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
pub struct KvRowDifference {
    /// How far two rows are apart, bit by bit.
    pub row: RowDifference,
    /// Sum of the squares of what one row has more than the other.
    pub difference_squares: f32,
    /// Sum of the squares of the first row.
    pub first_squares: f32,
    /// Most numbers of the cache's format between two values.
    pub largest_steps: u32,
}

/// One tensor's record of a tapped step (shaders/tap.wgsl).
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct TapRecord {
    /// 128-bit hash of the row's values.
    pub hash: [u32; 4],
    /// How far they are from the other half of the tape.
    pub difference: RowDifference,
}

/// `TreeShape` (shaders/tree_sum.wgsl).
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
pub struct TreeShape {
    /// Trees to add along.
    pub n_trees: u32,
    /// Words of one tree: its leaves and its additions.
    pub n_words: u32,
    /// Padding.
    pub unused: [u32; 2],
}
