//! Files whose vocabulary is small, incomplete or contradictory.

use lastbit::gguf::{Metadata, MetadataArray, MetadataValue};
use lastbit::tokenizer::{ChatTemplate, SpecialTokens, TemplateError, Tokenizer, TokenizerError};

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
        matches!(error("model", name("llama")), E::UnsupportedModel { ref found, ref supported } if found == "llama" && supported == "gpt2")
    );
    assert!(
        matches!(error("pre", name("qwen2")), E::UnsupportedPreTokenizer { ref found, ref supported } if found == "qwen2" && supported == "smollm")
    );
    for key in ["model", "pre", "tokens", "merges"] {
        assert!(matches!(error(key, None), E::Metadata(_)));
    }
    for key in ["model", "pre", "tokens", "token_type", "merges", "eos_token_id", "add_bos_token"] {
        assert!(matches!(error(key, Some(MetadataValue::F64(0.5))), E::Metadata(_)));
    }
    let mut untyped = small_vocabulary("tokens", strings(&[]));
    assert!(matches!(Tokenizer::from_metadata(&untyped), Err(E::IdOutOfRange { .. })));
    untyped = Metadata::default();
    for (key, value) in
        [("model", name("gpt2")), ("pre", name("smollm")), ("tokens", strings(&[])), ("merges", strings(&[]))]
    {
        untyped.insert(format!("tokenizer.ggml.{key}"), value.expect("given"));
    }
    assert!(matches!(Tokenizer::from_metadata(&untyped), Err(E::NoTokens)));
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
    assert!(matches!(replace_last("ab"), E::DuplicateToken { first: 256, second: 259, .. }));
    assert!(matches!(replace_last(&long), E::SpecialTokenTooLong { id: 259, bytes: 300, .. }));
}

#[test]
fn a_file_without_a_template_says_so() {
    assert!(matches!(ChatTemplate::from_metadata(&small_vocabulary("", None)), Err(TemplateError::Missing)));
    let mut metadata = small_vocabulary("bos_token_id", Some(MetadataValue::U32(999)));
    metadata.insert("tokenizer.chat_template".into(), MetadataValue::String("x".into()));
    assert!(matches!(ChatTemplate::from_metadata(&metadata), Err(TemplateError::IdOutOfRange { id: 999, .. })));
}
