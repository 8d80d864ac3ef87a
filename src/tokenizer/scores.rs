//! Vocabularies with scores (`llama`, from SentencePiece): the pair whose token has the highest score is joined first,
//! and characters without a token are written as bytes. The algorithm is llama.cpp's, ties included.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::TokenId;
use super::merge::{Symbol, merge_all, push_symbol};
use super::vocabulary::{SPACE, TokenKind, byte_of_name};

/// Tokens with their scores.
#[derive(Debug)]
pub(super) struct ScoredVocabulary {
    /// Text to its place in the order of joining, the highest score first, and its id.
    tokens: HashMap<Box<[u8]>, (Reverse<i32>, TokenId)>,
    /// The token of each byte.
    byte_ids: [Option<TokenId>; 256],
    /// What stands for a byte without a token.
    unknown: Option<TokenId>,
    /// No token has a space after another character, so that words can be encoded one by one.
    words_apart: bool,
}

impl ScoredVocabulary {
    /// Takes texts, kinds and scores, one of each per id. The lower of two ids with one text is the one that text gets.
    pub(super) fn new(texts: &[&str], kinds: &[TokenKind], scores: &[f32], unknown: Option<TokenId>) -> Self {
        let mut tokens = HashMap::with_capacity(texts.len());
        let mut byte_ids = [None; 256];
        let mut words_apart = true;
        for (((id, text), kind), score) in (0..).zip(texts).zip(kinds).zip(scores) {
            match kind {
                TokenKind::Byte => {
                    if let Some(byte) = byte_of_name(text) {
                        byte_ids[usize::from(byte)].get_or_insert(id);
                    }
                }
                // The text of a control token must not come together from pieces.
                TokenKind::Control | TokenKind::Unknown => {}
                TokenKind::Normal | TokenKind::UserDefined | TokenKind::Unused => {
                    words_apart &= !text.trim_start_matches(SPACE).contains(SPACE);
                    tokens.entry(text.as_bytes().into()).or_insert((Reverse(ordered(*score)), id));
                }
            }
        }
        Self { tokens, byte_ids, unknown, words_apart }
    }

    /// Appends the ids of `text`, after one more space if `space_first`. Bytes that are not UTF-8 are encoded as bytes.
    pub(super) fn encode_into(&self, text: &[u8], space_first: bool, ids: &mut Vec<TokenId>) {
        let mut space = [0; 4];
        let space = SPACE.encode_utf8(&mut space).as_bytes();
        let mut word = Vec::with_capacity(text.len() + space.len());
        let mut symbols = Vec::new();
        let mut after_space = true;
        let first = space_first.then_some(space);
        for character in first.into_iter().chain(characters(text)) {
            let character = if character == b" " { space } else { character };
            let is_space = character == space;
            if self.words_apart && is_space && !after_space {
                self.encode_word(&word, &mut symbols, ids);
                word.clear();
            }
            word.extend_from_slice(character);
            push_symbol(&mut symbols, character.len(), self.tokens.get(character).map(|(_, id)| *id));
            after_space = is_space;
        }
        self.encode_word(&word, &mut symbols, ids);
    }

    /// Joins the symbols of `word`, appends their ids and leaves no symbol.
    fn encode_word(&self, word: &[u8], symbols: &mut Vec<Symbol>, ids: &mut Vec<TokenId>) {
        merge_all(symbols, |left, right| self.tokens.get(&word[left.range().start..right.range().end]).copied());
        for symbol in symbols.drain(..) {
            match symbol.id {
                Some(id) => ids.push(id),
                None => ids.extend(word[symbol.range()].iter().filter_map(|byte| self.byte_id(*byte))),
            }
        }
    }

    fn byte_id(&self, byte: u8) -> Option<TokenId> {
        self.byte_ids[usize::from(byte)].or(self.unknown)
    }

    /// How many bytes of `text` have no token, no character with a token around them, and no unknown token either.
    pub(super) fn missing_bytes(&self, text: &[u8]) -> usize {
        characters(text)
            .filter(|character| *character != b" " && !self.tokens.contains_key(*character))
            .flatten()
            .filter(|byte| self.byte_id(**byte).is_none())
            .count()
    }
}

/// The characters of a text one by one, and each byte that is part of none.
fn characters(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid();
        let characters = valid.char_indices().map(|(at, c)| &valid.as_bytes()[at..at + c.len_utf8()]);
        characters.chain(chunk.invalid().chunks(1))
    })
}

/// A score as a number with a total order; zero has one sign.
fn ordered(score: f32) -> i32 {
    let bits = (score + 0.0).to_bits() as i32;
    bits ^ (((bits >> 31) as u32) >> 1) as i32
}
