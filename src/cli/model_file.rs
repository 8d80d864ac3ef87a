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
    /// The metadata that stands before a tensor table which was refused.
    described: Metadata,
    /// The whole header, also that of a file which ends before its tensors do.
    pub(super) header: Option<Arc<GgufFile>>,
    /// Why there is no model in these files.
    pub(super) refused: Option<Failure>,
    /// Bytes behind the tensors, which are no part of the model.
    pub(super) bytes_behind: u64,
}

/// What the head of one file says.
struct FileHead {
    /// The metadata where the tensor table was refused.
    described: Option<Metadata>,
    /// The header where it is whole.
    header: Option<Arc<GgufFile>>,
    /// What is wrong with it that leaves either readable.
    refused: Option<GgufError>,
}

impl ModelHead {
    /// The metadata, also where the tensor table was refused.
    pub(super) fn metadata(&self) -> &Metadata {
        self.header.as_ref().map_or(&self.described, |header| &header.metadata)
    }

    /// The header of files that are whole.
    pub(super) fn whole(self) -> Result<Arc<GgufFile>, Failure> {
        match self {
            Self { refused: None, header: Some(header), .. } => Ok(header),
            Self { refused, .. } => Err(refused.unwrap_or_else(|| GgufError::Empty.into())),
        }
    }
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

    /// Reads up to the end of the header of each file, and goes back to the beginning.
    pub(super) fn head(&mut self) -> Result<ModelHead, Failure> {
        let mut parts = Vec::new();
        let (mut described, mut refused, mut bytes_behind) = (None, None, 0);
        for file in &mut self.files {
            let head = file.header()?;
            described = described.or(head.described);
            refused = refused.or(head.refused.map(|error| in_file(&file.path, error)));
            if let Some(header) = head.header {
                bytes_behind += header.bytes_behind(file.len_bytes);
                parts.push(PartHeader { name: name(&file.path), len_bytes: file.len_bytes, header });
            }
        }
        let header = match (&refused, parts.as_slice()) {
            (Some(_), [one]) if self.files.len() == 1 => Some(Arc::clone(&one.header)),
            (Some(_), _) => None,
            (None, parts) => self.joined(parts).map_err(|failure| refused = Some(failure)).ok(),
        };
        if header.is_none() {
            described = described.or_else(|| Some(parts.first()?.header.metadata.clone()));
        }
        Ok(ModelHead { described: described.unwrap_or_default(), header, refused, bytes_behind })
    }

    fn joined(&self, parts: &[PartHeader]) -> Result<Arc<GgufFile>, Failure> {
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
    /// What the beginning of the file says, where it can be read.
    fn header(&mut self) -> Result<FileHead, Failure> {
        let mut stream = GgufStream::new(Some(self.len_bytes));
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
        let header = stream.header().cloned();
        match refused {
            None if header.is_none() => {
                let error = stream.finish().err().unwrap_or(GgufError::Empty);
                Err(in_file(&self.path, error))
            }
            // The tensor table stands behind the metadata, and the tensors behind the table: a type that this program lacks, or an end that
            // comes too soon, leaves a readable description.
            None | Some(GgufError::UnsupportedType { .. } | GgufError::PastEnd { .. }) => {
                let described = header.is_none().then(|| stream.metadata_so_far().clone());
                Ok(FileHead { described, header, refused })
            }
            Some(error) => Err(in_file(&self.path, error)),
        }
    }
}

fn open(path: &Path) -> std::io::Result<OpenFile> {
    // Before it is opened: opening a pipe waits for whoever writes into it, and a folder fails only when it is read.
    let kind = std::fs::metadata(path)?;
    if kind.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !kind.is_file() {
        return Err(std::io::Error::new(ErrorKind::InvalidInput, "it is a device or a pipe, not a file"));
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
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
