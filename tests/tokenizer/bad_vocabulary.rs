//! Files whose vocabulary is small, incomplete or contradictory.

use lastbit::gguf::{Metadata, MetadataArray, MetadataValue};
use lastbit::tokenizer::{ChatTemplate, SpecialTokens, TemplateError, Tokenizer, TokenizerError, UnknownPreTokenizer};

use super::{BYTE_TOKENS, METADATA};

/// A vocabulary of the 256 bytes, two merges and two special tokens, with one entry replaced.
fn small_vocabulary(key: &str, replacement: Option<MetadataValue>) -> Metadata {
    let strings = |list: Vec<String>| MetadataValue::Array(MetadataArray::String(list));
    let real = METADATA.strings("tokenizer.ggml.tokens").expect("tokens");
    // Bytes that the real vocabulary lacks get a name instead.
    let bytes = BYTE_TOKENS.iter().enumerate();
    let mut tokens: Vec<String> =
        bytes.map(|(byte, id)| id.map_or(format!("<no byte {byte}>"), |id| real[id as usize].clone())).collect();
    tokens.extend(["ab", "abc", "<end>", "<tab>"].map(String::from));
    let mut types = vec![1; 258];
    types.extend([3, 4]);
    let entries = [
        ("model", MetadataValue::String("gpt2".into())),
        ("pre", MetadataValue::String("smollm".into())),
        ("tokens", strings(tokens)),
        ("token_type", MetadataValue::Array(MetadataArray::I32(types))),
        ("merges", strings(vec!["a b".into(), "ab c".into()])),
        ("bos_token_id", MetadataValue::U32(258)),
        ("eos_token_id", MetadataValue::U32(258)),
        ("add_bos_token", MetadataValue::Bool(true)),
        ("add_eos_token", MetadataValue::Bool(true)),
    ];
    let mut metadata = Metadata::default();
    for (name, value) in entries {
        let value = if name == key { replacement.clone() } else { Some(value) };
        if let Some(value) = value {
            metadata.insert(format!("tokenizer.ggml.{name}"), value);
        }
    }
    metadata
}

#[test]
fn a_small_vocabulary_works() {
    let tokenizer = Tokenizer::from_metadata(&small_vocabulary("", None)).expect("valid");
    let ids = tokenizer.encode_prompt("xabcab<end><tab>", SpecialTokens::Literal);
    assert_eq!(ids[..2], [258, u32::from(b'x')]);
    assert_eq!(ids[2..4], [257, 256]);
    assert_eq!(ids[ids.len() - 2..], [259, 258], "a user-defined token matches in typed text too, then EOS");
    assert_eq!(ids.len(), 2 + 2 + "<end>".len() + 2);
    assert_eq!(tokenizer.encode("<end>", SpecialTokens::Parse), [258]);
    // Without types, only the tokens named as begin and end are special.
    let untyped = Tokenizer::from_metadata(&small_vocabulary("token_type", None)).expect("valid");
    assert!(untyped.is_control(258) && !untyped.is_control(259));
}

