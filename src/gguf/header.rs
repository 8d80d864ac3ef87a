//! HeaderParser: from bytes that come in pieces to a checked [`GgufFile`].
//!
//! The header is a row of small units: a count, a key, a value, an array element, a tensor entry.
//! A unit that is not there yet costs only the look at its length, so that no split of the bytes makes parsing slow.

use super::reader::{ByteReader, Short};
use super::{GgufError, GgufFile, Metadata, MetadataValue, TensorInfo, limits, value};
use crate::quant::TypeStatus;
use std::collections::BTreeMap;

/// Fewest bytes of a key-value pair: key length, one letter, type, one byte of value.
const KEY_VALUE_BYTES: u64 = 8 + 1 + 4 + 1;
/// Fewest bytes of a tensor entry: name length, one letter, dimension count, type, offset.
const TENSOR_ENTRY_BYTES: u64 = 8 + 1 + 4 + 4 + 8;
/// The alignment of a file that does not state one.
const DEFAULT_ALIGNMENT: u64 = 32;

/// Holds what has been parsed so far.
pub(super) struct HeaderParser {
    file_bytes: Option<u64>,
    state: State,
    last_short: Short,
    version: u32,
    n_keys: u64,
    n_tensors: u64,
    n_entries: u64,
    alignment: u64,
    metadata: Metadata,
    tensors: Vec<TensorInfo>,
    position_of: BTreeMap<String, usize>,
    /// Bytes of tensor data up to and with the last entry, padded: where the next tensor must lie.
    data_bytes: u64,
    /// The first tensor of a type that has no kernel. What follows is then read for its types only, so that one refusal tells of all.
    unsupported: Option<GgufError>,
}

enum State {
    Magic,
    Version,
    Counts,
    KeyValue,
    Value { key: String, value_type: u32 },
    Array { key: String, array: value::ArrayParser },
    TensorTable,
}

/// Why a unit was not read: more bytes are needed, or they are wrong.
pub(super) enum Stop {
    Short(Short),
    Wrong(GgufError),
}

impl From<Short> for Stop {
    fn from(short: Short) -> Stop {
        Stop::Short(short)
    }
}

impl From<GgufError> for Stop {
    fn from(error: GgufError) -> Stop {
        Stop::Wrong(error)
    }
}

impl HeaderParser {
    /// With the file's length, when it is known, impossible counts are refused at once.
    pub(super) fn new(file_bytes: Option<u64>) -> HeaderParser {
        HeaderParser {
            file_bytes,
            state: State::Magic,
            last_short: Short { needed: 4 },
            version: 0,
            n_keys: 0,
            n_tensors: 0,
            n_entries: 0,
            alignment: DEFAULT_ALIGNMENT,
            metadata: Metadata::default(),
            tensors: Vec::new(),
            position_of: BTreeMap::new(),
            data_bytes: 0,
            unsupported: None,
        }
    }

    /// Consumes as many units as there are; gives the header when it is complete.
    pub(super) fn advance(&mut self, reader: &mut ByteReader<'_>) -> Result<Option<GgufFile>, GgufError> {
        loop {
            let unit_start = reader.consumed();
            match self.unit(reader) {
                Ok(complete) => {
                    check_header_bytes(reader.offset())?;
                    if complete {
                        return Ok(Some(self.finish(reader.offset())));
                    }
                }
                Err(Stop::Short(short)) => {
                    reader.rewind(unit_start);
                    check_header_bytes(short.needed)?;
                    self.last_short = short;
                    return Ok(None);
                }
                Err(Stop::Wrong(error)) => return Err(error),
            }
        }
    }

    /// The entries read so far.
    pub(super) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The error for a file that ends here, after `found` bytes, with the header incomplete.
    pub(super) fn truncated(&self, found: u64) -> GgufError {
        if found == 0 {
            return GgufError::Empty;
        }
        let what = match &self.state {
            State::Magic | State::Version | State::Counts => "the file's head".to_owned(),
            State::KeyValue => format!("metadata entry {}", self.metadata.len()),
            State::Value { key, .. } | State::Array { key, .. } => format!("metadata key {key}"),
            State::TensorTable => format!("entry {} of the tensor table", self.n_entries),
        };
        GgufError::Truncated { what, found, needed: self.last_short.needed }
    }

