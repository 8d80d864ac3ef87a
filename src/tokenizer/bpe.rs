//! Byte-level byte-pair encoding (`gpt2`) of text without special tokens.

use std::collections::HashMap;

use super::merge::{Symbol, merge_all, push_symbol};
use super::text_index::TextIndex;
use super::vocabulary::char_of_byte;
use super::words::WordRule;
use super::{TokenId, TokenizerError};
use crate::gguf::{Texts, limits};

/// Two tokens to their merge's rank (lowest first) and what they become.
type Merges = HashMap<(TokenId, TokenId), (u32, TokenId)>;

/// Merges and the rule of words.
#[derive(Debug)]
pub(super) struct ByteLevelBpe {
    merges: Merges,
    rule: WordRule,
    /// Words that are tokens whatever merging would give, spelled in byte letters; none where the rule has no such.
    whole_words: Option<TextIndex>,
    /// The letter of each byte.
    letters: Vec<char>,
    /// The token of each byte. SmolLM2's vocabulary lacks six control characters.
    byte_ids: [Option<TokenId>; 256],
}

impl ByteLevelBpe {
    /// Checks that every merge joins two tokens to a third.
    pub(super) fn new(tokens: TextIndex, merges: &Texts, rule: WordRule) -> Result<Self, TokenizerError> {
        let letters = char_of_byte();
        let byte_ids = letters.map(|letter| tokens.id(letter.encode_utf8(&mut [0; 4]).as_bytes()));
        let merges = ranked_merges(&tokens, merges)?;
        let whole_words = rule.whole_words.then_some(tokens);
        Ok(Self { merges, rule, whole_words, letters: letters.to_vec(), byte_ids })
    }

    /// Appends the ids of `text`. Bytes without a token are left out, as by Hugging Face and llama.cpp
    /// ([`Self::missing_bytes`] counts them); each byte that is not UTF-8 is read as U+FFFD, as by llama.cpp.
    pub(super) fn encode_into(&self, text: &[u8], ids: &mut Vec<TokenId>) {
        let mut valid = String::with_capacity(text.len());
        for chunk in text.utf8_chunks() {
            valid.push_str(chunk.valid());
            valid.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
        }
        let mut symbols = Vec::new();
        self.rule.split(&valid, &mut |word| {
            if let Some(id) = self.whole_word(word) {
                ids.push(id);
                return;
            }
            symbols.clear();
            word.bytes().for_each(|byte| push_symbol(&mut symbols, 1, self.byte_ids[usize::from(byte)]));
            merge_all(&mut symbols, |left: &Symbol, right: &Symbol| self.merges.get(&(left.id?, right.id?)).copied());
            ids.extend(symbols.iter().filter_map(|symbol| symbol.id));
        });
    }

    /// The token that a word is whatever merging would give.
    fn whole_word(&self, word: &str) -> Option<TokenId> {
        let tokens = self.whole_words.as_ref()?;
        let spelled: String = word.bytes().map(|byte| self.letters[usize::from(byte)]).collect();
        tokens.id(spelled.as_bytes())
    }

    /// How many bytes of `text` have no token.
    pub(super) fn missing_bytes(&self, text: &[u8]) -> usize {
        text.iter().filter(|byte| self.byte_ids[usize::from(**byte)].is_none()).count()
    }
}

/// The merges by the ids of their parts.
fn ranked_merges(tokens: &TextIndex, merges: &Texts) -> Result<Merges, TokenizerError> {
    if merges.len() > limits::MERGES {
        return Err(TokenizerError::TooManyMerges { count: merges.len(), limit: limits::MERGES });
    }
    let mut ranked = HashMap::with_capacity(merges.len());
    let mut joined = String::new();
    for (index, merge) in merges.iter().enumerate() {
        let (left, right) = merge
            .split_once(' ')
            .filter(|(left, right)| !left.is_empty() && !right.is_empty() && !right.contains(' '))
            .ok_or_else(|| TokenizerError::MalformedMerge { index, merge: merge.to_owned() })?;
        joined.clear();
        joined.push_str(left);
        joined.push_str(right);
        let id = |part: &str| {
            tokens.id(part.as_bytes()).ok_or_else(|| TokenizerError::MergeWithoutToken {
                index,
                merge: merge.to_owned(),
                missing: part.to_owned(),
            })
        };
        let (pair, becomes) = ((id(left)?, id(right)?), id(&joined)?);
        if let Some((first, _)) = ranked.insert(pair, (index as u32, becomes)) {
            return Err(TokenizerError::DuplicateMerge {
                merge: merge.to_owned(),
                first: first as usize,
                second: index,
            });
        }
    }
    Ok(ranked)
}
