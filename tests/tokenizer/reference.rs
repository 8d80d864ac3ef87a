//! The same ids as Hugging Face's library gives, over many texts.

use std::collections::HashMap;

use lastbit::tokenizer::{SpecialTokens, Tokenizer};
use tokenizers::models::bpe::BPE;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{NormalizerWrapper, SplitDelimiterBehavior};

use super::random_text::RandomText;
use super::vocabularies::{LLAMA3, QWEN3, json_path};
use super::{METADATA, TOKENIZER};

fn check(name: &str, tokenizer: &Tokenizer, reference: &tokenizers::Tokenizer) {
    const COUNT: usize = 100_000;
    let mut random = RandomText(3);
    let mut compared = 0;
    for text in white_space().into_iter().chain((0..COUNT).map(|_| random.text())) {
        // Where a byte has no token, the library joins what stands around it, and llama.cpp does not.
        if tokenizer.missing_bytes(&text) > 0 {
            continue;
        }
        compared += 1;
        let expected = reference.encode(text.as_str(), false).expect("the reference encodes any text");
        assert_eq!(tokenizer.encode(&text, SpecialTokens::Parse), expected.get_ids(), "{name}: {text:?}");
    }
    assert!(compared > COUNT * 9 / 10);
    println!("{name}: {compared} texts compared, all equal");
}

/// Every pair of white spaces between letters, and one of them at the end.
fn white_space() -> Vec<String> {
    let spaces: Vec<char> = (char::MIN..=char::MAX).filter(|c| c.is_whitespace()).collect();
    let pairs = spaces.iter().flat_map(|left| spaces.iter().map(move |right| (left, right)));
    pairs.map(|(left, right)| format!("a{left}{right}b{right}c {left}\n{right}")).collect()
}

#[test]
fn b109_smollm2_ids_equal_the_reference() {
    let tokens = METADATA.strings("tokenizer.ggml.tokens").expect("tokens").iter();
    let vocabulary: HashMap<String, u32> = tokens.map(String::from).zip(0..).collect();
    let merges = METADATA.strings("tokenizer.ggml.merges").expect("merges").iter();
    let merges = merges.filter_map(|merge| merge.split_once(' ')).map(|(left, right)| (left.into(), right.into()));
    let model = BPE::builder()
        .vocab_and_merges(vocabulary.into_iter().collect::<tokenizers::models::bpe::Vocab>(), merges.collect());
    let mut reference = tokenizers::Tokenizer::new(model.build().expect("a valid vocabulary"));
    // The library's own rule of digits knows other characters than its patterns do: another version of Unicode.
    let digit = SplitPattern::Regex(r"\p{N}".into());
    let digits = Split::new(digit, SplitDelimiterBehavior::Isolated, false).expect("a valid pattern");
    let rules = Sequence::new(vec![digits.into(), ByteLevel::new(false, true, true).into()]);
    reference.with_pre_tokenizer(Some(rules));
    check("smollm2", &TOKENIZER, &reference);
}

/// As published, without Unicode normalisation: llama.cpp has none, and neither does this project.
fn published(name: &str) -> tokenizers::Tokenizer {
    let mut reference = tokenizers::Tokenizer::from_file(json_path(name)).expect("a valid file");
    reference.with_normalizer(None::<NormalizerWrapper>).expect("it can be taken away");
    reference
}

#[test]
fn b109_qwen3_ids_equal_the_reference() {
    check("qwen3", &QWEN3, &published("qwen3"));
}

#[test]
fn b109_llama3_ids_equal_the_reference() {
    check("llama3", &LLAMA3, &published("llama3"));
}
