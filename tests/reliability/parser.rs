//! Rows about the container: each file's verdict, and what reading it allocates.

use allocation_counter::measure;
use lastbit::gguf::{self, GgufFile, GgufStream, MetadataValue};

use crate::bad_files::{File, ROWS, files_of, says_the_same_of_the_whole, verdict};

const MIB: u64 = 1 << 20;

/// Most bytes that reading a file may have allocated at once.
fn most_bytes(row: &str, file: &File) -> u64 {
    match (row, file.bytes.len()) {
        (_, ..1024) => MIB,
        ("B040", _) => 8 * MIB,
        _ => 64 * MIB,
    }
}

/// Every file of a row: its verdict from a stream, from a parser that has the whole, and the memory that both take.
fn check(row: &str) {
    let files = files_of(row);
    assert!(!files.is_empty(), "{row} has no file");
    for file in &files {
        let mut found = String::new();
        let mut same = false;
        let used = measure(|| {
            found = verdict(file);
            same = says_the_same_of_the_whole(row, file);
        });
        assert_eq!(found, file.expected, "{row}, {}", file.what);
        assert!(same, "{row}, {}: another verdict of the whole", file.what);
        let most = most_bytes(row, file);
        assert!(used.bytes_max <= most, "{row}, {}: {} bytes at once, {most} are allowed", file.what, used.bytes_max);
        // Not an endless loop of small steps either: all that was ever allocated is bounded by what came.
        let in_all = 16 * file.bytes.len() as u64 + 4 * MIB;
        assert!(used.bytes_total <= in_all, "{row}, {}: {} bytes in all", file.what, used.bytes_total);
    }
    for file in files.iter().filter(|file| !file.expected.starts_with("loads")) {
        if let Err(error) = gguf::load(&file.bytes[..], file.announced) {
            let text = error.to_string();
            assert!(!text.ends_with('.') && text.len() < 400, "{row}, {}: {text}", file.what);
        }
    }
}

/// A test for each row of the container's table that needs no more than that: the first four letters of its name are the row.
macro_rules! rows {
    ($($name:ident)*) => { $(
        #[test]
        fn $name() {
            check(&stringify!($name)[..4].to_uppercase());
        }
    )* };
}

rows! {
    b001_an_empty_file_is_told_as_that
    b002_files_of_other_formats_are_named
    b003_a_reversed_magic_is_refused
    b004_other_versions_are_refused_by_number
    b005_big_endian_files_are_to_be_converted
    b006_a_header_alone_is_a_file_and_no_model
    b007_a_file_cut_at_any_byte_is_truncated
    b008_impossible_counts_of_tensors_are_refused
    b009_impossible_counts_of_keys_are_refused
    b010_key_lengths_beyond_the_file_are_refused_on_any_word_size
    b011_a_key_too_long_is_refused
    b012_keys_that_are_not_printable_ascii_are_refused
    b013_unknown_value_types_are_refused
    b014_a_string_of_a_gibibyte_in_a_tiny_file_allocates_nothing
    b016_array_lengths_beyond_the_file_are_refused_at_once
    b017_nested_arrays_are_refused_without_recursion
    b018_an_array_whose_bytes_overflow_is_refused
    b019_a_boolean_that_is_neither_is_refused
    b020_a_key_given_twice_is_refused
    b021_an_alignment_of_zero_is_refused
    b022_alignments_that_are_no_power_of_two_are_refused
    b024_metadata_beyond_the_cap_is_refused
    b025_too_many_dimensions_are_refused
    b026_negative_dimensions_are_refused
    b027_shapes_whose_product_overflows_are_refused
    b029_tensors_of_more_bytes_than_a_number_holds_are_refused
    b031_a_needed_weight_of_no_numbers_is_refused
    b033_removed_tensor_types_are_refused
    b034_new_tensor_types_are_refused
    b036_rows_that_are_not_whole_blocks_are_refused
    b037_tensors_past_the_end_are_refused_before_they_are_read
    b038_an_offset_that_is_not_aligned_is_refused
    b039_two_tensors_of_the_same_bytes_are_refused
    b040_ten_thousand_tensors_of_the_same_bytes_are_refused
    b041_a_region_that_is_too_short_is_refused
    b042_gaps_between_tensors_are_refused
    b043_a_sum_of_sizes_that_overflows_is_refused
    b044_a_tensor_of_no_bytes_shares_an_offset
    b045_tensor_names_must_be_unique_and_short
    b047_a_file_that_changes_while_it_is_read_is_refused
}

#[test]
fn every_row_of_the_container_has_files() {
    for row in ROWS {
        assert!(!files_of(row).is_empty(), "{row}");
    }
}

fn header(row: &str) -> GgufFile {
    check(row);
    GgufFile::parse(&files_of(row)[0].bytes).unwrap_or_else(|error| panic!("{row}: {error}"))
}

#[test]
fn b015_a_wrong_description_loads_and_is_shown_with_marks() {
    let header = header("B015");
    let value = header.metadata.get("k").expect("it is there");
    assert_eq!(value, &MetadataValue::InvalidUtf8(b"caf\xe9".to_vec()), "nothing is lost");
    assert_eq!(value.lossy_text().as_deref(), Some("caf\u{fffd}"));
    let error = header.metadata.string("k").expect_err("it is no text").to_string();
    assert_eq!(error, "metadata key k must be a UTF-8 string, but is string of 4 bytes that is not UTF-8");
}

