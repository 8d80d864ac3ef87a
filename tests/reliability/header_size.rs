//! What headers near the caps take in memory, whether they turn out to be good or bad.

use allocation_counter::measure;
use lastbit::gguf::{GgufFile, GgufStream, GgufWriter, MetadataArray, MetadataValue, Texts, limits};
use lastbit::tokenizer::{Tokenizer, TokenizerError};

use crate::raw::{ARRAY, F32, Raw, STRING, head};
use crate::tokenizer::byte_letters;

const MIB: u64 = 1 << 20;

/// Most bytes at once while a file's header is read in pieces; none of them is the file itself.
fn most_bytes(file: &[u8]) -> u64 {
    let used = measure(|| {
        let mut stream = GgufStream::new(Some(file.len() as u64));
        let read = file.chunks(256 << 10).try_for_each(|piece| stream.push(piece).map(drop));
        assert!(read.is_ok() && stream.header().is_some(), "{read:?}");
    });
    used.bytes_max
}

/// An array of `n` texts under one key.
fn texts(key: &str, n: u64, text: impl Fn(u64) -> String) -> Raw {
    (0..n).fold(head(0, 1).key(key, ARRAY).u32(STRING).u64(n), |raw, index| raw.string(text(index)))
}

/// Each element has eight bytes of length in the file and four bytes of place in memory, beside its text.
#[test]
fn an_array_of_short_texts_takes_no_more_than_its_part_of_the_file() {
    let n = limits::ARRAY_ELEMENTS;
    for (what, file) in [
        ("merges", texts("tokenizer.ggml.merges", n / 4 * 3, |_| "a b".to_owned())),
        ("tokens", texts("tokenizer.ggml.tokens", n / 3, |index| format!("token {index}"))),
        ("empty", texts("general.tags", n, |_| String::new())),
    ] {
        let (most, len) = (most_bytes(&file.0), file.0.len() as u64);
        println!("{what}: {most} bytes at most for a file of {len}");
        assert!(most <= len * 5 / 4, "{what}: {most} bytes for a file of {len}");
    }
}

#[test]
fn long_keys_and_a_table_of_all_tensors_take_a_few_times_what_came() {
    let key = |n: u64| format!("{n:0>65535}");
    let keys = (0..500).fold(head(0, 500), |raw, n| raw.key(&key(n), 0).bytes(&[0]));
    let (most, len) = (most_bytes(&keys.0), keys.0.len() as u64);
    assert!(most <= len + 2 * MIB, "{most} bytes for {len} of keys");
    let n = limits::TENSORS;
    let table = (0..n).fold(head(n, 0), |raw, n| raw.tensor(&format!("blk.{n}.surplus.weight"), &[0, 1], F32, 0)).pad();
    let (most, len) = (most_bytes(&table.0), table.0.len() as u64);
    println!("{most} bytes at most for a table of {len}");
    assert!(most <= 6 * len, "{most} bytes for a table of {len}");
}

/// Words of letters, each joined from shorter ones in every way: as many merges as one likes.
struct Words {
    tokens: Vec<String>,
    merges: Vec<String>,
}

fn words(n_tokens: usize, n_merges: usize) -> Words {
    let mut tokens = byte_letters();
    let mut merges = Vec::new();
    let mut level: Vec<String> = ('a'..='z').map(String::from).collect();
    while tokens.len() < n_tokens {
        let longer = level.iter().flat_map(|word| ('a'..='z').map(move |letter| format!("{word}{letter}")));
        let longer: Vec<String> = longer.take(n_tokens - tokens.len()).collect();
        for word in &longer {
            merges.extend((1..word.len()).map(|at| format!("{} {}", &word[..at], &word[at..])));
        }
        tokens.extend(longer.iter().cloned());
        level = longer;
    }
    assert!(merges.len() >= n_merges, "{} merges", merges.len());
    merges.truncate(n_merges);
    Words { tokens, merges }
}

fn array(texts: impl IntoIterator<Item = impl AsRef<str>>) -> MetadataValue {
    MetadataValue::Array(MetadataArray::String(texts.into_iter().collect::<Texts>()))
}

fn name(name: &str) -> MetadataValue {
    MetadataValue::String(name.to_owned())
}

fn byte_level(rule: &str, Words { tokens, merges }: &Words) -> Vec<u8> {
    let kinds = MetadataValue::Array(MetadataArray::I32(vec![1; tokens.len()]));
    GgufWriter::default()
        .metadata("tokenizer.ggml.model", name("gpt2"))
        .metadata("tokenizer.ggml.pre", name(rule))
        .metadata("tokenizer.ggml.tokens", array(tokens))
        .metadata("tokenizer.ggml.token_type", kinds)
        .metadata("tokenizer.ggml.merges", array(merges))
        .to_bytes()
}

