//! B064: models in several files. Parts are put in order and joined; missing, doubled and foreign ones are refused by number or name.

use std::sync::Arc;

use lastbit::gguf::{GgufFile, GgufStream, GgufWriter, MetadataValue, PartHeader, join, load, load_into};
use lastbit::quant::TensorType;
use lastbit::tiny_model::TinyModel;

fn parts(writer: &GgufWriter, stem: &str, count: usize) -> Vec<(String, Vec<u8>)> {
    let name = |number: usize| format!("{stem}-{:05}-of-{count:05}.gguf", number + 1);
    writer.to_parts(count).into_iter().enumerate().map(|(number, bytes)| (name(number), bytes)).collect()
}

fn headers<'a>(files: impl IntoIterator<Item = &'a (String, Vec<u8>)>) -> Vec<PartHeader> {
    let header = |(name, bytes): &(String, Vec<u8>)| PartHeader {
        name: name.clone(),
        len_bytes: bytes.len() as u64,
        header: Arc::new(GgufFile::parse(bytes).unwrap_or_else(|error| panic!("{name}: {error}"))),
    };
    files.into_iter().map(header).collect()
}

/// These files are refused in words that contain all of `words`.
#[track_caller]
fn check<'a>(files: impl IntoIterator<Item = &'a (String, Vec<u8>)>, words: &[&str]) {
    let error = join(&headers(files)).expect_err("not all parts of one model");
    assert_eq!(error.code(), "MODEL_SHARDS", "{error}");
    for word in words {
        assert!(error.to_string().contains(word), "{word:?} is not in: {error}");
    }
}

#[test]
fn b064_parts_in_any_order_hold_what_the_whole_file_holds() {
    for alignment in [None, Some(4096)] {
        let mut writer = TinyModel::default().writer();
        alignment.map(|alignment| writer.alignment(alignment));
        let whole = load(writer.to_bytes().as_slice(), None).expect("a valid file");
        for count in [2, 3, 7] {
            let mut files = parts(&writer, "tiny", count);
            files.reverse();
            let (header, order) = join(&headers(&files)).expect("all parts are here");
            assert_eq!(order, (0..count).rev().collect::<Vec<_>>());
            let bytes: Vec<u8> = order.iter().flat_map(|index| files[*index].1.clone()).collect();
            let stream = GgufStream::with_header(Arc::clone(&header), bytes.len() as u64);
            let joined = load_into(bytes.as_slice(), stream).expect("the parts are whole");
            assert_eq!(joined.tensors, whole.tensors, "{count} parts");
            let names = |file: &GgufFile| file.tensors.iter().map(|tensor| tensor.name.clone()).collect::<Vec<_>>();
            assert_eq!(names(&header), names(&whole.header));
            for (index, tensor) in header.tensors.iter().enumerate() {
                let at = header.file_offset(tensor) as usize;
                assert_eq!(bytes[at..at + tensor.len_bytes as usize], whole.tensors[index], "{}", tensor.name);
                assert_eq!(header.tensor_index(&tensor.name), Some(index));
            }
            assert_eq!(header.metadata.string("general.architecture"), Ok("llama"));
            assert_eq!(header.check_whole(), Ok(()));
        }
    }
}

#[test]
fn b064_a_first_part_without_tensors_and_bytes_behind_a_part_are_allowed() {
    let writer = TinyModel::default().writer();
    let whole = load(writer.to_bytes().as_slice(), None).expect("a valid file");
    let mut rest = parts(&writer, "tiny", 2);
    // The tensors of both parts behind a part that has the description alone.
    let mut first = GgufWriter::default();
    for (key, value) in whole.header.metadata.iter() {
        first.metadata(key, value.clone());
    }
    let numbered = |writer: &mut GgufWriter, number: u16| {
        writer.metadata("split.no", MetadataValue::U16(number)).metadata("split.count", MetadataValue::U16(2));
        writer.metadata("split.tensors.count", MetadataValue::I32(whole.tensors.len() as i32));
        writer.to_bytes()
    };
    let mut second = GgufWriter::default();
    for (info, bytes) in whole.header.tensors.iter().zip(&whole.tensors) {
        second.tensor(&info.name, &info.shape, info.tensor_type, bytes.clone());
    }
    rest[0].1 = [numbered(&mut first, 0), b"PK\x03\x04 something appended".to_vec()].concat();
    rest[1].1 = numbered(&mut second, 1);
    let (header, _) = join(&headers(&rest)).expect("both parts are here");
    let bytes: Vec<u8> = rest.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
    let stream = GgufStream::with_header(header, bytes.len() as u64);
    assert_eq!(load_into(bytes.as_slice(), stream).expect("whole").tensors, whole.tensors);
}