    /// Reads one unit; `true` when it was the last.
    fn unit(&mut self, reader: &mut ByteReader<'_>) -> Result<bool, Stop> {
        match &mut self.state {
            State::Magic => {
                check_magic(reader)?;
                self.state = State::Version;
            }
            State::Version => {
                self.version = read_version(reader)?;
                self.state = State::Counts;
            }
            State::Counts => {
                let offset = reader.offset();
                self.n_tensors = reader.u64()?;
                self.n_keys = reader.u64()?;
                let bytes_left = self.file_bytes.map_or(u64::MAX, |bytes| bytes.saturating_sub(reader.offset()));
                check_count("tensors", self.n_tensors, limits::TENSORS, bytes_left / TENSOR_ENTRY_BYTES, offset)?;
                check_count("metadata keys", self.n_keys, limits::KEYS, bytes_left / KEY_VALUE_BYTES, offset + 8)?;
                self.next_key_value();
            }
            State::KeyValue => {
                let offset = reader.offset();
                let key = read_key(reader)?;
                let value_type = reader.u32()?;
                if self.metadata.get(&key).is_some() {
                    return Err(GgufError::DuplicateKey { key, offset }.into());
                }
                self.state = State::Value { key, value_type };
            }
            State::Value { key, value_type } => {
                let offset = reader.offset();
                let value = value::read(reader, key, *value_type)?;
                if key == "general.alignment" {
                    self.alignment = alignment(&value, offset)?;
                }
                match value {
                    value::Parsed::Complete(value) => {
                        let key = std::mem::take(key);
                        self.insert(key, value);
                    }
                    value::Parsed::Array(array) => {
                        let key = std::mem::take(key);
                        self.state = State::Array { key, array };
                    }
                }
            }
            State::Array { key, array } => {
                if let Some(values) = array.element(reader, key)? {
                    let key = std::mem::take(key);
                    self.insert(key, MetadataValue::Array(values));
                }
            }
            State::TensorTable => {
                if self.n_entries == self.n_tensors {
                    return self.unsupported.take().map_or(Ok(true), |error| Err(error.into()));
                }
                self.tensor_entry(reader)?;
                self.n_entries += 1;
            }
        }
        Ok(false)
    }

    fn insert(&mut self, key: String, value: MetadataValue) {
        self.metadata.insert(key, value);
        self.next_key_value();
    }

    fn next_key_value(&mut self) {
        let more_keys = (self.metadata.len() as u64) < self.n_keys;
        self.state = if more_keys { State::KeyValue } else { State::TensorTable };
    }

    fn tensor_entry(&mut self, reader: &mut ByteReader<'_>) -> Result<(), Stop> {
        let entry = match super::tensor_table::read_entry(reader) {
            Ok(_) if self.unsupported.is_some() => return Ok(()), // its place depends on the sizes of those before
            Ok(entry) => entry,
            Err(Stop::Wrong(GgufError::UnsupportedType { tensor, unsupported, offset, .. }))
                if unsupported.status == TypeStatus::Known =>
            {
                match &mut self.unsupported {
                    Some(GgufError::UnsupportedType { n_more, .. }) => *n_more += 1,
                    first => *first = Some(GgufError::UnsupportedType { tensor, n_more: 0, unsupported, offset }),
                }
                return Ok(());
            }
            Err(stop) => return Err(stop),
        };
        let previous = self.tensors.last().map_or("the start", |tensor| tensor.name.as_str());
        if self.position_of.contains_key(&entry.info.name) {
            return Err(GgufError::DuplicateTensor { tensor: entry.info.name, offset: entry.entry_offset }.into());
        }
        let end = entry.check_place(self.alignment, self.data_bytes, previous)?;
        self.data_bytes = end;
        self.position_of.insert(entry.info.name.clone(), self.tensors.len());
        self.tensors.push(entry.info);
        Ok(())
    }

