//! One file for each thing that can be wrong, and for each error that there is.

use crate::raw::{ARRAY, BOOL, F32, I32, Q4_1, Raw, STRING, U8, U32, good, head, stream_verdict};
use lastbit::gguf::{GgufError, GgufFile, GgufStream, Metadata, MetadataValue, load};
use std::collections::BTreeSet;

/// Row, file, code of the refusal.
type Case = (&'static str, Vec<u8>, &'static str);

/// `key` with a u32, which most heads here need only to have something.
fn key_with_u32(raw: Raw, key: &str) -> Raw {
    raw.key(key, U32).u32(1)
}

fn alignment(value: u32) -> Raw {
    head(1, 1).key("general.alignment", U32).u32(value).tensor("t", &[1], F32, 0)
}

fn one_tensor(shape: &[u64], tensor_type: u32) -> Vec<u8> {
    head(1, 0).tensor("t", shape, tensor_type, 0).pad().zeros(4096).0
}

fn two_tensors(second_offset: u64) -> Vec<u8> {
    head(2, 0).tensor("a", &[16], F32, 0).tensor("b", &[16], F32, second_offset).pad().zeros(4096).0
}

fn wrong_heads() -> Vec<Case> {
    let start = |bytes: &[u8]| Raw::default().bytes(bytes).zeros(64).0;
    let version = |version: u32| Raw::default().bytes(b"GGUF").u32(version).zeros(16).0;
    vec![
        ("B001", Vec::new(), "GGUF_EMPTY"),
        ("B002 zip", start(b"PK\x03\x04"), "GGUF_MAGIC"),
        ("B002 HTML", start(b"<!DOCTYPE html>"), "GGUF_MAGIC"),
        ("B002 safetensors", start(b"\x20\0\0\0\0\0\0\0{\"a\":"), "GGUF_MAGIC"),
        ("B002 pickle", start(b"\x80\x02}q"), "GGUF_MAGIC"),
        ("B003", start(b"FUGG"), "GGUF_MAGIC"),
        ("B004 version 0", version(0), "GGUF_VERSION"),
        ("B004 version 1", version(1), "GGUF_VERSION"),
        ("B004 version 4", version(4), "GGUF_VERSION"),
        ("B004 version 2^31", version(1 << 31), "GGUF_VERSION"),
        ("B005 version 3", version(3u32.swap_bytes()), "GGUF_BIG_ENDIAN"),
        ("B005 version 2", version(2u32.swap_bytes()), "GGUF_BIG_ENDIAN"),
        ("B008 2^64-1", head(u64::MAX, 0).0, "GGUF_COUNT"),
        ("B008 2^63", head(1 << 63, 0).0, "GGUF_COUNT"),
        ("B009 2^64-1", head(0, u64::MAX).0, "GGUF_COUNT"),
    ]
}

fn wrong_metadata() -> Vec<Case> {
    let value = |value_type: u32| head(0, 1).key("k", value_type);
    let nested = (0..5_000).fold(value(ARRAY), |raw, _| raw.u32(ARRAY).u64(1));
    let mut cases = vec![
        ("B010 2^64-1", head(0, 1).u64(u64::MAX).0, "GGUF_LENGTH"),
        ("B010 2^32+3", head(0, 1).u64((1 << 32) + 3).bytes(b"abc").zeros(64).0, "GGUF_LENGTH"),
        ("B012 empty key", key_with_u32(head(0, 1), "").0, "GGUF_KEY"),
        ("B012 not ASCII", key_with_u32(head(0, 1), "schlüssel").0, "GGUF_KEY"),
        ("B012 NUL", key_with_u32(head(0, 1), "a\0b").0, "GGUF_KEY"),
        ("B012 invalid UTF-8", head(0, 1).string(b"a\xff").u32(U32).u32(1).0, "GGUF_KEY"),
        ("B013 13", value(13).zeros(8).0, "GGUF_VALUE_TYPE"),
        ("B013 2^32-1", value(u32::MAX).zeros(8).0, "GGUF_VALUE_TYPE"),
        ("B013 in an array", value(ARRAY).u32(13).u64(1).zeros(8).0, "GGUF_VALUE_TYPE"),
        ("B014", value(STRING).u64(1 << 30).0, "GGUF_LENGTH"),
        ("B016 2^64-1", value(ARRAY).u32(U8).u64(u64::MAX).zeros(8).0, "GGUF_LENGTH"),
        ("B016 2^30 strings", value(ARRAY).u32(STRING).u64(1 << 30).zeros(8).0, "GGUF_LENGTH"),
        ("B017 array of arrays", value(ARRAY).u32(ARRAY).u64(1).zeros(32).0, "GGUF_NESTED"),
        ("B017 5,000 deep", nested.0, "GGUF_NESTED"),
        ("B018", value(ARRAY).u32(10).u64(1 << 61).zeros(32).0, "GGUF_LENGTH"),
        ("B019", value(BOOL).bytes(&[2]).0, "GGUF_BOOL"),
        ("B019 in an array", value(ARRAY).u32(BOOL).u64(2).bytes(&[1, 2]).0, "GGUF_BOOL"),
        ("B020", key_with_u32(key_with_u32(head(0, 2), "k"), "k").0, "GGUF_DUPLICATE"),
        ("string array not UTF-8", value(ARRAY).u32(STRING).u64(1).string(b"a\xff").0, "GGUF_UTF8"),
        ("B021", alignment(0).pad().zeros(64).0, "GGUF_ALIGNMENT"),
        ("B022 13", alignment(13).pad().zeros(64).0, "GGUF_ALIGNMENT"),
        ("B022 2^31", alignment(1 << 31).pad().zeros(64).0, "GGUF_ALIGNMENT"),
        ("B022 i32", head(0, 1).key("general.alignment", I32).u32(32).0, "GGUF_ALIGNMENT"),
        ("B022 string", head(0, 1).key("general.alignment", STRING).string("32").0, "GGUF_ALIGNMENT"),
        ("B022 array", head(0, 1).key("general.alignment", ARRAY).u32(U32).u64(1).u32(32).0, "GGUF_ALIGNMENT"),
    ];
    // Room for more, so that no count is refused because the file could not hold it.
    cases.iter_mut().for_each(|(_, file, _)| file.extend([0; 64]));
    cases
}

