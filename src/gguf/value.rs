//! Metadata values: numbers, strings, and arrays that are read element by element.

use super::header::Stop;
use super::reader::{ByteReader, Short};
use super::{GgufError, MetadataArray, MetadataValue, Texts, limits};

/// Value types by their number in the file.
mod number_of {
    pub(super) const U8: u32 = 0;
    pub(super) const I8: u32 = 1;
    pub(super) const U16: u32 = 2;
    pub(super) const I16: u32 = 3;
    pub(super) const U32: u32 = 4;
    pub(super) const I32: u32 = 5;
    pub(super) const F32: u32 = 6;
    pub(super) const BOOL: u32 = 7;
    pub(super) const STRING: u32 = 8;
    pub(super) const ARRAY: u32 = 9;
    pub(super) const U64: u32 = 10;
    pub(super) const I64: u32 = 11;
    pub(super) const F64: u32 = 12;
}

/// Keys whose texts are for people: tags, languages, names of data sets. Nothing is computed from them.
const DESCRIPTION: &str = "general.";

/// A value, or the beginning of an array whose elements follow.
pub(super) enum Parsed {
    Complete(MetadataValue),
    Array(ArrayParser),
}

/// An array of which some elements have been read.
pub(super) struct ArrayParser {
    values: MetadataArray,
    n_elements: u64,
}

/// Reads a value that is no array, or an array's type and length.
pub(super) fn read(reader: &mut ByteReader<'_>, key: &str, value_type: u32) -> Result<Parsed, Stop> {
    use number_of as t;
    // The value type stands in the four bytes before the value.
    let type_offset = reader.offset().saturating_sub(4);
    Ok(Parsed::Complete(match value_type {
        t::U8 => MetadataValue::U8(u8::from_le_bytes(reader.array()?)),
        t::I8 => MetadataValue::I8(i8::from_le_bytes(reader.array()?)),
        t::U16 => MetadataValue::U16(u16::from_le_bytes(reader.array()?)),
        t::I16 => MetadataValue::I16(i16::from_le_bytes(reader.array()?)),
        t::U32 => MetadataValue::U32(u32::from_le_bytes(reader.array()?)),
        t::I32 => MetadataValue::I32(i32::from_le_bytes(reader.array()?)),
        t::F32 => MetadataValue::F32(f32::from_le_bytes(reader.array()?)),
        t::BOOL => MetadataValue::Bool(read_bool(reader, key)?),
        t::STRING => match String::from_utf8(read_string_bytes(reader, key)?.to_vec()) {
            Ok(text) => MetadataValue::String(text),
            Err(error) => MetadataValue::InvalidUtf8(error.into_bytes()),
        },
        t::U64 => MetadataValue::U64(u64::from_le_bytes(reader.array()?)),
        t::I64 => MetadataValue::I64(i64::from_le_bytes(reader.array()?)),
        t::F64 => MetadataValue::F64(f64::from_le_bytes(reader.array()?)),
        t::ARRAY => return Ok(Parsed::Array(read_array_head(reader, key)?)),
        found => {
            return Err(GgufError::ValueType { key: key.to_owned(), found, offset: type_offset }.into());
        }
    }))
}

/// The number that stands for a value's type in a file.
pub(super) fn value_type_of(value: &MetadataValue) -> u32 {
    use number_of as t;
    match value {
        MetadataValue::U8(_) => t::U8,
        MetadataValue::I8(_) => t::I8,
        MetadataValue::U16(_) => t::U16,
        MetadataValue::I16(_) => t::I16,
        MetadataValue::U32(_) => t::U32,
        MetadataValue::I32(_) => t::I32,
        MetadataValue::F32(_) => t::F32,
        MetadataValue::Bool(_) => t::BOOL,
        MetadataValue::String(_) | MetadataValue::InvalidUtf8(_) => t::STRING,
        MetadataValue::U64(_) => t::U64,
        MetadataValue::I64(_) => t::I64,
        MetadataValue::F64(_) => t::F64,
        MetadataValue::Array(_) => t::ARRAY,
    }
}

/// The number that stands for the type of an array's elements in a file.
pub(super) fn element_type_of(array: &MetadataArray) -> u32 {
    use number_of as t;
    match array {
        MetadataArray::U8(_) => t::U8,
        MetadataArray::I8(_) => t::I8,
        MetadataArray::U16(_) => t::U16,
        MetadataArray::I16(_) => t::I16,
        MetadataArray::U32(_) => t::U32,
        MetadataArray::I32(_) => t::I32,
        MetadataArray::F32(_) => t::F32,
        MetadataArray::Bool(_) => t::BOOL,
        MetadataArray::String(_) | MetadataArray::InvalidUtf8(_) => t::STRING,
        MetadataArray::U64(_) => t::U64,
        MetadataArray::I64(_) => t::I64,
        MetadataArray::F64(_) => t::F64,
    }
}

