//! Rows about vocabularies that are small, incomplete or contradictory, and text that comes out of tokens.

use allocation_counter::measure;
use lastbit::generate::StopReason;
use lastbit::gguf::{Metadata, MetadataArray, MetadataValue, limits};
use lastbit::tiny_model;
use lastbit::tokenizer::{SpecialTokens, Tokenizer, TokenizerError as E, UnknownPreTokenizer};

use crate::changed::Changed;
use crate::{code_shown, engine, run};

fn name(name: &str) -> MetadataValue {
    MetadataValue::String(name.to_owned())
}

fn strings(list: &[&str]) -> MetadataValue {
    MetadataValue::Array(MetadataArray::String(list.iter().collect()))
}

fn integers(list: &[i32]) -> MetadataValue {
    MetadataValue::Array(MetadataArray::I32(list.to_vec()))
}

fn metadata(entries: Vec<(&str, MetadataValue)>, key: &str, replacement: Option<MetadataValue>) -> Metadata {
    let mut metadata = Metadata::default();
    for (name, value) in entries {
        let value = if name == key { replacement.clone() } else { Some(value) };
        if let Some(value) = value {
            metadata.insert(format!("tokenizer.ggml.{name}"), value);
        }
    }
    metadata
}

/// The letters that stand for the 256 bytes.
pub(crate) fn byte_letters() -> Vec<String> {
    let tiny = Changed::of(&tiny_model::gguf_bytes(3)).metadata();
    tiny.strings("tokenizer.ggml.tokens").expect("tokens").iter().skip(3).take(256).map(String::from).collect()
}

/// The 256 bytes, two merges and two special tokens, with one entry replaced or left out.
fn byte_level(key: &str, replacement: Option<MetadataValue>) -> Metadata {
    let letters = byte_letters();
    let tokens: Vec<&str> = letters.iter().map(String::as_str).chain(["ab", "abc", "<end>", "<tab>"]).collect();
    let entries = vec![
        ("model", name("gpt2")),
        ("pre", name("smollm")),
        ("tokens", strings(&tokens)),
        ("token_type", integers(&[vec![1; 258], vec![3, 4]].concat())),
        ("merges", strings(&["a b", "ab c"])),
        ("bos_token_id", MetadataValue::U32(258)),
        ("eos_token_id", MetadataValue::U32(258)),
        ("add_bos_token", MetadataValue::Bool(true)),
        ("add_eos_token", MetadataValue::Bool(true)),
    ];
    metadata(entries, key, replacement)
}

/// A vocabulary with scores that has some letters, the bytes of A and B, and an unknown token, with one entry replaced or left out.
fn scored(key: &str, replacement: Option<MetadataValue>) -> Metadata {
    let tokens = ["<unk>", "<s>", "</s>", "<0x41>", "<0x42>", "\u{2581}", "a", "b", "ab", "\u{2581}a"];
    let scores = [0.0, 0.0, 0.0, 0.0, 0.0, -1.0, -2.0, -3.0, -0.5, -0.25];
    let entries = vec![
        ("model", name("llama")),
        ("tokens", strings(&tokens)),
        ("scores", MetadataValue::Array(MetadataArray::F32(scores.to_vec()))),
        ("token_type", integers(&[2, 3, 3, 6, 6, 1, 1, 1, 1, 1])),
    ];
    metadata(entries, key, replacement)
}

#[track_caller]
fn loads(metadata: &Metadata) -> Tokenizer {
    Tokenizer::from_metadata(metadata).unwrap_or_else(|error| panic!("{error}"))
}

/// The vocabulary is refused with the one code that there is for that.
#[track_caller]
fn refused(metadata: &Metadata) -> E {
    let error = Tokenizer::from_metadata(metadata).expect_err("a bad vocabulary");
    assert_eq!(error.code(), "TOKENIZER", "{error}");
    println!("{error}");
    error
}