fn wrong_tensors() -> Vec<Case> {
    let named = |name: &[u8]| head(1, 0).string(name).u32(1).u64(1).u32(F32).u64(0).pad().zeros(32).0;
    let half = 1u64 << 60;
    let same_bytes = (0..1_000).fold(head(1_000, 0), |raw, i| raw.tensor(&format!("t{i}"), &[1024], F32, 0));
    let mut cases = vec![
        ("B025 5", one_tensor(&[1; 5], F32), "GGUF_DIMS"),
        ("B025 2^32-1", head(1, 0).string("t").u32(u32::MAX).zeros(64).0, "GGUF_DIMS"),
        ("B026 -1", one_tensor(&[u64::MAX], F32), "GGUF_SHAPE"),
        ("B026 2^63", one_tensor(&[1 << 63], F32), "GGUF_SHAPE"),
        ("B026 2^63 beside 0", one_tensor(&[1 << 63, 0], F32), "GGUF_SHAPE"),
        ("B027 i64", one_tensor(&[1 << 32, 1 << 31], F32), "GGUF_SHAPE"),
        ("B027 u64", one_tensor(&[1 << 62, 4], F32), "GGUF_SHAPE"),
        ("B029", one_tensor(&[1 << 52], F32), "GGUF_SHAPE"),
        ("B034 2^32-1", one_tensor(&[32], u32::MAX), "GGUF_TYPE"),
        ("B034 100", one_tensor(&[32], 100), "GGUF_TYPE"),
        ("B035 IQ1_M", one_tensor(&[256], 29), "GGUF_TYPE"),
        ("B036", one_tensor(&[33], Q4_1), "GGUF_BLOCK"),
        ("B036 whole blocks, but not a row", one_tensor(&[16, 2], Q4_1), "GGUF_BLOCK"),
        ("B032 scalar of blocks", one_tensor(&[], Q4_1), "GGUF_BLOCK"),
        ("B037 2^64-1", two_tensors(u64::MAX), "GGUF_OFFSET"),
        ("B037 2^64-32", two_tensors(u64::MAX - 31), "GGUF_GAP"),
        ("B038", two_tensors(65), "GGUF_OFFSET"),
        ("B039", two_tensors(0), "GGUF_OVERLAP"),
        ("B040", same_bytes.pad().zeros(4096).0, "GGUF_OVERLAP"),
        ("B041", two_tensors(32), "GGUF_OVERLAP"),
        ("B042", two_tensors(96), "GGUF_GAP"),
        ("B042 first tensor", head(1, 0).tensor("t", &[1], F32, 32).pad().zeros(64).0, "GGUF_GAP"),
        (
            "B043",
            head(2, 0).tensor("a", &[1 << 50], F32, 0).tensor("b", &[1 << 50, 2], F32, 1 << 52).pad().0,
            "GGUF_SIZE",
        ),
        ("B043 2^63", head(1, 0).tensor("a", &[half, 4], F32, 0).pad().0, "GGUF_SHAPE"),
        (
            "B045 duplicate",
            head(2, 0).tensor("a", &[8], F32, 0).tensor("a", &[8], F32, 32).pad().zeros(64).0,
            "GGUF_NAME",
        ),
        ("B045 empty", named(b""), "GGUF_NAME"),
        ("B045 64 bytes", named(&[b'n'; 64]), "GGUF_NAME"),
        ("tensor name not UTF-8", named(b"a\xff"), "GGUF_NAME"),
    ];
    cases.extend([4, 5, 31, 32, 33, 36, 37, 38].map(|id| ("B033", one_tensor(&[32], id), "GGUF_TYPE")));
    cases.extend([40, 41].map(|id| ("B034", one_tensor(&[32], id), "GGUF_TYPE")));
    cases
}

