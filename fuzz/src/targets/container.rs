//! The reader: any bytes, and files put together field by field with some fields wrong.

use arbitrary::{Result, Unstructured};
use lastbit::gguf::{GgufError, GgufFile, GgufStream, GgufWriter, MetadataValue};

use super::generate::{edge, mostly, several, value};

/// Any bytes, in pieces whose size the first byte says.
pub(crate) fn reader_bytes(data: &[u8]) {
    let Some((first, file)) = data.split_first() else { return };
    check_bytes(file, usize::from(*first) + 1);
}

/// A file that is right but for a few fields.
pub(crate) fn reader_structure(data: &[u8]) {
    let mut u = Unstructured::new(data);
    if let Ok((file, piece_bytes)) = structure(&mut u) {
        check_bytes(&file, piece_bytes);
    }
}

/// What must hold for any bytes: no panic, one verdict however they come, and what is accepted is consistent.
///
/// # Panics
/// Where it does not hold.
pub(crate) fn check_bytes(file: &[u8], piece_bytes: usize) {
    let whole = GgufFile::parse(file);
    match (&whole, &load_in_pieces(file, piece_bytes)) {
        // As text, in which two NaNs are equal.
        (Ok(header), Ok(from_stream)) => assert_eq!(format!("{header:?}"), format!("{from_stream:?}")),
        // Only a parser that knows where the file ends can say that something lies beyond.
        (Err(whole), Err(streamed)) => {
            assert!(whole == streamed || matches!(whole.code(), "GGUF_COUNT" | "GGUF_OFFSET"), "{whole} and {streamed}")
        }
        (whole, streamed) => panic!("whole {whole:?}, in pieces {streamed:?}"),
    }
    if let Ok(header) = whole {
        check_accepted(&header, file);
    }
}

fn load_in_pieces(file: &[u8], piece_bytes: usize) -> std::result::Result<GgufFile, GgufError> {
    let mut stream = GgufStream::new(None);
    for piece in file.chunks(piece_bytes) {
        stream.push(piece)?;
    }
    let header = stream.header().map(|header| GgufFile::clone(header));
    stream.finish()?;
    Ok(header.expect("a stream that finishes has a header"))
}

/// Regions lie inside the file, one after the other; written again, the file reads the same.
fn check_accepted(header: &GgufFile, file: &[u8]) {
    let mut end = header.tensor_data_offset;
    let mut writer = GgufWriter::default();
    writer.version(header.version);
    if header.metadata.get("general.alignment").is_none() {
        assert_eq!(header.alignment, 32);
    }
    for tensor in &header.tensors {
        let start = header.file_offset(tensor);
        assert!(start >= end && start.is_multiple_of(header.alignment));
        assert_eq!(tensor.tensor_type.len_bytes(tensor.n_elements()), Some(tensor.len_bytes));
        assert_eq!(tensor.row_length() * tensor.n_rows(), tensor.n_elements());
        end = start + tensor.len_bytes;
        assert!(end <= file.len() as u64 || tensor.len_bytes == 0);
    }
    // The writer pads to 32 unless told otherwise, so files of another alignment are compared by their header alone.
    if header.alignment == 32 {
        for (key, value) in header.metadata.iter() {
            writer.metadata(key, value.clone());
        }
        for tensor in &header.tensors {
            let start = header.file_offset(tensor) as usize;
            let bytes = if tensor.len_bytes == 0 { &[] } else { &file[start..start + tensor.len_bytes as usize] };
            writer.tensor(&tensor.name, &tensor.shape, tensor.tensor_type, bytes.to_vec());
        }
        let again = GgufFile::parse(&writer.to_bytes());
        assert_eq!(format!("{again:?}"), format!("{:?}", Ok::<_, GgufError>(header)));
    }
}

/// A file with wrong numbers here and there, and the size of its pieces.
fn structure(u: &mut Unstructured) -> Result<(Vec<u8>, usize)> {
    let keys = several(u, 4, |u| Ok((u.choose(&KEYS).copied()?, value(u)?)))?;
    let tensors = several(u, 4, tensor)?;
    // Metadata by the writer; a last byte that is not zero shows where its padding begins.
    let mut writer = GgufWriter::default();
    for (key, value) in &keys {
        writer.metadata(key, value.clone());
    }
    let written = writer.metadata("end", MetadataValue::U8(0xee)).to_bytes();
    let metadata_end = written.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);

    let mut file = b"GGUF".to_vec();
    file.extend((mostly(u, 3)? as u32).to_le_bytes());
    file.extend(mostly(u, tensors.len() as u64)?.to_le_bytes());
    file.extend(mostly(u, keys.len() as u64 + 1)?.to_le_bytes());
    file.extend_from_slice(&written[24..metadata_end]);
    let mut offset = 0;
    for (index, Tensor { shape, type_id, len_bytes }) in tensors.iter().enumerate() {
        let name = format!("t{}", if u.ratio(1, 16)? { 0 } else { index });
        file.extend(mostly(u, name.len() as u64)?.to_le_bytes());
        file.extend_from_slice(name.as_bytes());
        file.extend((mostly(u, shape.len() as u64)? as u32).to_le_bytes());
        for dimension in shape {
            file.extend(mostly(u, *dimension)?.to_le_bytes());
        }
        file.extend((mostly(u, u64::from(*type_id))? as u32).to_le_bytes());
        file.extend(mostly(u, offset)?.to_le_bytes());
        offset = (offset + len_bytes).next_multiple_of(32);
    }
    file.resize(file.len().next_multiple_of(32), 0);
    let data = if u.ratio(1, 16)? { u.int_in_range(0..=offset)? } else { offset };
    file.resize(file.len() + data as usize, 7);
    // Edits anywhere: of lengths inside the metadata, too.
    for _ in 0..u.int_in_range(0..=3)? {
        let at = u.choose_index(file.len())?;
        let new = edge(u)?.to_le_bytes();
        let width = (*u.choose(&[1, 4, 8])?).min(file.len() - at);
        file[at..at + width].copy_from_slice(&new[..width]);
    }
    Ok((file, u.int_in_range(1..=300)?))
}

const KEYS: [&str; 6] = ["general.architecture", "general.alignment", "general.name", "a", "b", "split.count"];

struct Tensor {
    shape: Vec<u64>,
    type_id: u32,
    len_bytes: u64,
}

fn tensor(u: &mut Unstructured) -> Result<Tensor> {
    let types: Vec<_> = lastbit::quant::TensorType::in_files().collect();
    let tensor_type = *u.choose(&types)?;
    let row_length = u.int_in_range(0..=2)? * tensor_type.block().elements as u64;
    let mut shape = vec![row_length];
    shape.extend(several(u, 3, |u| u.int_in_range(0..=3))?);
    let len_bytes = tensor_type.len_bytes(shape.iter().product()).unwrap_or(0);
    Ok(Tensor { shape, type_id: tensor_type.ggml_id().unwrap_or(0), len_bytes })
}
