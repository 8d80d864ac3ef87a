//! A stream gives the same, however its bytes are cut.

use crate::raw::good;
use lastbit::gguf::{GgufStream, LoadedGguf, StreamEvent, load};
use lastbit::tiny_model;
use sha2::{Digest, Sha256};

/// Pushes the pieces one by one; tensors must come in order, each as early as its last byte allows.
fn load_in_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> LoadedGguf {
    let mut stream = GgufStream::new(None);
    let (mut header, mut tensors) = (None, Vec::new());
    for piece in pieces {
        for event in stream.push(piece).expect("the file is good") {
            match event {
                StreamEvent::Header(file) => assert!(header.replace(file).is_none(), "one header"),
                StreamEvent::Tensor { index, bytes } => {
                    assert_eq!(index, tensors.len(), "file order");
                    tensors.push(bytes);
                }
            }
        }
        if let Some(header) = stream.header() {
            let complete = |end: u64| end <= stream.total_bytes();
            let ends = header.tensors.iter().map(|tensor| header.file_offset(tensor) + tensor.len_bytes);
            assert_eq!(tensors.len(), ends.filter(|&end| complete(end)).count(), "no tensor waits for later bytes");
        }
    }
    let summary = stream.finish().expect("the file is complete");
    LoadedGguf { header: header.expect("a header came"), tensors, summary }
}

#[test]
fn every_split_in_two_gives_the_same() {
    let file = good();
    let whole = load(&file[..], None).expect("the file is good");
    for split in 0..=file.len() {
        let (front, back) = file.split_at(split);
        assert_eq!(load_in_pieces([front, back]), whole, "split at {split}");
    }
}

#[test]
fn pieces_of_any_size_give_the_same() {
    let file = tiny_model::gguf_bytes(1);
    let whole = load(&file[..], Some(file.len() as u64)).expect("the tiny model is good");
    assert_eq!(whole.summary.sha256, <[u8; 32]>::from(Sha256::digest(&file)));
    for (info, bytes) in whole.header.tensors.iter().zip(&whole.tensors) {
        let start = whole.header.file_offset(info) as usize;
        assert_eq!(bytes, &file[start..start + info.len_bytes as usize], "{}", info.name);
    }
    for size in [1, 7, 1000, 65_536, 100_000, file.len()] {
        assert_eq!(load_in_pieces(file.chunks(size)), whole, "pieces of {size}");
    }
}

#[test]
fn a_header_in_single_bytes_is_parsed_in_linear_time() {
    let mut writer = lastbit::gguf::GgufWriter::default();
    let value = lastbit::gguf::MetadataValue::String("x".repeat(4 << 20));
    writer.metadata("long", value);
    let file = writer.to_bytes();
    let start = std::time::Instant::now();
    load_in_pieces(file.chunks(1));
    // Quadratic work would be 2^43 steps.
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}
