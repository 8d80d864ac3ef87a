//! Caps of the reader and of what is made of a vocabulary, above any real model and low enough for a browser tab.

/// Bytes of metadata and tensor table together: six times those of Gemma 3 with its 262,144 tokens (6.5 MB), and few enough that a header which is refused
/// at its last byte, behind the longest string, has taken less than 64 MiB.
pub const HEADER_BYTES: u64 = 40 << 20;
/// Bytes of a metadata key.
pub const KEY_BYTES: u64 = 65_535;
/// Bytes of a string value.
pub const STRING_BYTES: u64 = 16 << 20;
/// Elements of an array value.
pub const ARRAY_ELEMENTS: u64 = 4 << 20;
/// Metadata entries.
pub const KEYS: u64 = 4_096;
/// Tensors.
pub const TENSORS: u64 = 65_536;
/// Bytes of a tensor name.
pub const TENSOR_NAME_BYTES: u64 = 63;
/// Dimensions of a tensor.
pub const DIMENSIONS: u32 = 4;
/// Largest alignment.
pub const ALIGNMENT: u64 = 64 << 10;
/// Largest size of a file: what a number of JavaScript holds exactly.
pub const FILE_BYTES: u64 = 1 << 53;
/// Parts of a model in several files.
pub const PARTS: u64 = 4_096;
/// Tokens of a vocabulary: twice the 262,144 of Gemma 3. An array may have more elements, but tokens and merges are
/// looked up while the rest is read, and what that takes must stay under 64 MiB until the last of them turns out to be good or bad.
pub const TOKENS: usize = 1 << 19;
/// Bytes of all tokens' texts together: three and a half times the 2,315,366 of Gemma 3.
pub const TOKEN_TEXT_BYTES: usize = 8 << 20;
/// Merges of a vocabulary: nearly three times the 280,147 of Llama 3.
pub const MERGES: usize = 3 << 18;