    fn finish(&mut self, header_end: u64) -> GgufFile {
        GgufFile {
            version: self.version,
            alignment: self.alignment,
            metadata: std::mem::take(&mut self.metadata),
            tensors: std::mem::take(&mut self.tensors),
            // Both are far below the largest u64: the header's cap and the alignment's.
            tensor_data_offset: header_end.next_multiple_of(self.alignment),
            position_of: std::mem::take(&mut self.position_of),
        }
    }
}

fn check_header_bytes(offset: u64) -> Result<(), GgufError> {
    if offset > limits::HEADER_BYTES {
        return Err(GgufError::HeaderTooLarge { offset });
    }
    Ok(())
}

fn check_count(what: &'static str, found: u64, cap: u64, possible: u64, offset: u64) -> Result<(), GgufError> {
    let limit = cap.min(possible);
    if found > limit {
        return Err(GgufError::Count { what, found, limit, offset });
    }
    Ok(())
}

fn check_magic(reader: &mut ByteReader<'_>) -> Result<(), Stop> {
    let found: [u8; 4] = reader.array()?;
    if found == *b"GGUF" {
        return Ok(());
    }
    let looks_like = match &found {
        b"FUGG" => "a GGUF file whose bytes were reversed",
        b"lmgg" | b"ggml" | b"tjgg" | b"ggjt" | b"fmgg" | b"ggmf" => "an older ggml file; convert it to GGUF",
        [b'P', b'K', ..] => "a zip archive, perhaps a PyTorch checkpoint",
        [b'<', ..] => "an HTML or XML page, perhaps an error message of the server",
        [0x1f, 0x8b, ..] => "a gzip archive",
        [0x80, ..] => "a Python pickle, perhaps a PyTorch checkpoint",
        b"vers" => "a Git LFS pointer instead of the file itself",
        [b'{', ..] => "a JSON text",
        // The length of a safetensors header, seldom above 16 MB; the four bytes alone must decide, however they came.
        [_, _, _, 0] if found != [0; 4] => "perhaps a safetensors file",
        _ => "which is not a format known here",
    };
    Err(GgufError::Magic { found, looks_like }.into())
}

fn read_version(reader: &mut ByteReader<'_>) -> Result<u32, Stop> {
    let version = reader.u32()?;
    match (version, version.swap_bytes()) {
        (2 | 3, _) => Ok(version),
        (_, swapped @ 2..=3) => Err(GgufError::BigEndian { version: swapped }.into()),
        _ => Err(GgufError::Version { version }.into()),
    }
}

fn read_key(reader: &mut ByteReader<'_>) -> Result<String, Stop> {
    let offset = reader.offset();
    let wrong = |problem: String| GgufError::Key { problem, offset };
    let length = reader.u64()?;
    if length > limits::STRING_BYTES {
        let what = "metadata key".to_owned();
        return Err(GgufError::Length { what, found: length, limit: limits::KEY_BYTES, offset }.into());
    }
    if length > limits::KEY_BYTES {
        return Err(wrong(format!("has {length} bytes, at most {} are allowed", limits::KEY_BYTES)).into());
    }
    let bytes = reader.take(length)?;
    if bytes.is_empty() {
        return Err(wrong("is empty".to_owned()).into());
    }
    if !bytes.iter().all(u8::is_ascii_graphic) {
        return Err(wrong("is not printable ASCII without spaces".to_owned()).into());
    }
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

fn alignment(value: &value::Parsed, offset: u64) -> Result<u64, GgufError> {
    match value {
        value::Parsed::Complete(MetadataValue::U32(value))
            if value.is_power_of_two() && u64::from(*value) <= limits::ALIGNMENT =>
        {
            Ok(u64::from(*value))
        }
        value::Parsed::Complete(other) => Err(GgufError::Alignment { found: other.describe(), offset }),
        value::Parsed::Array(_) => Err(GgufError::Alignment { found: "an array".to_owned(), offset }),
    }
}
