//! Byte-level byte-pair encoding (`gpt2`) of text without special tokens.

use std::collections::HashMap;

use super::merge::{Symbol, merge_all, push_symbol};
use super::vocabulary::{byte_of_char, char_of_byte};
use super::words::WordRule;
use super::{TokenId, TokenizerError};

/// Two tokens to their merge's rank (lowest first) and what they become.
type Merges = HashMap<(TokenId, TokenId), (u32, TokenId)>;

/// Merges and the rule of words.
#[derive(Debug)]
pub(super) struct ByteLevelBpe {
    merges: Merges,
    rule: WordRule,
    /// Words that are tokens whatever merging would give, by their bytes; empty where the rule has no such.
    whole_words: HashMap<Vec<u8>, TokenId>,
    /// The token of each byte. SmolLM2's vocabulary lacks six control characters.
    byte_ids: [Option<TokenId>; 256],
}

impl ByteLevelBpe {
    /// Checks that every merge joins two tokens to a third.
    pub(super) fn new(
        tokens: &HashMap<&str, TokenId>,
        merges: &[&str],
        rule: WordRule,
    ) -> Result<Self, TokenizerError> {
        let byte_ids = char_of_byte().map(|c| tokens.get(c.encode_utf8(&mut [0; 4]) as &str).copied());
        let mut whole_words = HashMap::new();
        if rule.whole_words {
            let byte_of_char = byte_of_char();
            let spelled = |text: &str| text.chars().map(|c| byte_of_char.get(&c).copied()).collect::<Option<Vec<u8>>>();
            whole_words.extend(tokens.iter().filter_map(|(text, id)| Some((spelled(text)?, *id))));
        }
        Ok(Self { merges: ranked_merges(tokens, merges)?, rule, whole_words, byte_ids })
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
            if let Some(id) = self.whole_words.get(word.as_bytes()) {
                ids.push(*id);
                return;
            }
            symbols.clear();
            word.bytes().for_each(|byte| push_symbol(&mut symbols, 1, self.byte_ids[usize::from(byte)]));
            merge_all(&mut symbols, |left: &Symbol, right: &Symbol| self.merges.get(&(left.id?, right.id?)).copied());
            ids.extend(symbols.iter().filter_map(|symbol| symbol.id));
        });
    }

    /// How many bytes of `text` have no token.
    pub(super) fn missing_bytes(&self, text: &[u8]) -> usize {
        text.iter().filter(|byte| self.byte_ids[usize::from(**byte)].is_none()).count()
    }
}

/// The merges by the ids of their parts.
fn ranked_merges(tokens: &HashMap<&str, TokenId>, merges: &[&str]) -> Result<Merges, TokenizerError> {
    let mut ranked = HashMap::with_capacity(merges.len());
    let mut joined = String::new();
    for (index, &merge) in merges.iter().enumerate() {
        let (left, right) = merge
            .split_once(' ')
            .filter(|(left, right)| !left.is_empty() && !right.is_empty() && !right.contains(' '))
            .ok_or_else(|| TokenizerError::MalformedMerge { index, merge: merge.to_owned() })?;
        joined.clear();
        joined.push_str(left);
        joined.push_str(right);
        let id = |part: &str| {
            tokens.get(part).copied().ok_or_else(|| TokenizerError::MergeWithoutToken {
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