fn scored(tokens: &[String], kind: i32) -> Vec<u8> {
    let n = tokens.len();
    GgufWriter::default()
        .metadata("tokenizer.ggml.model", name("llama"))
        .metadata("tokenizer.ggml.tokens", array(tokens))
        .metadata("tokenizer.ggml.token_type", MetadataValue::Array(MetadataArray::I32(vec![kind; n])))
        .metadata("tokenizer.ggml.scores", MetadataValue::Array(MetadataArray::F32(vec![0.0; n])))
        .to_bytes()
}

/// The vocabulary of a file, and most bytes at once while the file and then the vocabulary are read.
fn vocabulary(file: &[u8]) -> (Result<Tokenizer, TokenizerError>, u64) {
    let mut read = None;
    let used = measure(|| {
        let mut stream = GgufStream::new(Some(file.len() as u64));
        file.chunks(256 << 10).for_each(|piece| drop(stream.push(piece).expect("the container is good")));
        read = Some(Tokenizer::from_metadata(&stream.header().expect("it is whole").metadata));
    });
    println!("{} bytes at most for a file of {}", used.bytes_max, file.len());
    (read.expect("it was read"), used.bytes_max)
}

/// Good to the last merge, and bad at the last one: both are known only at the end.
#[test]
fn vocabularies_at_the_caps_are_read_and_refused_within_64_mib() {
    let mut largest = words(limits::TOKENS, limits::MERGES);
    for rule in ["gpt-2", "llama-bpe"] {
        let (read, most) = vocabulary(&byte_level(rule, &largest));
        assert!(read.is_ok() && most <= 64 * MIB, "{rule}: {most} bytes, {:?}", read.err());
    }
    *largest.merges.last_mut().expect("there are some") = "a bb c".to_owned();
    let (read, most) = vocabulary(&byte_level("gpt-2", &largest));
    assert!(matches!(read, Err(TokenizerError::MalformedMerge { .. })) && most <= 64 * MIB, "{most} bytes");
    for kind in [1, 4] {
        let (read, most) = vocabulary(&scored(&largest.tokens, kind));
        assert!(read.is_ok() && most <= 64 * MIB, "kind {kind}: {most} bytes, {:?}", read.err());
    }
}

#[test]
fn one_more_than_the_caps_is_refused() {
    let refused = |file: Vec<u8>| vocabulary(&file).0.err();
    let letters = words(256, 0).tokens;
    let with = |n_tokens: usize| {
        let more = (letters.len()..n_tokens).map(|id| format!("<{id}>"));
        Words { tokens: letters.iter().cloned().chain(more).collect(), merges: Vec::new() }
    };
    assert!(refused(byte_level("gpt-2", &with(limits::TOKENS))).is_none());
    let more = refused(byte_level("gpt-2", &with(limits::TOKENS + 1)));
    assert!(matches!(more, Some(TokenizerError::TooManyTokens { .. })), "{more:?}");

    let mut merged = words(limits::TOKENS, limits::MERGES + 1);
    let more = refused(byte_level("gpt-2", &merged));
    assert!(matches!(more, Some(TokenizerError::TooManyMerges { .. })), "{more:?}");
    merged.merges.pop();
    assert!(refused(byte_level("gpt-2", &merged)).is_none());

    let long = |n_bytes: usize| {
        let mut tokens = letters.clone();
        let others: usize = tokens.iter().map(String::len).sum();
        tokens.push("x".repeat(n_bytes - others));
        Words { tokens, merges: Vec::new() }
    };
    assert!(refused(byte_level("gpt-2", &long(limits::TOKEN_TEXT_BYTES))).is_none());
    let more = refused(byte_level("gpt-2", &long(limits::TOKEN_TEXT_BYTES + 1)));
    assert!(matches!(more, Some(TokenizerError::TextsTooLong { .. })), "{more:?}");
}

/// A description is shown and nothing is computed from it; what text is needed from must be text.
#[test]
fn strings_that_only_describe_need_not_be_utf8() {
    let file = |key: &str| {
        let strings = [&b"ok"[..], b"caf\xe9", b"", b"fine", b"\xff\xff"];
        strings.into_iter().fold(head(0, 1).key(key, ARRAY).u32(STRING).u64(5), |raw, bytes| raw.string(bytes)).pad()
    };
    for key in ["general.tags", "general.languages", "general.datasets"] {
        let header = GgufFile::parse(&file(key).0).unwrap_or_else(|error| panic!("{key}: {error}"));
        let value = header.metadata.get(key).expect("it is there");
        let MetadataValue::Array(MetadataArray::InvalidUtf8(strings)) = value else { panic!("{value:?}") };
        assert_eq!(strings.iter().nth(1), Some(&b"caf\xe9"[..]), "nothing is lost");
        assert_eq!(value.describe(), "array of 5 string, not all UTF-8");
        assert_eq!(GgufWriter::default().metadata(key, value.clone()).to_bytes(), file(key).0);
        assert_eq!(header.metadata.strings(key).expect_err("it is no text").code(), "MODEL_KEY");
    }
    for key in ["tokenizer.ggml.tokens", "tokenizer.ggml.merges", "llama.names"] {
        assert_eq!(GgufFile::parse(&file(key).0).expect_err(key).code(), "GGUF_UTF8");
    }
}