#[test]
fn every_malformed_file_is_refused_with_its_code() {
    let cases = [wrong_heads(), wrong_metadata(), wrong_tensors()].concat();
    for (row, file, code) in &cases {
        let whole = GgufFile::parse(file).expect_err(row);
        assert_eq!(whole.code(), *code, "{row}: {whole}");
        let streamed = stream_verdict(file).expect_err(row);
        assert_eq!(streamed.code(), *code, "{row}: {streamed}");
        for error in [whole, streamed] {
            let text = error.to_string();
            assert!(!text.ends_with('.') && text.len() < 400, "{row}: {text}");
        }
    }
    println!("{} malformed files", cases.len());
}

#[test]
fn a_file_cut_at_any_byte_is_truncated_at_that_byte() {
    let file = good();
    let last_tensor_end = file.len();
    for cut in 1..last_tensor_end {
        for announced in [None, Some(file.len() as u64)] {
            let error = load(&file[..cut], announced).expect_err("it is cut");
            let GgufError::Truncated { found, needed, .. } = &error else {
                panic!("cut at {cut}: {error}");
            };
            assert_eq!(*found, cut as u64);
            assert!(*needed > *found && *needed <= file.len() as u64, "cut at {cut}: {error}");
        }
        let error = GgufFile::parse(&file[..cut]).expect_err("it is cut");
        assert!(matches!(error.code(), "GGUF_TRUNCATED" | "GGUF_COUNT" | "GGUF_OFFSET"), "cut at {cut}: {error}");
    }
}

/// Errors that no bytes alone can cause, and the offsets that messages name.
#[test]
fn every_error_has_a_file_or_a_cause() {
    let cases = [wrong_heads(), wrong_metadata(), wrong_tensors()].concat();
    let mut seen: BTreeSet<&'static str> =
        cases.iter().map(|(row, file, _)| variant(&GgufFile::parse(file).expect_err(row))).collect();

    let file = good();
    let cut = &file[..file.len() - 1];
    seen.insert(variant(&load(&file[..100], None).expect_err("B007")));
    seen.insert(variant(&GgufFile::parse(cut).expect_err("B037, one byte short")));
    let longer = file.len() as u64 + 1;
    assert_eq!(
        load(&file[..], Some(longer)),
        Err(GgufError::FileChanged { announced: longer, found: longer - 1 }),
        "B047, shrinks"
    );
    seen.insert(variant(&load(&file[..], Some(longer - 2)).expect_err("B047, grows")));
    let long_key = key_with_u32(head(0, 1), &"k".repeat(70_000)).0;
    seen.insert(variant(&load(&long_key[..], None).expect_err("B011")));
    let text = vec![b'x'; 16 << 20];
    let large = (0..5).fold(head(0, 5), |raw, i| raw.key(&format!("k{i}"), STRING).string(&text)).0;
    seen.insert(variant(&load(&large[..], None).expect_err("B024")));

    let huge = head(1, 0).tensor("t", &[1 << 50], F32, 0).pad().zeros(64).0;
    let mut stream = GgufStream::new(Some(1 << 53));
    let error = stream.push(&huge).expect_err("nobody has 2^52 bytes");
    assert_eq!(error, GgufError::OutOfMemory { tensor: "t".to_owned(), len_bytes: 1 << 52 });
    assert_eq!(stream.push(&[0]), Err(error.clone()), "a stream that failed stays failed");
    assert_eq!(stream.finish(), Err(error.clone()));
    seen.insert(variant(&error));

    seen.insert(variant(&load(Failing, None).expect_err("the source fails")));
    let mut metadata = Metadata::default();
    metadata.insert("k".to_owned(), MetadataValue::I32(-1));
    seen.insert(variant(&metadata.u32("k").expect_err("negative")));
    seen.insert(variant(&metadata.u32("other").expect_err("missing")));
    let part = head(0, 3).key("split.no", U32).u32(1).key("split.count", U32).u32(2);
    let part = GgufFile::parse(&part.key("split.tensors.count", U32).u32(1).pad().0).expect("B064: a valid file");
    seen.insert(variant(&part.check_whole().expect_err("the second of two parts")));

    let missing: Vec<_> = VARIANTS.iter().filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "no test causes {missing:?}");
}

