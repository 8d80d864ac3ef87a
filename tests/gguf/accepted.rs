//! A good file says what was written, and metadata are read by type.

use crate::raw::good;
use crate::stream_verdict;
use lastbit::gguf::{GgufFile, Metadata, MetadataArray, MetadataValue, Texts, load};
use lastbit::quant::TensorType;

#[test]
fn the_good_file_says_what_was_written() {
    let file = good();
    let header = GgufFile::parse(&file).expect("it is good");
    assert_eq!(stream_verdict(&file).as_ref(), Ok(&header));
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
        ("texts", MetadataValue::Array(MetadataArray::String(["a"].iter().collect()))),
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
    assert_eq!((metadata.strings("texts").map(Texts::len), metadata.i32s("ints")), (Ok(1), Ok(&[-3][..])));
    assert_eq!((metadata.optional_u32("none"), metadata.optional_string("none")), (Ok(None), Ok(None)));

    let message = |result: Result<u32, lastbit::gguf::GgufError>| result.expect_err("it is wrong").to_string();
    assert_eq!(message(metadata.u32("none")), "metadata key none is missing");
    let integer = "must be an integer from 0 to 4294967295";
    assert_eq!(message(metadata.u32("negative")), format!("metadata key negative {integer}, but is i8 -1"));
    assert_eq!(message(metadata.u32("large")), format!("metadata key large {integer}, but is u64 1099511627776"));
    assert_eq!(message(metadata.u32("texts")), format!("metadata key texts {integer}, but is array of 1 string"));
    assert!(metadata.optional_bool("u8").is_err(), "an optional value of another type is not nothing");
}
