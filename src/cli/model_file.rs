//! A model's file, or all files of a model in several parts, read one behind the other.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::failure::Failure;
use super::start::{NO_FILE, in_file, read};
use crate::gguf::{GgufError, GgufFile, GgufStream, Metadata, PartHeader, PartName, join};

/// Bytes of a header read at once: headers with large vocabularies take a few MB.
const HEADER_PIECE_BYTES: usize = 256 << 10;

/// The opened file or files, in order.
#[derive(Debug)]
pub(super) struct ModelFile {
    /// The file that was named.
    pub(super) path: PathBuf,
    /// Bytes of all files.
    pub(super) len_bytes: u64,
    files: Vec<OpenFile>,
    /// The file that is being read.
    current: usize,
}

#[derive(Debug)]
struct OpenFile {
    path: PathBuf,
    file: File,
    len_bytes: u64,
}

/// What the head of a model's files says.
pub(super) struct ModelHead {
    /// The metadata, also where a tensor table was refused.
    pub(super) metadata: Metadata,
    /// The whole header, or why it was refused.
    pub(super) file: Result<Arc<GgufFile>, Failure>,
}

impl ModelFile {
    /// Opens the file, and beside a part (`name-00001-of-00003.gguf`) those of its siblings that there are.
    pub(super) fn open(path: PathBuf) -> Result<Self, Failure> {
        let mut files = Vec::new();
        for sibling in siblings(&path) {
            match open(&sibling) {
                Ok(file) => files.push(file),
                // Which parts are missing is told once all others are read.
                Err(error) if error.kind() == ErrorKind::NotFound && sibling != path => {}
                Err(error) => return Err(Failure::file("no-file", &sibling, &error, NO_FILE)),
            }
        }
        let len_bytes = files.iter().map(|file| file.len_bytes).sum();
        Ok(Self { path, len_bytes, files, current: 0 })
    }

    /// What takes the bytes: for one file a stream that reads its header by the way, for several one that knows their joined header.
    pub(super) fn stream(&mut self) -> Result<GgufStream, Failure> {
        if PartName::parse(&name(&self.path)).is_none() {
            return Ok(GgufStream::new(Some(self.len_bytes)));
        }
        Ok(GgufStream::with_header(self.head()?.file?, self.len_bytes))
    }

    /// Reads up to the end of the header of each file, and goes back to the beginning. A file may be the beginning of a download.
    pub(super) fn head(&mut self) -> Result<ModelHead, Failure> {
        let mut parts = Vec::new();
        let (mut metadata, mut refused) = (None, None);
        for file in &mut self.files {
            let (read_so_far, header) = file.header()?;
            metadata.get_or_insert(read_so_far);
            match header {
                Ok(header) => {
                    parts.push(PartHeader { name: name(&file.path), len_bytes: file.len_bytes, header });
                }
                Err(error) => refused = refused.or(Some(in_file(&file.path, error))),
            }
        }
        let file = match refused {
            Some(failure) => Err(failure),
            None => self.joined(&parts),
        };
        Ok(ModelHead { metadata: metadata.unwrap_or_default(), file })
    }

    fn joined(&mut self, parts: &[PartHeader]) -> Result<Arc<GgufFile>, Failure> {
        let (header, order) = join(parts).map_err(|error| in_file(&self.path, error))?;
        if order.iter().enumerate().any(|(place, index)| place != *index) {
            let why = "the names of the parts do not say the numbers that stand in them".to_owned();
            return Err(in_file(&self.path, GgufError::Shards { problem: why }));
        }
        Ok(header)
    }
}

impl Read for ModelFile {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while let Some(OpenFile { file, .. }) = self.files.get_mut(self.current) {
            match file.read(buffer)? {
                0 if !buffer.is_empty() => self.current += 1,
                n => return Ok(n),
            }
        }
        Ok(0)
    }
}

impl OpenFile {
    /// The metadata, and the header or why its tensor table was refused.
    fn header(&mut self) -> Result<(Metadata, Result<Arc<GgufFile>, GgufError>), Failure> {
        // The length is not announced: the file may be the beginning of a download.
        let mut stream = GgufStream::new(None);
        let mut piece = vec![0; HEADER_PIECE_BYTES];
        let mut refused = None;
        while stream.header().is_none() && refused.is_none() {
            let n = read(&mut self.file, &mut piece, &self.path)?;
            if n == 0 {
                break;
            }
            refused = stream.push(&piece[..n]).err();
        }
        self.file.rewind().map_err(|error| Failure::file("no-file", &self.path, &error, NO_FILE))?;
        let metadata = stream.metadata_so_far().clone();
        match (refused, stream.header().cloned()) {
            // The tensor table stands behind the metadata, so a type that this program lacks leaves a readable description.
            (Some(error @ GgufError::UnsupportedType { .. }), _) => Ok((metadata, Err(error))),
            (Some(error), _) => Err(in_file(&self.path, error)),
            (None, Some(header)) => Ok((metadata, Ok(header))),
            (None, None) => {
                let error = stream.finish().err().unwrap_or(GgufError::Empty);
                Err(in_file(&self.path, error))
            }
        }
    }
}

fn open(path: &Path) -> std::io::Result<OpenFile> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    // A folder opens like a file on some systems and fails only when it is read.
    if metadata.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    Ok(OpenFile { path: path.to_owned(), file, len_bytes: metadata.len() })
}

/// The files of the model of which `path` is one.
fn siblings(path: &Path) -> Vec<PathBuf> {
    match PartName::parse(&name(path)) {
        Some(part) => part.all().map(|name| path.with_file_name(name)).collect(),
        None => vec![path.to_owned()],
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