#[test]
fn b072_unknown_models_and_rules_of_words_are_refused_by_name_and_a_rule_loaded_only_if_asked() {
    for key in ["model", "pre"] {
        assert!(refused(&byte_level(key, None)).to_string().contains(&format!("tokenizer.ggml.{key} is missing")));
        assert!(matches!(refused(&byte_level(key, Some(MetadataValue::F64(0.5)))), E::Metadata(_)));
    }
    let bert = refused(&byte_level("model", Some(name("bert"))));
    assert!(matches!(bert, E::UnsupportedModel { found, supported } if found == "bert" && supported == "gpt2, llama"));
    let unknown = refused(&byte_level("pre", Some(name("qwen9"))));
    assert!(
        matches!(unknown, E::UnknownPreTokenizer { found, supported } if found == "\"qwen9\"" && supported.contains("qwen2, "))
    );

    let named = |rule: &str| byte_level("pre", Some(name(rule)));
    let report = |metadata: &Metadata, unknown| Tokenizer::new(metadata, unknown).map(|it| it.report().clone());
    for file in [named("qwen9"), named(""), byte_level("pre", None)] {
        assert!(report(&file, UnknownPreTokenizer::Refuse).is_err());
        let report = report(&file, UnknownPreTokenizer::LoadAnyway).expect("asked for");
        assert_eq!((report.rule, report.proven, report.loaded_anyway), (Some("default"), false, true));
    }
    for (name, rule, proven) in
        [("smollm", "smollm", true), ("llama3", "llama-bpe", true), ("default", "default", false)]
    {
        let report = report(&named(name), UnknownPreTokenizer::LoadAnyway).expect("known");
        assert_eq!((report.pre_tokenizer.as_deref(), report.rule), (Some(name), Some(rule)));
        assert_eq!((report.proven, report.loaded_anyway), (proven, false));
        assert_eq!(report.sha256.len(), 64);
    }
    let hash = |metadata: &Metadata| report(metadata, UnknownPreTokenizer::Refuse).expect("known").sha256;
    assert_ne!(hash(&named("gpt-2")), hash(&named("mpt")));
    assert_eq!(hash(&named("gpt-2")), hash(&named("gpt-2")));
}

#[test]
fn b073_a_vocabulary_without_tokens_or_of_no_strings_is_refused() {
    assert!(matches!(refused(&byte_level("tokens", Some(strings(&[])))), E::NoTokens));
    for tokens in [None, Some(integers(&[1, 2])), Some(name("a b")), Some(MetadataValue::U32(3))] {
        assert!(matches!(refused(&byte_level("tokens", tokens)), E::Metadata(_)));
    }
    // In a whole file too, whose embedding is larger than no tokens.
    let tiny = Changed::of(&tiny_model::gguf_bytes(3));
    for tokens in [strings(&[]), integers(&[1, 2])] {
        let error = engine(&tiny.set("tokenizer.ggml.tokens", tokens).bytes()).expect_err("no vocabulary");
        assert_eq!(code_shown(&error), "TOKENIZER", "{error}");
    }
}

#[test]
fn b074_scores_and_types_must_be_as_many_as_tokens() {
    let types = |n| Some(integers(&vec![1; n]));
    for n in [0, 259, 261] {
        let error = refused(&byte_level("token_type", types(n)));
        assert!(matches!(error, E::LengthMismatch { expected: 260, found, .. } if found == n));
    }
    let error = refused(&byte_level("token_type", Some(integers(&[vec![1; 259], vec![9]].concat()))));
    assert!(matches!(error, E::UnknownTokenType { id: 259, found: 9 }));
    let scores = |n| Some(MetadataValue::Array(MetadataArray::F32(vec![0.0; n])));
    for n in [0, 9, 11] {
        let error = refused(&scored("scores", scores(n)));
        assert!(matches!(error, E::LengthMismatch { expected: 10, found, .. } if found == n));
    }
    assert!(matches!(refused(&scored("scores", None)), E::Metadata(_)));
    assert!(matches!(refused(&byte_level("token_type", Some(MetadataValue::F64(0.5)))), E::Metadata(_)));
    // Without types, only the tokens named as begin and end are special.
    let untyped = loads(&byte_level("token_type", None));
    assert!(untyped.is_control(258) && !untyped.is_control(259));
}

#[test]
fn b075_merges_are_needed_by_the_one_model_and_ignored_by_the_other() {
    let error = refused(&byte_level("merges", None));
    assert!(error.to_string().contains("tokenizer.ggml.merges is missing"), "{error}");
    assert!(matches!(refused(&byte_level("merges", Some(integers(&[1])))), E::Metadata(_)));
    let mut with_merges = scored("", None);
    let plain = loads(&with_merges);
    assert!(with_merges.insert("tokenizer.ggml.merges".to_owned(), strings(&["b a"])));
    let ids = |tokenizer: &Tokenizer| tokenizer.encode("ab ba", SpecialTokens::Literal);
    assert_eq!(ids(&loads(&with_merges)), ids(&plain));
    assert_eq!(ids(&plain), [9, 7, 5, 7, 6]);
}

