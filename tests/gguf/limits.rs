//! Each cap of the reader: the largest that passes, and one more.

use crate::raw::{ARRAY, F32, Raw, STRING, U8, U32, head};
use crate::stream_verdict;
use lastbit::gguf::limits;

fn check(cap: &str, at_the_cap: Raw, one_more: Raw, code: &str) {
    if let Err(error) = stream_verdict(&at_the_cap.0) {
        panic!("{cap}: {error}");
    }
    let error = stream_verdict(&one_more.0).expect_err(cap);
    assert_eq!(error.code(), code, "{cap}: {error}");
}

#[test]
fn caps_hold_exactly() {
    let key = |n: u64| head(0, 1).key(&"k".repeat(n as usize), U32).u32(1);
    check("key bytes", key(limits::KEY_BYTES), key(limits::KEY_BYTES + 1), "GGUF_KEY");

    let string = |n: u64| head(0, 1).key("k", STRING).u64(n).zeros(n as usize);
    check("string bytes", string(limits::STRING_BYTES), string(limits::STRING_BYTES + 1), "GGUF_LENGTH");

    let array = |n: u64| head(0, 1).key("k", ARRAY).u32(U8).u64(n).zeros(n as usize);
    check("array elements", array(limits::ARRAY_ELEMENTS), array(limits::ARRAY_ELEMENTS + 1), "GGUF_LENGTH");

    let keys = |n: u64| (0..n).fold(head(0, n), |raw, i| raw.key(&format!("k{i}"), U8).bytes(&[0]));
    check("keys", keys(limits::KEYS), keys(limits::KEYS + 1), "GGUF_COUNT");

    let tensors = |n: u64| (0..n).fold(head(n, 0), |raw, i| raw.tensor(&format!("t{i}"), &[0], F32, 0)).pad();
    check("tensors", tensors(limits::TENSORS), tensors(limits::TENSORS + 1), "GGUF_COUNT");

    let name = |n: u64| head(1, 0).tensor(&"n".repeat(n as usize), &[0], F32, 0).pad();
    check("tensor name", name(limits::TENSOR_NAME_BYTES), name(limits::TENSOR_NAME_BYTES + 1), "GGUF_NAME");

    let dimensions = |n: u32| head(1, 0).tensor("t", &vec![0; n as usize], F32, 0).pad();
    check("dimensions", dimensions(limits::DIMENSIONS), dimensions(limits::DIMENSIONS + 1), "GGUF_DIMS");

    let alignment = |n: u64| head(0, 1).key("general.alignment", U32).u32(n as u32);
    check("alignment", alignment(limits::ALIGNMENT), alignment(limits::ALIGNMENT * 2), "GGUF_ALIGNMENT");
}

#[test]
fn the_header_ends_at_its_cap() {
    // Three strings fill the header up to the cap; each entry has 8 + 2 + 4 + 8 bytes beside its text.
    let header = |more: u64| {
        let text = vec![b'x'; limits::STRING_BYTES as usize];
        let two = (0..2).fold(head(0, 3), |raw, i| raw.key(&format!("k{i}"), STRING).string(&text));
        let last = limits::HEADER_BYTES - two.0.len() as u64 - 22 + more;
        two.key("k2", STRING).u64(last).zeros(last as usize)
    };
    assert_eq!(header(0).0.len() as u64, limits::HEADER_BYTES);
    check("header bytes", header(0), header(1), "GGUF_TOO_BIG");
}
