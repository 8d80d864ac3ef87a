//! Finding the text of special tokens in a string.
//!
//! Leftmost match first, then the longest at that place, as Hugging Face's added tokens do.

use std::collections::HashMap;
use std::ops::Range;

use super::TokenId;

/// A longer special token is refused on load, which bounds the work per character of text.
pub(super) const MAX_SPECIAL_TOKEN_BYTES: usize = 256;

/// One special token found in a text.
pub(super) struct SpecialMatch {
    /// Byte range in the text.
    pub(super) range: Range<usize>,
    /// The token's id.
    pub(super) id: TokenId,
}

/// The texts that stand for one id wherever they are recognised.
#[derive(Debug, Default)]
pub(super) struct SpecialMatcher {
    /// Text to id, and whether the text is a control token.
    tokens: HashMap<Box<[u8]>, (TokenId, bool)>,
    /// Every length that occurs, in bytes, longest first.
    lengths: Vec<usize>,
    /// Bytes that a special token can start with.
    first_bytes: Vec<u8>,
}

impl SpecialMatcher {
    /// Adds a token; the first of two with one text stays. Control tokens match only where the caller allows; the others (user-defined
    /// ones, for instance runs of spaces) match everywhere.
    pub(super) fn insert(&mut self, text: &str, id: TokenId, is_control: bool) {
        let Some(&first) = text.as_bytes().first() else {
            return; // an empty text would match everywhere
        };
        if !self.first_bytes.contains(&first) {
            self.first_bytes.push(first);
        }
        if let Err(place) = self.lengths.binary_search_by(|length| text.len().cmp(length)) {
            self.lengths.insert(place, text.len());
        }
        self.tokens.entry(text.as_bytes().into()).or_insert((id, is_control));
    }

    /// Whether this text is that of a control token.
    pub(super) fn is_control(&self, text: &str) -> bool {
        self.tokens.get(text.as_bytes()).is_some_and(|(_, is_control)| *is_control)
    }

    /// The first match at or after byte `from`. `control_allowed` is asked for each control token
    /// found whether that place of the text may hold one.
    pub(super) fn find(
        &self,
        text: &[u8],
        from: usize,
        control_allowed: &dyn Fn(&Range<usize>) -> bool,
    ) -> Option<SpecialMatch> {
        (from..text.len()).filter(|&start| self.first_bytes.contains(&text[start])).find_map(|start| {
            self.lengths.iter().find_map(|length| {
                let range = start..start + length;
                let &(id, is_control) = self.tokens.get(text.get(range.clone())?)?;
                let allowed = !is_control || control_allowed(&range);
                allowed.then_some(SpecialMatch { range, id })
            })
        })
    }
}
