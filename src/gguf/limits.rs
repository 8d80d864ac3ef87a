//! Caps of the reader, far above any real model and low enough for a browser tab.

/// Bytes of metadata and tensor table together.
pub const HEADER_BYTES: u64 = 64 << 20;
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
