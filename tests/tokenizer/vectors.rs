//! Ids that llama.cpp made, for every vocabulary at hand.

use std::path::Path;

use lastbit::tokenizer::{SpecialTokens, TokenId, Tokenizer};

use super::vocabularies::{GEMMA, LLAMA3, QWEN3, conformance};
use super::{TOKENIZER, bytes_from_hex, ids, list, oracle, read_metadata, text};

fn check_oracle(tokenizer: &Tokenizer, name: &str) {
    let oracle = oracle(name);
    let strings = list(&oracle["strings"]);
    assert_eq!(strings.len(), 68);
    for case in strings {
        let input = text(&case["text"]);
        let special = tokenizer.encode(input, SpecialTokens::Parse);
        assert_eq!(special, ids(&case["special"]), "{input:?}, special tokens parsed");
        assert_eq!(tokenizer.encode(input, SpecialTokens::Literal), ids(&case["plain"]), "{input:?}, as text");
        let prompt = tokenizer.encode_prompt(input, SpecialTokens::Parse);
        assert_eq!(prompt, ids(&case["with_add_special"]), "{input:?}, as a prompt");
        assert_eq!(tokenizer.decode_whole(&special), bytes_from_hex(&case["detok_hex"]), "{input:?}, decoded");
    }
    let invalid = list(&oracle["invalid_utf8"]);
    assert_eq!(invalid.len(), 5);
    for case in invalid {
        let bytes = bytes_from_hex(&case["bytes_hex"]);
        assert_eq!(tokenizer.encode_bytes(&bytes, SpecialTokens::Literal), ids(&case["plain"]), "{bytes:02X?}");
    }
    println!("{name}: {} strings, each in 4 ways, and {} of invalid UTF-8 equal", strings.len(), invalid.len());
}

#[test]
fn b107_smollm2_ids_and_bytes_equal_llama_cpp() {
    check_oracle(&TOKENIZER, "smollm2.tokens.json");
}

#[test]
fn b107_gemma_ids_and_bytes_equal_llama_cpp() {
    check_oracle(&GEMMA, "gemma3.tokens.json");
}

#[test]
fn gemma_conversations_have_llama_cpps_ids() {
    let oracle = oracle("gemma3.chat.json");
    for case in list(&oracle["cases"]) {
        let rendered = text(&case["llama_cpp_builtin_gemma"]);
        assert_eq!(GEMMA.encode_prompt(rendered, SpecialTokens::Parse), ids(&case["ids"]), "{rendered:?}");
    }
}

/// The texts of llama.cpp's own vectors.
fn texts(folder: &Path) -> Vec<String> {
    let all = std::fs::read_to_string(folder.join("texts.inp")).expect("the vectors are there");
    let texts: Vec<String> = all.split_terminator("\n__ggml_vocab_test__\n").map(str::to_owned).collect();
    assert_eq!(texts.len(), 46);
    texts
}

fn check_texts(folder: &Path, name: &str, tokenizer: &Tokenizer) {
    let expected = std::fs::read_to_string(folder.join(format!("{name}.out"))).expect("the vectors are there");
    let texts = texts(folder);
    assert_eq!(expected.lines().count(), texts.len());
    for (input, line) in texts.iter().zip(expected.lines()) {
        let expected: Vec<TokenId> = line.split_whitespace().map(|id| id.parse().expect("an id")).collect();
        assert_eq!(tokenizer.encode(input, SpecialTokens::Literal), expected, "{name}: {input:?}");
        assert_eq!(tokenizer.decode_whole(&expected), input.as_bytes(), "{name}: {input:?} decoded");
    }
    println!("{name}: {} texts equal", texts.len());
}

#[test]
fn b085_the_vectors_with_a_vocabulary_are_equal() {
    let Some(folder) = conformance("b085_the_vectors_with_a_vocabulary_are_equal") else { return };
    let folder = folder.join("vocab");
    for name in ["gpt-2", "llama-spm", "starcoder", "mpt"] {
        let metadata = read_metadata(&folder.join(format!("{name}.gguf")));
        let tokenizer = Tokenizer::from_metadata(&metadata).expect("a valid vocabulary");
        assert!(tokenizer.report().proven, "{name}");
        check_texts(&folder, name, &tokenizer);
    }
}

#[test]
fn b085_the_vectors_of_qwen_and_llama_3_are_equal() {
    let Some(folder) = conformance("b085_the_vectors_of_qwen_and_llama_3_are_equal") else { return };
    check_texts(&folder.join("vocab"), "qwen2", &QWEN3);
    check_texts(&folder.join("vocab"), "llama-bpe", &LLAMA3);
}
