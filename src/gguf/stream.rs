//! GgufStream: a push parser; bytes go in as they arrive, the header and then whole tensors come out.
//!
//! It holds the incomplete unit of the header or the incomplete tensor, never the file, and hashes every byte that passes.

use super::header::HeaderParser;
use super::reader::ByteReader;
use super::{GgufError, GgufFile, Metadata};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The header is parsed in pieces of this size, so that a large push is not copied.
const HEADER_PIECE_BYTES: usize = 64 << 10;
/// First allocation for a tensor when the file's length is not known.
const FIRST_TENSOR_BYTES: u64 = 64 << 10;
/// What [`read_from`] asks for at once.
const READ_BYTES: usize = 256 << 10;

/// What became complete.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamEvent {
    /// The header; comes once, before all tensors.
    Header(Arc<GgufFile>),
    /// A tensor, in file order.
    Tensor {
        /// Its place in [`GgufFile::tensors`].
        index: usize,
        /// Its bytes without padding.
        bytes: Vec<u8>,
    },
}

/// What is known at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamSummary {
    /// SHA-256 of all bytes, those after the last tensor included.
    pub sha256: [u8; 32],
    /// Number of all bytes.
    pub total_bytes: u64,
    /// Bytes after the last tensor and its padding; not part of the model.
    pub ignored_bytes: u64,
}

impl StreamSummary {
    /// The hash as 64 lower-case hexadecimal digits.
    pub fn sha256_hex(&self) -> String {
        self.sha256.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Takes a file's bytes in pieces of any size.
pub struct GgufStream {
    announced_bytes: Option<u64>,
    total_bytes: u64,
    hash: Sha256,
    phase: Phase,
    /// The first error; the stream gives it again and takes no more bytes.
    failed: Option<GgufError>,
}

enum Phase {
    Header {
        parser: Box<HeaderParser>,
        /// Bytes that came and are not consumed; the last of them is the last that was given to the parser.
        pending: Vec<u8>,
        consumed_bytes: u64,
    },
    Data {
        header: Arc<GgufFile>,
        /// The tensor being filled.
        index: usize,
        bytes: Vec<u8>,
        /// Place in the file of the next byte.
        position: u64,
    },
}

impl Default for GgufStream {
    fn default() -> GgufStream {
        GgufStream::new(None)
    }
}

impl GgufStream {
    /// `announced_bytes` is the file's length when it is known: lies about lengths are then refused at once.
    pub fn new(announced_bytes: Option<u64>) -> GgufStream {
        GgufStream {
            announced_bytes,
            total_bytes: 0,
            hash: Sha256::new(),
            phase: Phase::Header {
                parser: Box::new(HeaderParser::new(announced_bytes)),
                pending: Vec::new(),
                consumed_bytes: 0,
            },
            failed: None,
        }
    }

    /// For files whose header is known: all parts of a model, one behind the other, under the header that [`super::join`] made.
    /// There is no [`StreamEvent::Header`], and the parts' own headers are passed over.
    pub fn with_header(header: Arc<GgufFile>, announced_bytes: u64) -> GgufStream {
        GgufStream {
            phase: Phase::Data { header, index: 0, bytes: Vec::new(), position: 0 },
            ..GgufStream::new(Some(announced_bytes))
        }
    }

    /// The header, once it is complete: also that of a file which is too short for it.
    pub fn header(&self) -> Option<&Arc<GgufFile>> {
        match &self.phase {
            Phase::Header { .. } => None,
            Phase::Data { header, .. } => Some(header),
        }
    }

    /// The metadata read so far: all of it, or what stands before the place where the header ended or was refused.
    pub fn metadata_so_far(&self) -> &Metadata {
        match &self.phase {
            Phase::Header { parser, .. } => parser.metadata(),
            Phase::Data { header, .. } => &header.metadata,
        }
    }

    /// Bytes taken so far.
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// Takes the next bytes and gives what they completed, in file order.
    ///
    /// # Errors
    /// A [`GgufError`]; after it every call gives the same.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<StreamEvent>, GgufError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let mut events = Vec::new();
        match self.take(bytes, &mut events) {
            Ok(()) => Ok(events),
            Err(error) => {
                self.failed = Some(error.clone());
                Err(error)
            }
        }
    }

    /// Ends the stream.
    ///
    /// # Errors
    /// The error of an earlier push; [`GgufError::Empty`], [`GgufError::Truncated`] when bytes are missing;
    /// [`GgufError::FileChanged`] when all tensors are there but fewer bytes came than announced.
    pub fn finish(self) -> Result<StreamSummary, GgufError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let total_bytes = self.total_bytes;
        let header = match &self.phase {
            Phase::Header { parser, .. } => return Err(parser.truncated(total_bytes)),
            Phase::Data { header, index, .. } => {
                if let Some(tensor) = header.tensors.get(*index) {
                    let what = format!("tensor {}", tensor.name);
                    let needed = header.file_offset(tensor) + tensor.len_bytes;
                    return Err(GgufError::Truncated { what, found: total_bytes, needed });
                }
                header
            }
        };
        if let Some(announced) = self.announced_bytes
            && announced != total_bytes
        {
            return Err(GgufError::FileChanged { announced, found: total_bytes });
        }
        let ignored_bytes = header.bytes_behind(total_bytes);
        Ok(StreamSummary { sha256: self.hash.finalize().into(), total_bytes, ignored_bytes })
    }

