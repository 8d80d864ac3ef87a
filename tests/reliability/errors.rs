//! Each error that there is has a file or a cause, and messages name the byte.

use crate::bad_files::{ROWS, files_of};
use crate::raw::{ARRAY, F32, Raw, STRING, U32, good, head};
use lastbit::gguf::{GgufError, GgufFile, GgufStream, Metadata, MetadataValue, load};
use std::collections::BTreeSet;

fn one_tensor(shape: &[u64], tensor_type: u32) -> Raw {
    head(1, 0).tensor("t", shape, tensor_type, 0).pad()
}

/// Errors that no bytes alone can cause, and the offsets that messages name.
#[test]
fn every_error_has_a_file_or_a_cause() {
    let refused = |row: &str| {
        let files = files_of(row).into_iter();
        files
            .filter_map(|file| load(&file.bytes[..], file.announced).err())
            .map(|error| variant(&error))
            .collect::<Vec<_>>()
    };
    let mut seen: BTreeSet<&'static str> = ROWS.into_iter().flat_map(refused).collect();
    let strings = head(0, 1).key("k", ARRAY).u32(STRING).u64(1).string(b"a\xff").0;
    seen.insert(variant(&load(&strings[..], None).expect_err("not UTF-8")));
    let file = good();
    let longer = file.len() as u64 + 1;
    assert_eq!(load(&file[..], Some(longer)), Err(GgufError::FileChanged { announced: longer, found: longer - 1 }));

    let huge = one_tensor(&[1 << 50], F32).zeros(64).0;
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
    let refusal = |file: Raw| GgufFile::parse(&file.0).expect_err("it is wrong").to_string();
    assert_eq!(refusal(one_tensor(&[256], 16)), expected);
    let removed = refusal(one_tensor(&[32], 4));
    assert!(removed.contains("type Q4_2 (number 4) is no longer in use"), "{removed}");
    let newer = refusal(one_tensor(&[32], 40));
    assert!(newer.contains("type NVFP4 (number 40) is newer than this program"), "{newer}");
    let new = refusal(one_tensor(&[32], 100));
    assert!(new.contains("type number 100 is unknown, perhaps newer"), "{new}");
    let overlap = refusal(head(2, 0).tensor("a", &[16], F32, 0).tensor("b", &[16], F32, 32).pad());
    assert_eq!(overlap, "tensor b lies at data offset 32, inside a, which reaches to 64 (byte 82)");
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