struct Failing;

impl std::io::Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other("the disk is gone"))
    }
}

#[test]
fn errors_name_the_byte() {
    let type_offset = 24 + 8 + 1 + 4 + 8;
    let expected = format!(
        "tensor t: type IQ2_XXS (number 16) is not supported; supported: F32, F16, BF16, Q8_0, Q5_0, Q5_1, Q4_0, Q4_1, Q6_K, Q5_K, Q4_K, \
         Q3_K, Q2_K, IQ4_NL, IQ4_XS, MXFP4 (byte {type_offset})"
    );
    assert_eq!(GgufFile::parse(&one_tensor(&[256], 16)).expect_err("B035").to_string(), expected);
    let removed = GgufFile::parse(&one_tensor(&[32], 4)).expect_err("B033").to_string();
    assert!(removed.contains("type Q4_2 (number 4) is no longer in use"), "{removed}");
    let new = GgufFile::parse(&one_tensor(&[32], 100)).expect_err("B034").to_string();
    assert!(new.contains("type number 100 is unknown, perhaps newer"), "{new}");
    let overlap = GgufFile::parse(&two_tensors(32)).expect_err("B041");
    assert_eq!(
        overlap.to_string(),
        "tensor b lies at data offset 32, inside a, which reaches to 64 (byte 82)",
        "{overlap:?}"
    );
    let utf8 = head(0, 1).key("k", ARRAY).u32(STRING).u64(2).string("ok").string(b"ab\xff").0;
    let offset = (utf8.len() - 1) as u64;
    let expected = GgufError::Utf8 { key: "k".to_owned(), index: 1, offset };
    assert_eq!(GgufFile::parse(&utf8), Err(expected));
}

/// The variant's name; without a wildcard, so that a new variant cannot be forgotten here.
fn variant(error: &GgufError) -> &'static str {
    match error {
        GgufError::Empty => "Empty",
        GgufError::Magic { .. } => "Magic",
        GgufError::Version { .. } => "Version",
        GgufError::BigEndian { .. } => "BigEndian",
        GgufError::Truncated { .. } => "Truncated",
        GgufError::Count { .. } => "Count",
        GgufError::Length { .. } => "Length",
        GgufError::HeaderTooLarge { .. } => "HeaderTooLarge",
        GgufError::Key { .. } => "Key",
        GgufError::DuplicateKey { .. } => "DuplicateKey",
        GgufError::ValueType { .. } => "ValueType",
        GgufError::NestedArray { .. } => "NestedArray",
        GgufError::Bool { .. } => "Bool",
        GgufError::Utf8 { .. } => "Utf8",
        GgufError::Alignment { .. } => "Alignment",
        GgufError::TensorName { .. } => "TensorName",
        GgufError::DuplicateTensor { .. } => "DuplicateTensor",
        GgufError::Dimensions { .. } => "Dimensions",
        GgufError::Shape { .. } => "Shape",
        GgufError::UnsupportedType { .. } => "UnsupportedType",
        GgufError::RowNotWholeBlocks { .. } => "RowNotWholeBlocks",
        GgufError::Misaligned { .. } => "Misaligned",
        GgufError::Overlap { .. } => "Overlap",
        GgufError::Gap { .. } => "Gap",
        GgufError::DataTooLarge { .. } => "DataTooLarge",
        GgufError::PastEnd { .. } => "PastEnd",
        GgufError::FileChanged { .. } => "FileChanged",
        GgufError::OutOfMemory { .. } => "OutOfMemory",
        GgufError::Read { .. } => "Read",
        GgufError::Shards { .. } => "Shards",
        GgufError::MissingKey { .. } => "MissingKey",
        GgufError::WrongType { .. } => "WrongType",
    }
}

const VARIANTS: [&str; 32] = [
    "Empty",
    "Magic",
    "Version",
    "BigEndian",
    "Truncated",
    "Count",
    "Length",
    "HeaderTooLarge",
    "Key",
    "DuplicateKey",
    "ValueType",
    "NestedArray",
    "Bool",
    "Utf8",
    "Alignment",
    "TensorName",
    "DuplicateTensor",
    "Dimensions",
    "Shape",
    "UnsupportedType",
    "RowNotWholeBlocks",
    "Misaligned",
    "Overlap",
    "Gap",
    "DataTooLarge",
    "PastEnd",
    "FileChanged",
    "OutOfMemory",
    "Read",
    "Shards",
    "MissingKey",
    "WrongType",
];
