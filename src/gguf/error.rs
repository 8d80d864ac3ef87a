//! What can be wrong with a GGUF file.

use super::limits;
use crate::quant::{TensorType, TypeStatus, UnsupportedType};

/// One variant per thing that can be wrong with a file; offsets count bytes from its start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GgufError {
    /// The file has no bytes.
    #[error("the file is empty (0 bytes)")]
    Empty,
    /// The first four bytes are not `GGUF`.
    #[error("not a GGUF file: it starts with {found:02x?}, {looks_like}")]
    Magic {
        /// The four bytes.
        found: [u8; 4],
        /// What they look like, in words.
        looks_like: &'static str,
    },
    /// A version other than 2 and 3.
    #[error("GGUF version {version} is not supported, only 2 and 3 are")]
    Version {
        /// The number in the file.
        version: u32,
    },
    /// The version's bytes are in big-endian order, so all the file's numbers are.
    #[error("the file is a big-endian GGUF (version {version}); convert it to little endian")]
    BigEndian {
        /// The version, read the other way round.
        version: u32,
    },
    /// The bytes ended before the file did.
    #[error("the file ends at byte {found}, but {what} needs bytes up to {needed}")]
    Truncated {
        /// What was being read.
        what: String,
        /// Bytes that there are.
        found: u64,
        /// Bytes that there would have to be, at least.
        needed: u64,
    },
    /// The header announces more keys or tensors than the cap or the file allows.
    #[error("{found} {what} announced at byte {offset}, at most {limit} are possible")]
    Count {
        /// `metadata keys` or `tensors`.
        what: &'static str,
        /// The announced number.
        found: u64,
        /// The cap, or fewer when the file's length allows fewer.
        limit: u64,
        /// Where the number stands.
        offset: u64,
    },
    /// A string or an array is longer than the cap.
    #[error("{what} of length {found} at byte {offset}, at most {limit} is allowed")]
    Length {
        /// What has the length.
        what: String,
        /// The announced length, in bytes for strings and in elements for arrays.
        found: u64,
        /// The cap.
        limit: u64,
        /// Where the length stands.
        offset: u64,
    },
    /// Metadata and tensor table together exceed the cap.
    #[error("the header reaches byte {offset}, more than the {} bytes allowed", limits::HEADER_BYTES)]
    HeaderTooLarge {
        /// How far the header reaches, at least.
        offset: u64,
    },
    /// A metadata key is empty, too long or not printable ASCII.
    #[error("metadata key at byte {offset} {problem}")]
    Key {
        /// What is wrong with it.
        problem: String,
        /// Where the key's length stands.
        offset: u64,
    },
    /// Two metadata entries have one key.
    #[error("metadata key {key} occurs a second time at byte {offset}")]
    DuplicateKey {
        /// The key.
        key: String,
        /// Where the second one's length stands.
        offset: u64,
    },
    /// A value type that the format does not define.
    #[error("metadata key {key} has the unknown value type {found} at byte {offset}")]
    ValueType {
        /// The key.
        key: String,
        /// The number in the file.
        found: u32,
        /// Where the type stands.
        offset: u64,
    },
    /// An array of arrays; no known file has one.
    #[error("metadata key {key} holds an array of arrays at byte {offset}, which is not supported")]
    NestedArray {
        /// The key.
        key: String,
        /// Where the inner type stands.
        offset: u64,
    },
    /// A boolean that is neither 0 nor 1.
    #[error("metadata key {key} holds the boolean {found} at byte {offset}, only 0 and 1 are valid")]
    Bool {
        /// The key.
        key: String,
        /// The byte.
        found: u8,
        /// Where it stands.
        offset: u64,
    },
    /// An element of a string array is not UTF-8. (A single string, and an array that only describes, is kept as bytes instead.)
    #[error("element {index} of metadata key {key} at byte {offset} is not valid UTF-8")]
    Utf8 {
        /// The key.
        key: String,
        /// Which element.
        index: u64,
        /// Where the element's first wrong byte stands.
        offset: u64,
    },
    /// `general.alignment` is not a usable number.
    #[error(
        "general.alignment is {found} (byte {offset}); it must be a u32, a power of two and at most {}",
        limits::ALIGNMENT
    )]
    Alignment {
        /// The value with its type.
        found: String,
        /// Where the value stands.
        offset: u64,
    },
    /// A tensor name is empty, too long or not UTF-8.
    #[error("tensor name at byte {offset} {problem}")]
    TensorName {
        /// What is wrong with it.
        problem: String,
        /// Where the name's length stands.
        offset: u64,
    },
    /// Two tensors have one name.
    #[error("tensor {tensor} occurs a second time at byte {offset}")]
    DuplicateTensor {
        /// The name.
        tensor: String,
        /// Where the second one's name length stands.
        offset: u64,
    },
    /// More than four dimensions.
    #[error("tensor {tensor} has {found} dimensions at byte {offset}, at most {} are supported", limits::DIMENSIONS)]
    Dimensions {
        /// The tensor.
        tensor: String,
        /// The announced number.
        found: u32,
        /// Where the number stands.
        offset: u64,
    },
    /// The shape's product, in elements or in bytes, is not a number a file can have.
    #[error("tensor {tensor} of shape {shape:?} at byte {offset} is too large to exist")]
    Shape {
        /// The tensor.
        tensor: String,
        /// Its dimensions, row length first.
        shape: Vec<u64>,
        /// Where the shape stands.
        offset: u64,
    },
    /// The tensor's type cannot be loaded.
    #[error("tensor {tensor}{}: {unsupported} (byte {offset})", and_more(*n_more))]
    UnsupportedType {
        /// The tensor.
        tensor: String,
        /// Further tensors of types that ggml knows and this engine does not.
        n_more: usize,
        /// The type and why not.
        unsupported: UnsupportedType,
        /// Where the type stands.
        offset: u64,
    },
    /// A row does not consist of whole blocks.
    #[error(
        "tensor {tensor} has rows of {row_length}, not a multiple of the {} numbers of a {tensor_type} block (byte {offset})",
        tensor_type.block().elements
    )]
    RowNotWholeBlocks {
        /// The tensor.
        tensor: String,
        /// Its first dimension.
        row_length: u64,
        /// Its type.
        tensor_type: TensorType,
        /// Where the shape stands.
        offset: u64,
    },
    /// A tensor's place is not a multiple of the alignment.
    #[error("tensor {tensor} lies at data offset {found}, not a multiple of the alignment {alignment} (byte {offset})")]
    Misaligned {
        /// The tensor.
        tensor: String,
        /// Its offset within the tensor data.
        found: u64,
        /// The file's alignment.
        alignment: u64,
        /// Where the offset stands.
        offset: u64,
    },
    /// A tensor begins before the one before it ends.
    #[error(
        "tensor {tensor} lies at data offset {found}, inside {previous}, which reaches to {expected} (byte {offset})"
    )]
    Overlap {
        /// The tensor.
        tensor: String,
        /// The tensor before it.
        previous: String,
        /// Its offset within the tensor data.
        found: u64,
        /// The offset at which it must lie.
        expected: u64,
        /// Where the offset stands.
        offset: u64,
    },
    /// A tensor begins later than where the one before it ends.
    #[error("tensor {tensor} lies at data offset {found} instead of {expected}, leaving a gap (byte {offset})")]
    Gap {
        /// The tensor.
        tensor: String,
        /// Its offset within the tensor data.
        found: u64,
        /// The offset at which it must lie.
        expected: u64,
        /// Where the offset stands.
        offset: u64,
    },
    /// The tensors together are larger than a file can be.
    #[error("the tensors up to {tensor} are together too large to exist (byte {offset})")]
    DataTooLarge {
        /// The tensor with which the sum became too large.
        tensor: String,
        /// Where its entry's offset stands.
        offset: u64,
    },
    /// A tensor ends after the file does.
    #[error(
        "tensor {tensor} reaches to byte {end}, but the file ends at byte {file_bytes}; whole it has at least {whole_bytes} bytes"
    )]
    PastEnd {
        /// The tensor.
        tensor: String,
        /// First byte after it.
        end: u64,
        /// First byte after the last tensor.
        whole_bytes: u64,
        /// Length of the file.
        file_bytes: u64,
    },
    /// The bytes that came are more or fewer than announced.
    #[error("the file was announced with {announced} bytes but has {found}; it changed while being read")]
    FileChanged {
        /// The announced length.
        announced: u64,
        /// Bytes that came.
        found: u64,
    },
    /// No memory for a tensor's bytes.
    #[error("no memory for the {len_bytes} bytes of tensor {tensor}")]
    OutOfMemory {
        /// The tensor.
        tensor: String,
        /// Its size.
        len_bytes: u64,
    },
    /// The source of the bytes failed.
    #[error("reading failed at byte {offset}: {message}")]
    Read {
        /// Bytes read before.
        offset: u64,
        /// What the source said.
        message: String,
    },
    /// The files are not all the parts of one model, each once.
    #[error("{problem}")]
    Shards {
        /// What is wrong, with the numbers or names of the parts.
        problem: String,
    },
    /// A key that the caller needs is not there.
    #[error("metadata key {key} is missing")]
    MissingKey {
        /// The key.
        key: String,
    },
    /// A key has a value of another type, or one that does not fit.
    #[error("metadata key {key} must be {expected}, but is {found}")]
    WrongType {
        /// The key.
        key: String,
        /// What the caller needs.
        expected: &'static str,
        /// What the file has.
        found: String,
    },
}