#[test]
fn b076_merges_of_no_two_tokens_are_refused_at_their_line() {
    let refused_merges = |merges: &[&str]| refused(&byte_level("merges", Some(strings(merges))));
    for (merges, index) in
        [(&["a b", "b  c"][..], 1), (&["ab"], 0), (&[" b"], 0), (&["a "], 0), (&["a b c"], 0), (&[""], 0)]
    {
        assert!(matches!(refused_merges(merges), E::MalformedMerge { index: at, .. } if at == index));
    }
    for (merges, needed) in [
        (&["a c"][..], "ac"),
        (&["nope a"], "nope"),
        (&["a nope"], "nope"),
        (&["<end> a"], "<end>"),
        (&["<end> <end>"], "<end>"),
    ] {
        assert!(matches!(refused_merges(merges), E::MergeWithoutToken { missing, .. } if missing == needed));
    }
    let twice = refused_merges(&["a b", "ab c", "a b"]);
    assert!(matches!(twice, E::DuplicateMerge { first: 0, second: 2, .. }));
    // As many as a vocabulary can have, all of one pair: refused at the second, with no more memory than the list has.
    let many = byte_level("merges", Some(strings(&vec!["a b"; limits::MERGES])));
    let used = measure(|| assert!(matches!(refused(&many), E::DuplicateMerge { first: 0, second: 1, .. })));
    assert!(used.bytes_max <= 64 << 20, "{used:?}");
}

#[test]
fn b079_ids_of_special_tokens_must_be_tokens() {
    for key in ["bos_token_id", "eos_token_id"] {
        for id in [260, u32::MAX] {
            let error = refused(&byte_level(key, Some(MetadataValue::U32(id))));
            assert!(matches!(error, E::IdOutOfRange { id: found, vocab_size: 260, .. } if found == id));
        }
        for value in [MetadataValue::I32(-1), MetadataValue::U64(1 << 40), MetadataValue::F64(0.5), name("<end>")] {
            assert!(matches!(refused(&byte_level(key, Some(value))), E::Metadata(_)));
        }
        // A token is to be added, and the file does not say which.
        assert!(matches!(refused(&byte_level(key, None)), E::MissingSpecialId { .. }));
    }
    assert!(matches!(refused(&byte_level("add_bos_token", Some(MetadataValue::U8(1)))), E::Metadata(_)));
    let mut named = byte_level("", None);
    assert!(named.insert("tokenizer.ggml.eot_token_id".to_owned(), MetadataValue::U32(999)));
    assert!(matches!(refused(&named), E::IdOutOfRange { id: 999, .. }));
}

#[test]
fn b080_without_an_end_a_run_stops_at_its_length_and_says_so() {
    let tiny = Changed::of(&tiny_model::gguf_bytes(3));
    let tokens = tiny.metadata().strings("tokenizer.ggml.tokens").expect("tokens").clone();
    let renamed = tokens.iter().map(|token| token.replace("<|", "<<")).collect();
    let renamed = MetadataValue::Array(MetadataArray::String(renamed));
    let endless = tiny.without("tokenizer.ggml.eos_token_id").set("tokenizer.ggml.tokens", renamed);
    let mut engine = engine(&endless.bytes()).expect("it loads");
    assert!(engine.tokenizer().end_ids().is_empty() && engine.tokenizer().eos_id().is_none());
    let trace = run(&mut engine, &[5, 6], 5);
    assert_eq!((trace.stop, trace.steps.len()), (StopReason::MaxTokens, 5));
}

#[test]
fn b081_of_two_ids_with_one_text_the_lower_is_used() {
    let whole = byte_level("", None);
    let mut tokens =
        whole.strings("tokenizer.ggml.tokens").expect("tokens").iter().map(String::from).collect::<Vec<String>>();
    let with_last = |tokens: &[String]| {
        loads(&byte_level("tokens", Some(MetadataValue::Array(MetadataArray::String(tokens.iter().collect())))))
    };
    *tokens.last_mut().expect("not empty") = "ab".into();
    // The user-defined token of that text, which comes first of all, is the only one that matches whole.
    assert_eq!(with_last(&tokens).encode("abc", SpecialTokens::Literal), [259, u32::from(b'c')]);
    *tokens.last_mut().expect("not empty") = String::new();
    assert_eq!(with_last(&tokens).encode("abc", SpecialTokens::Literal), [257]);
    let twice = strings(&["<unk>", "<s>", "</s>", "<0x41>", "<0x41>", "\u{2581}", "a", "a", "", "\u{2581}a"]);
    let scores = loads(&scored("tokens", Some(twice)));
    assert_eq!(scores.encode("aA", SpecialTokens::Literal), [9, 3]);
}

