//! GGUF: the container that holds a model's description, its vocabulary and its weights.
//!
//! ```text
//! byte 0   "GGUF"                    magic
//!      4   version           u32     2 or 3, little endian
//!      8   tensor count      u64
//!     16   key count         u64
//!     24   key-value pairs           key (length u64, bytes), value type u32, value
//!          tensor table              name, dimension count u32, dimensions u64 (row length first), type u32, offset u64
//!          padding                   up to a multiple of general.alignment (32 when not given)
//!          tensor data               in the table's order, each padded to the alignment, without gaps
//! ```
//!
//! The promise: any bytes give a value or a [`GgufError`], never a panic;
//! all sums and products are checked in `u64`; memory is bounded by the bytes that came (a few times them) and by [`limits`].
//! What the numbers mean for a model is not checked here.

pub(crate) mod advice;
mod error;
mod header;
pub mod limits;
mod metadata;
mod metadata_array;
mod reader;
mod split;
mod stream;
mod tensor_table;
mod texts;
mod value;
mod writer;

pub use error::GgufError;
pub use metadata::{Metadata, MetadataValue};
pub use metadata_array::MetadataArray;
pub use split::{PartHeader, PartName, join};
pub use stream::{GgufStream, LoadedGguf, StreamEvent, StreamSummary, load, load_into, read_from};
pub use texts::{ByteStrings, Texts};
pub use writer::GgufWriter;

use crate::quant::TensorType;
use std::collections::BTreeMap;

/// A parsed header: everything but the tensor data.
#[derive(Clone, Debug, PartialEq)]
pub struct GgufFile {
    /// 2 or 3.
    pub version: u32,
    /// Tensors begin at multiples of it; a power of two.
    pub alignment: u64,
    /// The key-value pairs.
    pub metadata: Metadata,
    /// The tensor table, which is in the order of the data.
    pub tensors: Vec<TensorInfo>,
    /// Where the tensor data begins, in bytes from the start of the file; 0 in the header of several parts, whose data lies apart.
    pub tensor_data_offset: u64,
    position_of: BTreeMap<String, usize>,
}

/// One entry of the tensor table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorInfo {
    /// Unique in the file.
    pub name: String,
    /// Up to four dimensions, the row length (`ne0`) first; none for a scalar.
    pub shape: Vec<u64>,
    /// How the numbers are stored.
    pub tensor_type: TensorType,
    /// First byte, counted from the start of the tensor data.
    pub offset: u64,
    /// Bytes without padding.
    pub len_bytes: u64,
}

impl TensorInfo {
    /// Numbers in the tensor; the reader has checked that the product exists.
    pub fn n_elements(&self) -> u64 {
        self.shape.iter().product()
    }

    /// Numbers in a row, the first dimension; 1 for a scalar.
    pub fn row_length(&self) -> u64 {
        self.shape.first().copied().unwrap_or(1)
    }

    /// Rows, all dimensions but the first multiplied.
    pub fn n_rows(&self) -> u64 {
        self.shape.iter().skip(1).product()
    }
}

impl GgufFile {
    /// Parses the header of a whole file in memory and checks that every tensor lies inside it.
    ///
    /// # Errors
    /// A [`GgufError`] that says what is wrong and at which byte.
    pub fn parse(file: &[u8]) -> Result<GgufFile, GgufError> {
        let mut parser = header::HeaderParser::new(Some(file.len() as u64));
        match parser.advance(&mut reader::ByteReader::new(file, 0))? {
            Some(header) => header.check_length(file.len() as u64).map(|()| header),
            None => Err(parser.truncated(file.len() as u64)),
        }
    }

    /// Checks that a file of so many bytes holds every tensor.
    ///
    /// # Errors
    /// [`GgufError::PastEnd`] with the first that it does not hold, and both lengths.
    pub fn check_length(&self, file_bytes: u64) -> Result<(), GgufError> {
        for tensor in self.tensors.iter().filter(|tensor| tensor.len_bytes > 0) {
            let end = self.file_offset(tensor) + tensor.len_bytes;
            if end > file_bytes {
                let whole_bytes = self.end_of_data();
                return Err(GgufError::PastEnd { tensor: tensor.name.clone(), end, whole_bytes, file_bytes });
            }
        }
        Ok(())
    }

    /// How many tensors of each format there are.
    pub fn tensor_types(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for tensor in &self.tensors {
            *counts.entry(tensor.tensor_type.name()).or_default() += 1;
        }
        counts
    }

    /// Place of a tensor in [`GgufFile::tensors`].
    pub fn tensor_index(&self, name: &str) -> Option<usize> {
        self.position_of.get(name).copied()
    }

    /// The table's entry of a tensor.
    pub fn tensor(&self, name: &str) -> Option<&TensorInfo> {
        self.tensor_index(name).map(|index| &self.tensors[index])
    }

    /// First byte of a tensor, counted from the start of the file.
    pub fn file_offset(&self, tensor: &TensorInfo) -> u64 {
        self.tensor_data_offset + tensor.offset
    }

    /// First byte after the last tensor; what follows is padding or not part of the model.
    pub fn end_of_data(&self) -> u64 {
        self.tensors.last().map_or(self.tensor_data_offset, |tensor| self.file_offset(tensor) + tensor.len_bytes)
    }

    /// Of a file of so many bytes those behind the last tensor and its padding: not part of the model.
    pub fn bytes_behind(&self, file_bytes: u64) -> u64 {
        file_bytes.saturating_sub(self.end_of_data().next_multiple_of(self.alignment))
    }
}