impl GgufError {
    /// A short name that stays the same when the words change.
    pub fn code(&self) -> &'static str {
        match self {
            GgufError::Empty => "GGUF_EMPTY",
            GgufError::Magic { .. } => "GGUF_MAGIC",
            GgufError::Version { .. } => "GGUF_VERSION",
            GgufError::BigEndian { .. } => "GGUF_BIG_ENDIAN",
            GgufError::Truncated { .. } => "GGUF_TRUNCATED",
            GgufError::Count { .. } => "GGUF_COUNT",
            GgufError::Length { .. } => "GGUF_LENGTH",
            GgufError::HeaderTooLarge { .. } => "GGUF_TOO_BIG",
            GgufError::Key { .. } => "GGUF_KEY",
            GgufError::DuplicateKey { .. } => "GGUF_DUPLICATE",
            GgufError::ValueType { .. } => "GGUF_VALUE_TYPE",
            GgufError::NestedArray { .. } => "GGUF_NESTED",
            GgufError::Bool { .. } => "GGUF_BOOL",
            GgufError::Utf8 { .. } => "GGUF_UTF8",
            GgufError::Alignment { .. } => "GGUF_ALIGNMENT",
            GgufError::TensorName { .. } | GgufError::DuplicateTensor { .. } => "GGUF_NAME",
            GgufError::Dimensions { .. } => "GGUF_DIMS",
            GgufError::Shape { .. } => "GGUF_SHAPE",
            // Nothing is wrong with the file then: a kernel is missing here.
            GgufError::UnsupportedType { unsupported, .. } if unsupported.status == TypeStatus::Known => "MODEL_QUANT",
            GgufError::UnsupportedType { .. } => "GGUF_TYPE",
            GgufError::RowNotWholeBlocks { .. } => "GGUF_BLOCK",
            GgufError::Misaligned { .. } | GgufError::PastEnd { .. } => "GGUF_OFFSET",
            GgufError::Overlap { .. } => "GGUF_OVERLAP",
            GgufError::Gap { .. } => "GGUF_GAP",
            GgufError::DataTooLarge { .. } => "GGUF_SIZE",
            GgufError::FileChanged { .. } => "FILE_CHANGED",
            GgufError::OutOfMemory { .. } => "GGUF_MEMORY",
            GgufError::Read { .. } => "GGUF_READ",
            GgufError::Shards { .. } => "MODEL_SHARDS",
            GgufError::MissingKey { .. } | GgufError::WrongType { .. } => "MODEL_KEY",
        }
    }
}

fn and_more(n_more: usize) -> String {
    if n_more == 0 { String::new() } else { format!(" and {n_more} more") }
}