#[test]
fn b023_alignments_that_are_powers_of_two_load() {
    check("B023");
    for file in files_of("B023") {
        let loaded = gguf::load(&file.bytes[..], None).expect("B023");
        assert_eq!(loaded.header.alignment.to_string(), file.what);
        assert_eq!(loaded.tensors, [vec![1; 12], vec![2; 2]]);
    }
}

#[test]
fn b028_sizes_beyond_32_bits_are_exact() {
    check("B028");
    let mut stream = GgufStream::new(None);
    stream.push(&files_of("B028")[0].bytes).expect("the header is good");
    let header = stream.header().expect("the header is complete");
    assert_eq!(header.tensors[0].len_bytes, ((1 << 32) + 1) * 4);
    assert_eq!(stream.finish().expect_err("the bytes are missing").code(), "GGUF_TRUNCATED");
}

#[test]
fn b030_empty_tensors_own_no_bytes() {
    let header = header("B030");
    assert_eq!(header.tensors.iter().map(|tensor| tensor.len_bytes).collect::<Vec<_>>(), [0, 4]);
    let loaded = gguf::load(&files_of("B030")[0].bytes[..], None).expect("B030");
    assert_eq!(loaded.tensors, [vec![], vec![9; 4]]);
}

#[test]
fn b032_a_scalar_loads_and_is_no_matrix() {
    let header = header("B032");
    let scalar = header.tensor("scalar").expect("it is there");
    assert_eq!((scalar.row_length(), scalar.n_rows(), scalar.n_elements()), (1, 1, 1));
}

#[test]
fn b035_types_without_a_kernel_are_refused_with_the_list_of_those_that_have_one() {
    check("B035");
    let error = GgufFile::parse(&files_of("B035")[0].bytes).expect_err("IQ1_M has no kernel").to_string();
    assert!(error.contains("type IQ1_M (number 29) is not supported; supported: F32, F16, BF16, "), "{error}");
    // One refusal tells how many tensors are concerned.
    let tensor = |raw: crate::raw::Raw, (name, id): (&str, u32)| raw.tensor(name, &[256], id, 0);
    let three = [("a", 29), ("b", 0), ("c", 29), ("d", 19)].into_iter().fold(crate::raw::head(4, 0), tensor).pad();
    let error = GgufFile::parse(&three.0).expect_err("three have no kernel");
    assert_eq!(error.code(), "MODEL_QUANT");
    assert!(error.to_string().starts_with("tensor a and 2 more: type IQ1_M"), "{error}");
}

#[test]
fn b046_bytes_after_the_last_tensor_are_counted() {
    let header = header("B046");
    let file = &files_of("B046")[0].bytes;
    assert_eq!(gguf::load(&file[..], None).expect("B046").summary.ignored_bytes, 13);
    let padded_end = header.end_of_data().next_multiple_of(32) as usize;
    assert_eq!(gguf::load(&file[..padded_end], None).expect("padding").summary.ignored_bytes, 0);
}

/// What a file of under 1 KiB may allocate holds for every good one too, whatever the size of its pieces.
#[test]
fn reading_takes_a_few_times_what_came() {
    let file = lastbit::tiny_model::gguf_bytes(3);
    for piece_bytes in [1, 1000, file.len()] {
        let used = measure(|| {
            let mut stream = GgufStream::new(None);
            let mut largest = 0;
            for piece in file.chunks(piece_bytes) {
                for event in stream.push(piece).expect("the tiny model is a file") {
                    if let gguf::StreamEvent::Tensor { bytes, .. } = event {
                        largest = largest.max(bytes.len());
                    }
                }
            }
            assert!(largest > 0 && stream.finish().is_ok());
        });
        assert!(used.bytes_max <= 4 * file.len() as u64 + MIB, "pieces of {piece_bytes}: {used:?}");
    }
}

/// Ten of them are picked in the page too, in `www/e2e`, which reads them from a file. Zeros at their end are left out there.
#[test]
fn the_page_s_ten_files_are_files_of_the_rows() {
    let of_row = |row: &str, which: usize| {
        let File { what, bytes, expected, .. } = files_of(row).swap_remove(which);
        let len = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let hex: String = bytes[..len].iter().map(|byte| format!("{byte:02x}")).collect();
        serde_json::json!({ "row": row, "what": what, "hex": hex, "len_bytes": bytes.len(), "expected": expected })
    };
    let ten = [
        ("B002", 1),
        ("B003", 0),
        ("B005", 0),
        ("B008", 0),
        ("B012", 1),
        ("B017", 0),
        ("B022", 0),
        ("B034", 0),
        ("B041", 0),
        ("B045", 0),
    ];
    let expected: Vec<_> = ten.into_iter().map(|(row, which)| of_row(row, which)).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/www/e2e/fixtures/bad-files.json");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let found: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap_or_default();
    assert!(found == expected, "{path} should hold\n{}", serde_json::json!(expected));
}
