//! Vocabularies with scores (`llama`, from SentencePiece): the pair whose token has the highest score is joined first,
//! and characters without a token are written as bytes. The algorithm is llama.cpp's, ties included.

use std::cmp::Reverse;

use super::TokenId;
use super::merge::{Symbol, merge_all, push_symbol};
use super::text_index::TextIndex;
use super::vocabulary::{SPACE, TokenKind, byte_of_name};
use crate::gguf::Texts;

/// Tokens with their scores.
#[derive(Debug)]
pub(super) struct ScoredVocabulary {
    /// The id of each text that can come together from pieces.
    index: TextIndex,
    /// The place of each id in the order of joining: the highest score first.
    order: Vec<Reverse<i32>>,
    /// The token of each byte.
    byte_ids: [Option<TokenId>; 256],
    /// What stands for a byte without a token.
    unknown: Option<TokenId>,
    /// No token has a space after another character, so that words can be encoded one by one.
    words_apart: bool,
}

impl ScoredVocabulary {
    /// Takes texts, kinds and scores, one of each per id. The lower of two ids with one text is the one that text gets.
    pub(super) fn new(texts: &Texts, kinds: &[TokenKind], scores: &[f32], unknown: Option<TokenId>) -> Self {
        let joined = |kind: &TokenKind| matches!(kind, TokenKind::Normal | TokenKind::UserDefined | TokenKind::Unused);
        let mut byte_ids = [None; 256];
        let mut words_apart = true;
        for ((id, text), kind) in (0..).zip(texts.iter()).zip(kinds) {
            if joined(kind) {
                words_apart &= !text.trim_start_matches(SPACE).contains(SPACE);
            } else if *kind == TokenKind::Byte
                && let Some(byte) = byte_of_name(text)
            {
                byte_ids[usize::from(byte)].get_or_insert(id);
            }
        }
        // The text of a control token must not come together from pieces.
        let ids = (0..).zip(kinds).filter(|(_, kind)| joined(kind)).map(|(id, _)| id);
        let order = scores.iter().map(|score| Reverse(ordered(*score))).collect();
        Self { index: TextIndex::new(texts, ids), order, byte_ids, unknown, words_apart }
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
            push_symbol(&mut symbols, character.len(), self.index.id(character));
            after_space = is_space;
        }
        self.encode_word(&word, &mut symbols, ids);
    }

    /// Joins the symbols of `word`, appends their ids and leaves no symbol.
    fn encode_word(&self, word: &[u8], symbols: &mut Vec<Symbol>, ids: &mut Vec<TokenId>) {
        let joined = |left: &Symbol, right: &Symbol| {
            let id = self.index.id(&word[left.range().start..right.range().end])?;
            Some((self.order[id as usize], id))
        };
        merge_all(symbols, joined);
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
            .filter(|character| *character != b" " && self.index.id(character).is_none())
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