fn read_array_head(reader: &mut ByteReader<'_>, key: &str) -> Result<ArrayParser, Stop> {
    use number_of as t;
    let offset = reader.offset();
    let element_type = reader.u32()?;
    let values = match element_type {
        t::U8 => MetadataArray::U8(Vec::new()),
        t::I8 => MetadataArray::I8(Vec::new()),
        t::U16 => MetadataArray::U16(Vec::new()),
        t::I16 => MetadataArray::I16(Vec::new()),
        t::U32 => MetadataArray::U32(Vec::new()),
        t::I32 => MetadataArray::I32(Vec::new()),
        t::F32 => MetadataArray::F32(Vec::new()),
        t::BOOL => MetadataArray::Bool(Vec::new()),
        t::STRING => MetadataArray::String(Texts::default()),
        t::U64 => MetadataArray::U64(Vec::new()),
        t::I64 => MetadataArray::I64(Vec::new()),
        t::F64 => MetadataArray::F64(Vec::new()),
        t::ARRAY => {
            return Err(GgufError::NestedArray { key: key.to_owned(), offset }.into());
        }
        found => {
            return Err(GgufError::ValueType { key: key.to_owned(), found, offset }.into());
        }
    };
    let n_elements = reader.u64()?;
    let limit = limits::ARRAY_ELEMENTS;
    if n_elements > limit {
        let what = format!("array of metadata key {key}");
        return Err(GgufError::Length { what, found: n_elements, limit, offset: offset + 4 }.into());
    }
    Ok(ArrayParser { values, n_elements })
}

impl ArrayParser {
    /// Reads one element; gives the values when all are there.
    pub(super) fn element(&mut self, reader: &mut ByteReader<'_>, key: &str) -> Result<Option<MetadataArray>, Stop> {
        let index = self.values.len() as u64;
        if index == self.n_elements {
            return Ok(Some(std::mem::replace(&mut self.values, MetadataArray::U8(Vec::new()))));
        }
        match &mut self.values {
            MetadataArray::U8(values) => values.push(u8::from_le_bytes(reader.array()?)),
            MetadataArray::I8(values) => values.push(i8::from_le_bytes(reader.array()?)),
            MetadataArray::U16(values) => values.push(u16::from_le_bytes(reader.array()?)),
            MetadataArray::I16(values) => values.push(i16::from_le_bytes(reader.array()?)),
            MetadataArray::U32(values) => values.push(u32::from_le_bytes(reader.array()?)),
            MetadataArray::I32(values) => values.push(i32::from_le_bytes(reader.array()?)),
            MetadataArray::F32(values) => values.push(f32::from_le_bytes(reader.array()?)),
            MetadataArray::Bool(values) => values.push(read_bool(reader, key)?),
            MetadataArray::String(texts) => match read_text(reader, key, index)? {
                Ok(text) => texts.push(text),
                Err(bytes) => {
                    let mut strings = std::mem::take(texts).into_byte_strings();
                    strings.push(bytes);
                    self.values = MetadataArray::InvalidUtf8(strings);
                }
            },
            MetadataArray::InvalidUtf8(strings) => strings.push(read_string_bytes(reader, key)?),
            MetadataArray::U64(values) => values.push(u64::from_le_bytes(reader.array()?)),
            MetadataArray::I64(values) => values.push(i64::from_le_bytes(reader.array()?)),
            MetadataArray::F64(values) => values.push(f64::from_le_bytes(reader.array()?)),
        }
        Ok(None)
    }
}

fn read_bool(reader: &mut ByteReader<'_>, key: &str) -> Result<bool, Stop> {
    let offset = reader.offset();
    match reader.array::<1>()? {
        [0] => Ok(false),
        [1] => Ok(true),
        [found] => Err(GgufError::Bool { key: key.to_owned(), found, offset }.into()),
    }
}

/// An element of an array of strings; its bytes where it is no text and only describes.
fn read_text<'a>(reader: &mut ByteReader<'a>, key: &str, index: u64) -> Result<Result<&'a str, &'a [u8]>, Stop> {
    let text_offset = reader.offset() + 8;
    let bytes = read_string_bytes(reader, key)?;
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Ok(text)),
        Err(_) if key.starts_with(DESCRIPTION) => Ok(Err(bytes)),
        Err(error) => {
            let offset = text_offset + error.valid_up_to() as u64;
            Err(GgufError::Utf8 { key: key.to_owned(), index, offset }.into())
        }
    }
}

fn read_string_bytes<'a>(reader: &mut ByteReader<'a>, key: &str) -> Result<&'a [u8], Stop> {
    let offset = reader.offset();
    let length = reader.u64()?;
    let limit = limits::STRING_BYTES;
    if length > limit {
        let what = format!("string of metadata key {key}");
        return Err(GgufError::Length { what, found: length, limit, offset }.into());
    }
    reader.take(length).map_err(|short: Short| short.into())
}
