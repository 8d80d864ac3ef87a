//! Byte-level byte-pair encoding of text without special tokens, through the `tokenizers` crate.

use std::collections::HashMap;

use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::{Model, OffsetReferential, OffsetType, PreTokenizedString, PreTokenizer};

use super::vocabulary::char_of_byte;
use super::{TokenId, TokenizerError};

/// Ways of splitting text into words before merging, by their names in `tokenizer.ggml.pre`.
const WORD_RULES: [(&str, WordRule); 1] = [("smollm", WordRule::DigitsThenGpt2)];

/// How text is split into words. Merges never cross a word's border.
#[derive(Debug, Clone, Copy)]
pub(super) enum WordRule {
    /// Each digit alone, and what lies between by GPT-2's pattern.
    DigitsThenGpt2,
}

impl WordRule {
    /// The rule of a name in the file.
    pub(super) fn from_name(name: &str) -> Result<Self, TokenizerError> {
        WORD_RULES.iter().find(|(known, _)| *known == name).map(|(_, rule)| *rule).ok_or_else(|| {
            TokenizerError::UnsupportedPreTokenizer {
                found: name.to_owned(),
                supported: WORD_RULES.map(|(known, _)| known).join(", "),
            }
        })
    }

    /// Splits `text` and spells each word's bytes as characters.
    fn split(self, text: &str) -> tokenizers::Result<PreTokenizedString> {
        let mut words = PreTokenizedString::from(text);
        match self {
            Self::DigitsThenGpt2 => Digits::new(true).pre_tokenize(&mut words)?,
        }
        ByteLevel::new(false, true, true).pre_tokenize(&mut words)?;
        Ok(words)
    }
}

/// Merges and the rule of words.
#[derive(Debug)]
pub(super) struct ByteLevelBpe {
    model: BPE,
    word_rule: WordRule,
    /// Whether a byte has a token of its own. SmolLM2's vocabulary lacks six control characters.
    has_byte: [bool; 256],
}

impl ByteLevelBpe {
    /// Checks that every merge joins two tokens to a third, then builds the model.
    pub(super) fn new(
        tokens: &HashMap<&str, TokenId>,
        merges: &[&str],
        word_rule: WordRule,
    ) -> Result<Self, TokenizerError> {
        let merges = checked_merges(tokens, merges)?;
        let vocabulary: Vocab = tokens.iter().map(|(text, id)| ((*text).to_owned(), *id)).collect();
        let has_byte = char_of_byte().map(|c| tokens.contains_key(c.encode_utf8(&mut [0; 4]) as &str));
        let model = BPE::builder()
            .vocab_and_merges(vocabulary, merges)
            // The cache is per thread and outlives the model; prompts are encoded once.
            .cache_capacity(0)
            .build()
            .map_err(|error| TokenizerError::Refused(error.to_string()))?;
        Ok(Self { model, word_rule, has_byte })
    }

    /// Appends the ids of `text`. Bytes without a token are left out, as by Hugging Face and
    /// llama.cpp ([`Self::missing_bytes`] counts them).
    pub(super) fn encode_into(&self, text: &str, ids: &mut Vec<TokenId>) {
        if text.is_empty() {
            return;
        }
        let words = self.word_rule.split(text).expect("the two splitting rules have no failing case");
        for (word, _, _) in words.get_splits(OffsetReferential::Original, OffsetType::Byte) {
            let tokens = self
                .model
                .tokenize(word)
                .expect("merging fails only for dropout and unknown tokens, and neither is set");
            ids.extend(tokens.into_iter().map(|token| token.id));
        }
    }

    /// How many bytes of `text` have no token.
    pub(super) fn missing_bytes(&self, text: &str) -> usize {
        text.bytes().filter(|byte| !self.has_byte[usize::from(*byte)]).count()
    }
}

/// The merges as pairs, in order of rank. The builder of the `tokenizers` crate may panic on a
/// merge that joins to nothing, so all are checked here first.
fn checked_merges(tokens: &HashMap<&str, TokenId>, merges: &[&str]) -> Result<Vec<(String, String)>, TokenizerError> {
    let mut seen = HashMap::with_capacity(merges.len());
    let mut pairs = Vec::with_capacity(merges.len());
    for (index, &merge) in merges.iter().enumerate() {
        let (left, right) = merge
            .split_once(' ')
            .filter(|(left, right)| !left.is_empty() && !right.is_empty() && !right.contains(' '))
            .ok_or_else(|| TokenizerError::MalformedMerge { index, merge: merge.to_owned() })?;
        let joined = [left, right].concat();
        if let Some(missing) = [left, right, &joined].into_iter().find(|part| !tokens.contains_key(part)) {
            return Err(TokenizerError::MergeWithoutToken {
                index,
                merge: merge.to_owned(),
                missing: missing.to_owned(),
            });
        }
        if let Some(first) = seen.insert(merge, index) {
            return Err(TokenizerError::DuplicateMerge { merge: merge.to_owned(), first, second: index });
        }
        pairs.push((left.to_owned(), right.to_owned()));
    }
    Ok(pairs)
}