    fn take(&mut self, bytes: &[u8], events: &mut Vec<StreamEvent>) -> Result<(), GgufError> {
        self.total_bytes += bytes.len() as u64;
        if let Some(announced) = self.announced_bytes
            && self.total_bytes > announced
        {
            return Err(GgufError::FileChanged { announced, found: self.total_bytes });
        }
        self.hash.update(bytes);
        let mut rest = bytes;
        while let Phase::Header { parser, pending, consumed_bytes } = &mut self.phase {
            if rest.is_empty() {
                return Ok(());
            }
            let (piece, after) = rest.split_at(rest.len().min(HEADER_PIECE_BYTES));
            rest = after;
            pending.extend_from_slice(piece);
            let mut reader = ByteReader::new(pending, *consumed_bytes);
            let header = parser.advance(&mut reader)?;
            let consumed = reader.consumed();
            pending.drain(..consumed);
            *consumed_bytes += consumed as u64;
            if let Some(header) = header {
                let header = Arc::new(header);
                events.push(StreamEvent::Header(Arc::clone(&header)));
                let (pending, position) = (std::mem::take(pending), *consumed_bytes);
                let complete = self.announced_bytes.map_or(Ok(()), |announced| header.check_length(announced));
                self.phase = Phase::Data { header, index: 0, bytes: Vec::new(), position };
                complete?;
                self.fill_tensors(&pending, events)?;
            }
        }
        self.fill_tensors(rest, events)
    }

    /// Hands out every tensor that `incoming` completes, those of no bytes at once.
    fn fill_tensors(&mut self, mut incoming: &[u8], events: &mut Vec<StreamEvent>) -> Result<(), GgufError> {
        let Phase::Data { header, index, bytes, position } = &mut self.phase else {
            return Ok(());
        };
        while let Some(tensor) = header.tensors.get(*index) {
            let start = header.file_offset(tensor);
            let padding = take_at_most(&mut incoming, start.saturating_sub(*position));
            *position += padding.len() as u64;

            let missing = tensor.len_bytes - bytes.len() as u64;
            let part = if *position < start { &[] } else { take_at_most(&mut incoming, missing) };
            reserve(bytes, part.len(), tensor.len_bytes, self.announced_bytes.is_some())
                .map_err(|_| GgufError::OutOfMemory { tensor: tensor.name.clone(), len_bytes: tensor.len_bytes })?;
            bytes.extend_from_slice(part);
            *position += part.len() as u64;
            if (bytes.len() as u64) < tensor.len_bytes {
                return Ok(());
            }
            events.push(StreamEvent::Tensor { index: *index, bytes: std::mem::take(bytes) });
            *index += 1;
        }
        *position += incoming.len() as u64;
        Ok(())
    }
}

/// Splits up to `limit` bytes off the front.
fn take_at_most<'a>(bytes: &mut &'a [u8], limit: u64) -> &'a [u8] {
    let length = usize::try_from(limit).map_or(bytes.len(), |limit| limit.min(bytes.len()));
    let (front, rest) = bytes.split_at(length);
    *bytes = rest;
    front
}

/// Room for `more` bytes of a tensor: all of it when the file is known to hold it, else by doubling.
fn reserve(
    bytes: &mut Vec<u8>,
    more: usize,
    len_bytes: u64,
    length_is_known: bool,
) -> Result<(), std::collections::TryReserveError> {
    if bytes.capacity() - bytes.len() >= more {
        return Ok(());
    }
    let present = bytes.len() as u64;
    let wanted = if length_is_known {
        len_bytes
    } else {
        (present * 2).max(present + more as u64).max(FIRST_TENSOR_BYTES).min(len_bytes)
    };
    // A size that does not fit the address space becomes one that no allocator grants.
    bytes.try_reserve_exact(usize::try_from(wanted - present).unwrap_or(usize::MAX))
}

/// Streams a whole source into `stream`, giving each event to `on_event`; tensors are held one at a time.
///
/// # Errors
/// Those of the stream, of the source (as [`GgufError::Read`]) and of `on_event`.
pub fn read_from<E: From<GgufError>>(
    mut source: impl std::io::Read,
    mut stream: GgufStream,
    mut on_event: impl FnMut(StreamEvent) -> Result<(), E>,
) -> Result<StreamSummary, E> {
    let mut piece = vec![0; READ_BYTES];
    loop {
        let length = match source.read(&mut piece) {
            Ok(0) => return Ok(stream.finish()?),
            Ok(length) => length,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => {
                return Err(GgufError::Read { offset: stream.total_bytes(), message: error.to_string() }.into());
            }
        };
        for event in stream.push(&piece[..length])? {
            on_event(event)?;
        }
    }
}

/// A file with all its tensors in memory: for tests and references, not for the browser.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedGguf {
    /// The header.
    pub header: Arc<GgufFile>,
    /// Bytes of each tensor, in the order of [`GgufFile::tensors`].
    pub tensors: Vec<Vec<u8>>,
    /// Hash and length.
    pub summary: StreamSummary,
}

/// Reads a whole file into memory.
///
/// # Errors
/// As [`read_from`].
pub fn load(source: impl std::io::Read, announced_bytes: Option<u64>) -> Result<LoadedGguf, GgufError> {
    load_into(source, GgufStream::new(announced_bytes))
}

/// Reads a whole source into memory by way of `stream`.
///
/// # Errors
/// As [`read_from`].
pub fn load_into(source: impl std::io::Read, stream: GgufStream) -> Result<LoadedGguf, GgufError> {
    let mut header = stream.header().cloned();
    let mut tensors = Vec::new();
    let summary = read_from(source, stream, |event| {
        match event {
            StreamEvent::Header(file) => header = Some(file),
            StreamEvent::Tensor { bytes, .. } => tensors.push(bytes),
        }
        Ok::<(), GgufError>(())
    })?;
    let header = header.expect("a stream that finishes has given its header");
    Ok(LoadedGguf { header, tensors, summary })
}
