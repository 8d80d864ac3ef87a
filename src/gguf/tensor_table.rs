//! Tensor table: one entry read and checked for itself, then its place against the entries before it.

use super::header::Stop;
use super::reader::ByteReader;
use super::{GgufError, TensorInfo, limits};
use crate::quant::TensorType;

/// An entry with the places of its parts in the file, for messages.
pub(super) struct Entry {
    pub(super) info: TensorInfo,
    pub(super) entry_offset: u64,
    place_offset: u64,
}

/// Reads one entry: name, dimensions, type, offset; its size follows from them.
pub(super) fn read_entry(reader: &mut ByteReader<'_>) -> Result<Entry, Stop> {
    let entry_offset = reader.offset();
    let name = read_name(reader)?;
    let n_dimensions_offset = reader.offset();
    let n_dimensions = reader.u32()?;
    if n_dimensions > limits::DIMENSIONS {
        return Err(GgufError::Dimensions { tensor: name, found: n_dimensions, offset: n_dimensions_offset }.into());
    }
    let shape_offset = reader.offset();
    let mut shape = Vec::new();
    for _ in 0..n_dimensions {
        shape.push(reader.u64()?);
    }
    let type_offset = reader.offset();
    let type_id = reader.u32()?;
    let place_offset = reader.offset();
    let offset = reader.u64()?;

    let n_elements = n_elements(&shape);
    let tensor_type = match TensorType::from_ggml_id(type_id) {
        Ok(tensor_type) => tensor_type,
        Err(unsupported) => {
            return Err(GgufError::UnsupportedType { tensor: name, n_more: 0, unsupported, offset: type_offset }.into());
        }
    };
    let Some(n_elements) = n_elements else {
        return Err(GgufError::Shape { tensor: name, shape, offset: shape_offset }.into());
    };
    let row_length = shape.first().copied().unwrap_or(1);
    if !row_length.is_multiple_of(tensor_type.block().elements as u64) {
        let error = GgufError::RowNotWholeBlocks { tensor: name, row_length, tensor_type, offset: shape_offset };
        return Err(error.into());
    }
    match tensor_type.len_bytes(n_elements) {
        Some(len_bytes) if len_bytes <= limits::FILE_BYTES => {
            let info = TensorInfo { name, shape, tensor_type, offset, len_bytes };
            Ok(Entry { info, entry_offset, place_offset })
        }
        _ => Err(GgufError::Shape { tensor: name, shape, offset: shape_offset }.into()),
    }
}

impl Entry {
    /// Checks that the tensor lies at `expected`, right after the one before it; gives the place after it, padded.
    pub(super) fn check_place(&self, alignment: u64, expected: u64, previous: &str) -> Result<u64, GgufError> {
        let tensor = || self.info.name.clone();
        let (found, offset) = (self.info.offset, self.place_offset);
        if !found.is_multiple_of(alignment) {
            return Err(GgufError::Misaligned { tensor: tensor(), found, alignment, offset });
        }
        if found < expected {
            let previous = previous.to_owned();
            return Err(GgufError::Overlap { tensor: tensor(), previous, found, expected, offset });
        }
        if found > expected {
            return Err(GgufError::Gap { tensor: tensor(), found, expected, offset });
        }
        found
            .checked_add(self.info.len_bytes)
            .and_then(|end| end.checked_next_multiple_of(alignment))
            .filter(|&end| end <= limits::FILE_BYTES)
            .ok_or_else(|| GgufError::DataTooLarge { tensor: tensor(), offset })
    }
}

fn read_name(reader: &mut ByteReader<'_>) -> Result<String, Stop> {
    let offset = reader.offset();
    let length = reader.u64()?;
    let wrong = |problem: String| GgufError::TensorName { problem, offset };
    if length > limits::TENSOR_NAME_BYTES {
        return Err(wrong(format!("has {length} bytes, at most {} are allowed", limits::TENSOR_NAME_BYTES)).into());
    }
    let bytes = reader.take(length)?;
    if bytes.is_empty() {
        return Err(wrong("is empty".to_owned()).into());
    }
    match std::str::from_utf8(bytes) {
        Ok(name) => Ok(name.to_owned()),
        Err(_) => Err(wrong("is not valid UTF-8".to_owned()).into()),
    }
}

/// The product of the dimensions, when that of those that are not zero fits a signed 64-bit number, as every reader assumes: a zero must
/// hide neither an impossible dimension nor an impossible product of some of them.
fn n_elements(shape: &[u64]) -> Option<u64> {
    let fits = |&product: &u64| i64::try_from(product).is_ok();
    let product = |nonzero: u64, dimension: &u64| nonzero.checked_mul(*dimension).filter(fits);
    let nonzero = shape.iter().filter(|dimension| **dimension > 0).try_fold(1u64, product)?;
    Some(if shape.contains(&0) { 0 } else { nonzero })
}
