//! Unusual files that must load, and what the metadata says of them.

use crate::raw::{F32, Raw, STRING, good, head, stream_verdict};
use lastbit::gguf::{GgufFile, GgufWriter, Metadata, MetadataArray, MetadataValue, load};
use lastbit::quant::TensorType;

fn accepted(row: &str, file: &[u8]) -> GgufFile {
    let whole = GgufFile::parse(file).unwrap_or_else(|error| panic!("{row}: {error}"));
    let streamed = stream_verdict(file).unwrap_or_else(|error| panic!("{row}: {error}"));
    assert_eq!(whole, streamed, "{row}");
    whole
}

#[test]
fn a_header_alone_is_a_file() {
    for version in [2, 3] {
        let file = Raw::default().bytes(b"GGUF").u32(version).u64(0).u64(0).0;
        let header = accepted("B006", &file);
        assert_eq!((header.version, header.tensors.len(), header.metadata.len()), (version, 0, 0));
    }
}

#[test]
fn the_good_file_says_what_was_written() {
    let file = good();
    let header = accepted("good", &file);
    assert_eq!(header.metadata.string("general.architecture"), Ok("llama"));
    assert_eq!(header.metadata.get("general.numbers"), Some(&MetadataValue::Array(MetadataArray::U32(vec![7, 8]))));
    let second = header.tensor("second").expect("it is there");
    assert_eq!((second.offset, second.len_bytes, second.tensor_type), (32, 20, TensorType::Q4_1));
    assert_eq!(header.file_offset(second) + second.len_bytes, file.len() as u64);
    let first = &header.tensors[0];
    assert_eq!((first.row_length(), first.n_rows(), first.n_elements()), (3, 2, 6));
    let loaded = load(&file[..], Some(file.len() as u64)).expect("it is good");
    assert_eq!(loaded.tensors, [vec![1; 24], vec![2; 20]]);
    assert_eq!(loaded.summary.total_bytes, file.len() as u64);
}

#[test]
fn a_wrong_description_loads_and_is_shown_with_marks() {
    let file = head(0, 1).key("general.name", STRING).string(b"caf\xe9").0;
    let header = accepted("B015", &file);
    let value = header.metadata.get("general.name").expect("it is there");
    assert_eq!(value, &MetadataValue::InvalidUtf8(b"caf\xe9".to_vec()), "nothing is lost");
    assert_eq!(value.lossy_text().as_deref(), Some("caf\u{fffd}"));
    let error = header.metadata.string("general.name").expect_err("it is no text").to_string();
    assert_eq!(error, "metadata key general.name must be a UTF-8 string, but is string of 4 bytes that is not UTF-8");
}

#[test]
fn alignments_that_are_powers_of_two_load() {
    for alignment in [1, 8, 64, 4096] {
        let mut writer = GgufWriter::default();
        writer.alignment(alignment).tensor("a", &[3], TensorType::F32, vec![1; 12]).tensor(
            "b",
            &[1],
            TensorType::F16,
            vec![2; 2],
        );
        let file = writer.to_bytes();
        let header = accepted("B023", &file);
        assert_eq!(header.alignment, u64::from(alignment));
        assert_eq!(load(&file[..], None).expect("B023").tensors, [vec![1; 12], vec![2; 2]]);
    }
}

#[test]
fn sizes_beyond_32_bits_are_exact() {
    let file = head(1, 0).tensor("t", &[(1 << 32) + 1], F32, 0).pad().0;
    let mut stream = lastbit::gguf::GgufStream::new(None);
    stream.push(&file).expect("B028");
    let header = stream.header().expect("the header is complete");
    assert_eq!(header.tensors[0].len_bytes, ((1 << 32) + 1) * 4);
    assert!(stream.finish().is_err());
}

#[test]
fn empty_tensors_own_no_bytes() {
    let file = head(3, 0)
        .tensor("zero", &[0, 4], F32, 0)
        .tensor("scalar", &[], F32, 0)
        .tensor("zero at the end", &[32, 0], 3, 32)
        .pad()
        .bytes(&[9; 4])
        .0;
    let header = accepted("B030, B032, B044", &file);
    assert_eq!(header.tensors.iter().map(|tensor| tensor.len_bytes).collect::<Vec<_>>(), [0, 4, 0]);
    let loaded = load(&file[..], Some(file.len() as u64)).expect("B030, B032, B044");
    assert_eq!(loaded.tensors, [vec![], vec![9; 4], vec![]]);
}

#[test]
fn bytes_after_the_last_tensor_are_counted() {
    let mut file = good();
    let padding = file.len().next_multiple_of(32) - file.len();
    assert_eq!(load(&file[..], None).expect("no padding").summary.ignored_bytes, 0);
    file.extend(vec![0; padding]);
    assert_eq!(load(&file[..], None).expect("padding").summary.ignored_bytes, 0);
    file.extend(b"PK\x03\x04 and more");
    accepted("B046", &file);
    assert_eq!(load(&file[..], None).expect("B046").summary.ignored_bytes, 13);
}

#[test]
fn metadata_is_read_by_type() {
    let mut metadata = Metadata::default();
    let values = [
        ("u8", MetadataValue::U8(8)),
        ("i64", MetadataValue::I64(64)),
        ("negative", MetadataValue::I8(-1)),
        ("large", MetadataValue::U64(1 << 40)),
        ("f32", MetadataValue::F32(0.5)),
        ("f64", MetadataValue::F64(0.25)),
        ("bool", MetadataValue::Bool(true)),
        ("text", MetadataValue::String("text".to_owned())),
        ("texts", MetadataValue::Array(MetadataArray::String(vec!["a".to_owned()]))),
        ("floats", MetadataValue::Array(MetadataArray::F32(vec![1.5]))),
        ("ints", MetadataValue::Array(MetadataArray::I32(vec![-3]))),
    ];
    for (key, value) in values.clone() {
        assert!(metadata.insert(key.to_owned(), value));
    }
    assert!(!metadata.insert("u8".to_owned(), MetadataValue::U8(9)), "each key once");
    assert_eq!(metadata.iter().map(|(key, _)| key).collect::<Vec<_>>(), values.map(|(key, _)| key));

    assert_eq!((metadata.u32("u8"), metadata.u32("i64"), metadata.u64("large")), (Ok(8), Ok(64), Ok(1 << 40)));
    assert_eq!((metadata.f32("f32"), metadata.f32("f64"), metadata.bool("bool")), (Ok(0.5), Ok(0.25), Ok(true)));
    assert_eq!((metadata.string("text"), metadata.f32s("floats")), (Ok("text"), Ok(&[1.5][..])));
    assert_eq!((metadata.strings("texts").map(<[String]>::len), metadata.i32s("ints")), (Ok(1), Ok(&[-3][..])));
    assert_eq!((metadata.optional_u32("none"), metadata.optional_string("none")), (Ok(None), Ok(None)));

    let message = |result: Result<u32, lastbit::gguf::GgufError>| result.expect_err("it is wrong").to_string();
    assert_eq!(message(metadata.u32("none")), "metadata key none is missing");
    let integer = "must be an integer from 0 to 4294967295";
    assert_eq!(message(metadata.u32("negative")), format!("metadata key negative {integer}, but is i8 -1"));
    assert_eq!(message(metadata.u32("large")), format!("metadata key large {integer}, but is u64 1099511627776"));
    assert_eq!(message(metadata.u32("texts")), format!("metadata key texts {integer}, but is array of 1 string"));
    assert!(metadata.optional_bool("u8").is_err(), "an optional value of another type is not nothing");
}