#[test]
fn b082_a_token_of_a_megabyte_loads_and_look_ups_stay_linear() {
    let long = "a".repeat(1 << 20);
    let whole = byte_level("", None);
    let mut tokens =
        whole.strings("tokenizer.ggml.tokens").expect("tokens").iter().map(String::from).collect::<Vec<String>>();
    tokens[257] = long.clone();
    let tokens = Some(MetadataValue::Array(MetadataArray::String(tokens.iter().collect())));
    let mut ordinary = byte_level("tokens", tokens.clone());
    let merges = strings(&["a b"]);
    ordinary = metadata(
        ordinary.iter().map(|(key, value)| (key.trim_start_matches("tokenizer.ggml."), value.clone())).collect(),
        "merges",
        Some(merges),
    );
    let tokenizer = loads(&ordinary);
    assert_eq!(tokenizer.decode(&[257]).len(), long.len());
    let text = long.clone() + "b";
    let used = measure(|| {
        let ids = tokenizer.encode(&text, SpecialTokens::Literal);
        assert_eq!((ids.len(), ids.last()), (long.len(), Some(&256)));
    });
    // Symbols and the queue of joins: tens of bytes for each of the text's.
    assert!(used.bytes_total <= 400 * text.len() as u64, "{used:?}");

    // As a special token it would be looked for at every character of every text.
    let mut special =
        whole.strings("tokenizer.ggml.tokens").expect("tokens").iter().map(String::from).collect::<Vec<String>>();
    special[259] = long;
    let special = byte_level("tokens", Some(MetadataValue::Array(MetadataArray::String(special.iter().collect()))));
    assert!(matches!(refused(&special), E::SpecialTokenTooLong { id: 259, bytes: 1_048_576, .. }));
}

#[test]
fn b083_bytes_without_a_token_become_the_unknown_one_or_are_counted_as_missing() {
    let tokenizer = loads(&scored("", None));
    assert_eq!(tokenizer.encode("aABC\u{e9}", SpecialTokens::Literal), [9, 3, 4, 0, 0, 0]);
    assert_eq!(tokenizer.missing_bytes("aABC\u{e9}"), 0);
    // No byte has a token: the first token stands for what is unknown, as llama.cpp has it, whatever its type.
    let tokens = strings(&["<x>", "<s>", "</s>", "<y>", "<z>", "\u{2581}", "a", "b", "ab", "\u{2581}a"]);
    let mut none = scored("tokens", Some(tokens));
    none = metadata(
        none.iter().map(|(key, value)| (key.trim_start_matches("tokenizer.ggml."), value.clone())).collect(),
        "token_type",
        Some(integers(&[1; 10])),
    );
    assert_eq!(loads(&none).encode("aAC", SpecialTokens::Literal), [9, 0, 0]);
    let letters = byte_letters();
    let mut tokens: Vec<&str> = letters.iter().map(String::as_str).chain(["ab", "abc", "<end>", "<tab>"]).collect();
    tokens[usize::from(b'x')] = "<no x>";
    let lacking = loads(&byte_level("tokens", Some(strings(&tokens))));
    assert_eq!(lacking.encode("axb", SpecialTokens::Literal), [u32::from(b'a'), u32::from(b'b')]);
    assert_eq!(lacking.missing_bytes("axb"), 1);
}

#[test]
fn b084_text_is_withheld_until_a_character_is_whole_and_ends_with_a_mark() {
    let tokenizer = loads(&byte_level("", None));
    // Every byte a token of its own: valid, cut at the end, never valid.
    let streamed = |bytes: &[u8]| {
        let mut stream = tokenizer.decode_stream();
        let mut pieces: Vec<String> = bytes.iter().map(|byte| stream.push(u32::from(*byte))).collect();
        pieces.push(stream.finish());
        pieces
    };
    assert_eq!(streamed("a\u{e9}".as_bytes()), ["a", "", "\u{e9}", ""]);
    assert_eq!(streamed(&"\u{1f600}".as_bytes()[..3]), ["", "", "", "\u{fffd}"]);
    assert_eq!(streamed(b"\xffa\xc3"), ["\u{fffd}", "a", "", "\u{fffd}"]);
    for bytes in [&b"\xe2\x82a"[..], b"\xf0\x9f\x98\x80\x80", b"\xc3\xc3\xa9"] {
        assert_eq!(streamed(bytes).concat(), String::from_utf8_lossy(bytes), "{bytes:02x?}");
    }
}

#[test]
fn a_small_vocabulary_works() {
    let tokenizer = loads(&byte_level("", None));
    let ids = tokenizer.encode_prompt("xabcab<end><tab>", SpecialTokens::Literal);
    assert_eq!(ids[..2], [258, u32::from(b'x')]);
    assert_eq!(ids[2..4], [257, 256]);
    assert_eq!(ids[ids.len() - 2..], [259, 258], "a user-defined token matches in typed text too, then EOS");
    assert_eq!(ids.len(), 2 + 2 + "<end>".len() + 2);
    assert_eq!(tokenizer.encode("<end>", SpecialTokens::Parse), [258]);
}