#[test]
fn b064_missing_parts_are_named() {
    let files = parts(&TinyModel::default().writer(), "tiny", 3);
    check([&files[1]], &["of the 3 parts", "part 2 is here", "parts 1, 3 are missing"]);
    check([&files[0]], &["part 1 is here", "parts 2, 3 are missing"]);
    check([&files[2], &files[0]], &["parts 1, 3 are here", "part 2 is missing"]);
    let many = parts(&TinyModel::default().writer(), "tiny", 20);
    check([&many[19]], &["parts 1, 2, 3, 4, 5, 6, 7, 8 and 11 more are missing"]);
}

#[test]
fn b064_a_part_that_is_loaded_alone_is_refused() {
    let files = parts(&TinyModel::default().writer(), "tiny", 3);
    for (name, bytes) in &files {
        let error = GgufFile::parse(bytes).expect("a valid file").check_whole().expect_err("a part");
        assert!(error.code() == "MODEL_SHARDS" && error.to_string().contains("missing"), "{name}: {error}");
    }
}

#[test]
fn b064_doubled_and_foreign_parts_are_named() {
    let tiny = TinyModel::default();
    let [a, b] = ["a", "b"].map(|stem| parts(&tiny.writer(), stem, 2));
    check([&a[0], &a[1], &a[1]], &["a-00002-of-00002.gguf and a-00002-of-00002.gguf are both part 2 of 2"]);
    check([&a[0], &b[1]], &["a-00001-of-00002.gguf and b-00002-of-00002.gguf are parts of different models"]);
    check([&a[0], &parts(&tiny.writer(), "a", 3)[1]], &["different models"]);
    let larger = TinyModel { n_blocks: 5, ..tiny.clone() };
    check([&a[0], &parts(&larger.writer(), "a", 2)[1]], &["different models"]);
    // Of the same number of tensors, and of the same names: a part may say what model it is of.
    let mut second = GgufWriter::default();
    let of_b = GgufFile::parse(&b[1].1).expect("a valid file");
    let loaded = load(b[1].1.as_slice(), None).expect("a valid file");
    for (key, value) in of_b.metadata.iter() {
        second.metadata(key, value.clone());
    }
    for (info, bytes) in of_b.tensors.iter().zip(&loaded.tensors) {
        second.tensor(&info.name, &info.shape, info.tensor_type, bytes.clone());
    }
    let [mut said_alike, mut said_otherwise] = [second.clone(), second];
    said_alike.metadata("llama.block_count", MetadataValue::U32(3));
    said_otherwise.metadata("llama.block_count", MetadataValue::U32(9));
    let named = |writer: &GgufWriter| ("a-00002-of-00002.gguf".to_owned(), writer.to_bytes());
    assert!(join(&headers(&[a[0].clone(), named(&said_alike)])).is_ok());
    check(
        [&a[0], &named(&said_otherwise)],
        &["a-00001-of-00002.gguf and a-00002-of-00002.gguf say different things of llama.block_count"],
    );
    let whole = ("whole.gguf".to_owned(), tiny.gguf_bytes());
    check([&a[0], &whole], &["whole.gguf is a model of its own"]);
    check([&whole, &whole], &["whole.gguf is a model of its own"]);
}

#[test]
fn b064_numbers_that_cannot_be_are_refused() {
    let numbered = |number: u64, count: u64, n_tensors: u64, tensor: &str| {
        let mut writer = GgufWriter::default();
        writer.metadata("split.no", MetadataValue::U64(number)).metadata("split.count", MetadataValue::U64(count));
        writer.metadata("split.tensors.count", MetadataValue::U64(n_tensors));
        writer.tensor(tensor, &[1], TensorType::F32, vec![0; 4]);
        ("part.gguf".to_owned(), writer.to_bytes())
    };
    check([&numbered(2, 2, 2, "a")], &["part 3 of 2"]);
    check([&numbered(u64::MAX, u64::MAX, 2, "a")], &["at most 4096"]);
    check([&numbered(0, 2, 3, "a"), &numbered(1, 2, 3, "b")], &["hold 2 tensors together", "hold 3"]);
    check([&numbered(0, 2, 2, "a"), &numbered(1, 2, 2, "a")], &["tensor a is in two parts"]);
}
