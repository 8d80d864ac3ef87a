//! Why a file is not a model that can run here.

use super::SelfTestError;
use crate::gguf::{GgufError, TensorInfo};
use crate::gpu::GpuError;
use crate::numerics::NumericsError;
use crate::quant::{NonFiniteBlocks, TensorType};
use crate::reference::forward::TwinError;

/// Longest text of a file that stands in a message.
const SHOWN_CHARS: usize = 60;

/// What a number of a description is about, which decides its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// How many layers there are.
    Layers,
    /// Heads of attention, and their widths.
    Heads,
    /// Widths of the stream, of the feed-forward layer and of the embedding.
    Shape,
    /// Rotations.
    Rope,
    /// Norms.
    Norm,
    /// Tokens against the rows of the embedding.
    Vocabulary,
    /// None of these.
    Other,
}

impl Subject {
    fn code(self) -> &'static str {
        match self {
            Self::Layers => "MODEL_LAYERS",
            Self::Heads => "MODEL_HEADS",
            Self::Shape => "MODEL_SHAPE",
            Self::Rope => "MODEL_ROPE",
            Self::Norm => "MODEL_NORM",
            Self::Vocabulary => "VOCAB_MISMATCH",
            Self::Other => "MODEL_KEY",
        }
    }
}

/// Why a file is not a model that can run here, or why a step failed.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The metadata lacks something or holds a wrong type.
    #[error(transparent)]
    Gguf(#[from] GgufError),
    /// The GPU failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// Choices that this device or this model cannot run.
    #[error(transparent)]
    Numerics(#[from] NumericsError),
    /// A kernel computes something else than its CPU twin on this device.
    #[error(transparent)]
    SelfTest(#[from] SelfTestError),
    /// The tensors do not make a model for the CPU twin.
    #[error(transparent)]
    Twin(#[from] TwinError),
    /// The file does not say what model it holds.
    #[error("the file does not say what model it holds: {0}")]
    NoArchitecture(GgufError),
    /// The file holds something that belongs to a model.
    #[error("the file holds {found} and no model; models that can run are {supported}")]
    NotAModel {
        /// What it holds, in words.
        found: String,
        /// What can run.
        supported: String,
    },
    /// The file holds another architecture.
    #[error("architecture {found} is not supported; supported: {supported}")]
    Architecture {
        /// What the file says.
        found: String,
        /// What can run.
        supported: String,
    },
    /// A value in the metadata cannot be.
    #[error("{key} is {found}, expected {expected}")]
    Value {
        /// What it is about.
        subject: Subject,
        /// Metadata key, or what was derived from several.
        key: String,
        /// Value.
        found: String,
        /// What would do.
        expected: String,
    },
    /// The metadata says to compute something that no kernel and no tokenizer here computes.
    #[error("{key} is {found}, which nothing here computes; only {neutral} can run")]
    Unsupported {
        /// Metadata key.
        key: String,
        /// Its value.
        found: String,
        /// What would change nothing.
        neutral: String,
    },
    /// The feed-forward layers are mixtures of experts.
    #[error("the model mixes {used} of {count} experts; only models without experts are supported")]
    Experts {
        /// Experts of a layer.
        count: u32,
        /// Those that take part for one token.
        used: u32,
    },
    /// A tensor that the architecture needs is not in the file.
    #[error("tensor {name} is missing")]
    MissingTensor {
        /// Its name.
        name: String,
    },
    /// A tensor has another shape than the metadata says.
    #[error("tensor {name} has shape {found:?}, expected {expected:?}")]
    TensorShape {
        /// Its name.
        name: String,
        /// Shape in the file, row length first.
        found: Vec<u64>,
        /// Shape from the metadata.
        expected: Vec<u64>,
    },
    /// A tensor that must be F32 is not.
    #[error("tensor {name} has type {found}, expected F32")]
    TensorFormat {
        /// Its name.
        name: String,
        /// Its type.
        found: &'static str,
    },
    /// A tensor that the architecture does not know.
    #[error("tensor {name} is not part of a {architecture} model of {n_blocks} blocks")]
    UnknownTensor {
        /// Its name.
        name: String,
        /// What the file says it is.
        architecture: &'static str,
        /// Its blocks, from 0.
        n_blocks: u32,
    },
    /// Gate and up of one block have different formats.
    #[error("block {block}: ffn_gate is {gate} and ffn_up is {up}; they must have one format")]
    MixedGateUp {
        /// Block number.
        block: usize,
        /// Format of ffn_gate.
        gate: &'static str,
        /// Format of ffn_up.
        up: &'static str,
    },
    /// More bytes were given to a loader that had refused the file.
    #[error("the file was refused before; it must be read again from its first byte")]
    SpentLoader,
    /// The file is complete but is not the one that was asked for.
    #[error("the file's SHA-256 is {found}, expected {expected}")]
    WrongHash {
        /// Hash that was asked for.
        expected: String,
        /// Hash of what came.
        found: String,
    },
    /// NaN or infinity in weights.
    #[error("tensor {name} holds NaN or infinity in {count} {unit}s, the first is {unit} {first}")]
    NotFinite {
        /// Its name.
        name: String,
        /// What is counted: an element, or a block of a format that has them.
        unit: &'static str,
        /// The first such, from 0.
        first: usize,
        /// How many there are.
        count: usize,
    },
    /// Weights were to be re-quantised to blocks that do not fit their rows.
    #[error("tensor {name} has rows of {row_length} weights, which blocks of {block} ({format}) do not divide")]
    RowLength {
        /// Its name.
        name: String,
        /// Weights in a row.
        row_length: u32,
        /// The format that was asked for.
        format: &'static str,
        /// Weights in a block of it.
        block: usize,
    },
    /// Weights were to be re-quantised to a format that cannot hold them.
    #[error("tensor {name} holds weights too large for {format}")]
    WeightRange {
        /// Its name.
        name: String,
        /// The format that was asked for.
        format: &'static str,
    },
    /// NaN or infinity in logits: nothing may be chosen from them.
    #[error("the model gave no valid numbers: the logits of position {position} are not finite")]
    LogitsNotFinite {
        /// Position of the row.
        position: u32,
    },
    /// A pause in the middle of a step said that it shall not go on, see [`super::Pause`].
    #[error("the step was left before its end")]
    StepLeft,
    /// A token id beyond the vocabulary.
    #[error("token id {id} is outside the vocabulary of {vocab_size}")]
    TokenId {
        /// The id.
        id: u32,
        /// Vocabulary size.
        vocab_size: u32,
    },
    /// Cached K and V that are not there, or a row of them that is not one.
    #[error(
        "the cache has no K and V for {n_positions} positions from offset {offset} of block {block} in layer {layer}"
    )]
    CacheSlot {
        /// The layer.
        layer: u32,
        /// The cache block.
        block: u32,
        /// First position within the block.
        offset: u32,
        /// How many positions.
        n_positions: u32,
    },
    /// A tap on a row that the step does not have.
    #[error("row {row} was to be tapped in a step of {n_rows} rows")]
    TappedRow {
        /// The row.
        row: u32,
        /// Rows of the step.
        n_rows: usize,
    },
    /// More rows than one step holds, or none.
    #[error("a step of {found} rows; possible are 1 to {most}")]
    Rows {
        /// Rows asked for.
        found: usize,
        /// Most rows.
        most: u32,
    },
    /// A position beyond the context that was set up.
    #[error("position {position} is beyond the context of {context_len} tokens")]
    Position {
        /// The position.
        position: u32,
        /// Context length.
        context_len: u32,
    },
}

impl ModelError {
    /// NaN or infinity in the weights of `tensor`.
    pub(super) fn not_finite(tensor: &TensorInfo, found: NonFiniteBlocks) -> Self {
        let unit = if tensor.tensor_type.block().elements == 1 { "element" } else { "block" };
        Self::NotFinite { name: tensor.name.clone(), unit, first: found.first_block, count: found.n_blocks }
    }

    /// A short name that stays the same when the words change; none where neither a file nor what it needs is at fault.
    pub fn code(&self) -> Option<&'static str> {
        Some(match self {
            Self::Gguf(error) => error.code(),
            Self::NoArchitecture(_) | Self::NotAModel { .. } | Self::Architecture { .. } => "MODEL_ARCH",
            Self::Value { subject, .. } => subject.code(),
            Self::Unsupported { .. } => "MODEL_UNSUPPORTED",
            Self::Experts { .. } => "MODEL_EXPERTS",
            Self::MissingTensor { .. } | Self::UnknownTensor { .. } | Self::Twin(TwinError::MissingTensor { .. }) => {
                "MODEL_TENSOR"
            }
            Self::TensorShape { .. } | Self::Twin(TwinError::WrongSize { .. }) => "MODEL_SHAPE",
            Self::TensorFormat { .. } | Self::MixedGateUp { .. } => "MODEL_QUANT",
            Self::WrongHash { .. } => "HASH_MISMATCH",
            Self::NotFinite { .. } => "WEIGHT_NAN",
            Self::LogitsNotFinite { .. } => "LOGITS_NAN",
            Self::Gpu(GpuError::TooLarge { .. }) => "GPU_LIMIT",
            Self::Gpu(_)
            | Self::Numerics(_)
            | Self::SelfTest(_)
            | Self::SpentLoader
            | Self::RowLength { .. }
            | Self::WeightRange { .. }
            | Self::StepLeft
            | Self::TokenId { .. }
            | Self::CacheSlot { .. }
            | Self::TappedRow { .. }
            | Self::Rows { .. }
            | Self::Position { .. } => return None,
        })
    }
}

/// A text of the file as it stands in a message: no longer than a line.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The name of a tensor format, for errors.
pub(super) fn format_name(tensor_type: TensorType) -> &'static str {
    tensor_type.name()
}