#[test]
fn an_unknown_rule_of_words_is_loaded_only_if_asked_and_the_report_keeps_that() {
    let named = |name: &str| small_vocabulary("pre", Some(MetadataValue::String(name.into())));
    let report = |metadata: &Metadata, unknown| Tokenizer::new(metadata, unknown).map(|it| it.report().clone());
    for file in [named("qwen9"), named(""), small_vocabulary("pre", None)] {
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
fn of_two_ids_with_one_text_the_lower_is_used() {
    let mut tokens = small_vocabulary("", None).strings("tokenizer.ggml.tokens").expect("tokens").to_vec();
    *tokens.last_mut().expect("not empty") = "ab".into();
    let twice = small_vocabulary("tokens", Some(MetadataValue::Array(MetadataArray::String(tokens.clone()))));
    let tokenizer = Tokenizer::from_metadata(&twice).expect("valid");
    // The user-defined token of that text, which comes first of all, is the only one that matches whole.
    assert_eq!(tokenizer.encode("abc", SpecialTokens::Literal), [259, u32::from(b'c')]);
    *tokens.last_mut().expect("not empty") = String::new();
    let empty = small_vocabulary("tokens", Some(MetadataValue::Array(MetadataArray::String(tokens))));
    assert_eq!(Tokenizer::from_metadata(&empty).expect("valid").encode("abc", SpecialTokens::Literal), [257]);
}

#[test]
fn bad_vocabularies_are_refused() {
    use TokenizerError as E;
    let strings = |list: &[&str]| {
        Some(MetadataValue::Array(MetadataArray::String(list.iter().map(|&text| text.into()).collect())))
    };
    let name = |name: &str| Some(MetadataValue::String(name.into()));
    let error = |key, value| {
        let result = Tokenizer::from_metadata(&small_vocabulary(key, value));
        let error = result.expect_err("a bad vocabulary");
        println!("{key}: {error}");
        error
    };
    let types = |count, last| {
        let mut types = vec![1; count];
        types.push(last);
        Some(MetadataValue::Array(MetadataArray::I32(types)))
    };
    let long = "<".repeat(300);

    assert!(
        matches!(error("model", name("bert")), E::UnsupportedModel { ref found, ref supported } if found == "bert" && supported == "gpt2, llama")
    );
    assert!(
        matches!(error("pre", name("qwen9")), E::UnknownPreTokenizer { ref found, ref supported } if found == "qwen9" && supported.contains("qwen2, "))
    );
    for key in ["model", "pre", "tokens", "merges"] {
        assert!(matches!(error(key, None), E::Metadata(_)));
    }
    for key in ["model", "pre", "tokens", "token_type", "merges", "eos_token_id", "add_bos_token"] {
        assert!(matches!(error(key, Some(MetadataValue::F64(0.5))), E::Metadata(_)));
    }
    assert!(matches!(error("tokens", strings(&[])), E::NoTokens));
    assert!(matches!(error("token_type", types(258, 3)), E::LengthMismatch { expected: 260, found: 259, .. }));
    assert!(matches!(error("token_type", types(259, 9)), E::UnknownTokenType { id: 259, found: 9 }));
    for (merges, index) in
        [(&["a b", "b  c"][..], 1), (&["ab"], 0), (&[" b"], 0), (&["a "], 0), (&["a b c"], 0), (&[""], 0)]
    {
        assert!(matches!(error("merges", strings(merges)), E::MalformedMerge { index: at, .. } if at == index));
    }
    for (merges, needed) in [
        (&["a c"][..], "ac"),
        (&["nope a"], "nope"),
        (&["a nope"], "nope"),
        (&["<end> a"], "<end>"),
        (&["<end> <end>"], "<end>"),
    ] {
        assert!(
            matches!(error("merges", strings(merges)), E::MergeWithoutToken { ref missing, .. } if missing == needed)
        );
    }
    assert!(matches!(error("merges", strings(&["a b", "ab c", "a b"])), E::DuplicateMerge { first: 0, second: 2, .. }));
    assert!(matches!(
        error("bos_token_id", Some(MetadataValue::U32(260))),
        E::IdOutOfRange { id: 260, vocab_size: 260, .. }
    ));
    assert!(matches!(error("bos_token_id", None), E::MissingSpecialId { .. }));
    assert!(matches!(error("eos_token_id", None), E::MissingSpecialId { .. }));

    let replace_last = |replacement: &str| {
        let whole = small_vocabulary("", None);
        let mut tokens = whole.strings("tokenizer.ggml.tokens").expect("tokens").to_vec();
        *tokens.last_mut().expect("not empty") = replacement.into();
        error("tokens", Some(MetadataValue::Array(MetadataArray::String(tokens))))
    };
    assert!(matches!(replace_last(&long), E::SpecialTokenTooLong { id: 259, bytes: 300, .. }));
}

#[test]
fn a_file_without_a_template_says_so() {
    assert!(matches!(ChatTemplate::from_metadata(&small_vocabulary("", None)), Err(TemplateError::Missing)));
    let mut metadata = small_vocabulary("bos_token_id", Some(MetadataValue::U32(999)));
    metadata.insert("tokenizer.chat_template".into(), MetadataValue::String("x".into()));
    assert!(matches!(ChatTemplate::from_metadata(&metadata), Err(TemplateError::IdOutOfRange { id: 999, .. })));
}
