//! MetadataArray: many values of one type, as a metadata entry holds them.

use super::{ByteStrings, Texts};

/// The values of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum MetadataArray {
    /// Unsigned 8 bits.
    U8(Vec<u8>),
    /// Signed 8 bits.
    I8(Vec<i8>),
    /// Unsigned 16 bits.
    U16(Vec<u16>),
    /// Signed 16 bits.
    I16(Vec<i16>),
    /// Unsigned 32 bits.
    U32(Vec<u32>),
    /// Signed 32 bits.
    I32(Vec<i32>),
    /// 32-bit floats.
    F32(Vec<f32>),
    /// Truth values.
    Bool(Vec<bool>),
    /// Texts.
    String(Texts),
    /// Strings that are not all UTF-8, kept as they are where they only describe.
    InvalidUtf8(ByteStrings),
    /// Unsigned 64 bits.
    U64(Vec<u64>),
    /// Signed 64 bits.
    I64(Vec<i64>),
    /// 64-bit floats.
    F64(Vec<f64>),
}

impl MetadataArray {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            MetadataArray::U8(values) => values.len(),
            MetadataArray::I8(values) => values.len(),
            MetadataArray::U16(values) => values.len(),
            MetadataArray::I16(values) => values.len(),
            MetadataArray::U32(values) => values.len(),
            MetadataArray::I32(values) => values.len(),
            MetadataArray::F32(values) => values.len(),
            MetadataArray::Bool(values) => values.len(),
            MetadataArray::String(values) => values.len(),
            MetadataArray::InvalidUtf8(values) => values.len(),
            MetadataArray::U64(values) => values.len(),
            MetadataArray::I64(values) => values.len(),
            MetadataArray::F64(values) => values.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn type_name(&self) -> &'static str {
        match self {
            MetadataArray::U8(_) => "u8",
            MetadataArray::I8(_) => "i8",
            MetadataArray::U16(_) => "u16",
            MetadataArray::I16(_) => "i16",
            MetadataArray::U32(_) => "u32",
            MetadataArray::I32(_) => "i32",
            MetadataArray::F32(_) => "f32",
            MetadataArray::Bool(_) => "bool",
            MetadataArray::String(_) => "string",
            MetadataArray::InvalidUtf8(_) => "string, not all UTF-8",
            MetadataArray::U64(_) => "u64",
            MetadataArray::I64(_) => "i64",
            MetadataArray::F64(_) => "f64",
        }
    }
}
