//! TextIndex: which id a text has, found by hashing, without a copy of any text.

use std::hash::{BuildHasher, RandomState};

use super::TokenId;
use crate::gguf::Texts;

/// A slot that holds no id.
const EMPTY: TokenId = TokenId::MAX;

/// Ids by their texts, which it shares with the file's header: a table of open addresses. A map of texts would take several times as much.
#[derive(Debug)]
pub(super) struct TextIndex {
    texts: Texts,
    /// A power of two, at least twice as many as there are texts.
    slots: Vec<TokenId>,
    /// Seeded anew each time, so that no file can be made whose texts all fall into one place.
    hasher: RandomState,
}

impl TextIndex {
    /// Of some of the ids, each with the text at its place. The first of several with one text is the one that the text gets.
    pub(super) fn new(texts: &Texts, ids: impl Iterator<Item = TokenId>) -> Self {
        let n_slots = (2 * texts.len()).next_power_of_two().max(2);
        let mut index = Self { texts: texts.clone(), slots: vec![EMPTY; n_slots], hasher: RandomState::new() };
        for id in ids {
            let slot = index.slot(texts[id as usize].as_bytes());
            if index.slots[slot] == EMPTY {
                index.slots[slot] = id;
            }
        }
        index
    }

    /// The id that has this text.
    pub(super) fn id(&self, text: &[u8]) -> Option<TokenId> {
        let id = self.slots[self.slot(text)];
        (id != EMPTY).then_some(id)
    }

    /// The slot of this text, or the empty one where it would stand.
    fn slot(&self, text: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.hasher.hash_one(text) as usize & mask;
        while self.slots[slot] != EMPTY && self.texts[self.slots[slot] as usize].as_bytes() != text {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_is_found_and_the_first_of_equal_ones_stays() {
        let texts: Texts = (0..5000).map(|n| (n % 4000).to_string()).collect();
        let index = TextIndex::new(&texts, (0..5000).filter(|id| *id != 7));
        for (id, text) in (0..4000).zip(texts.iter()) {
            let expected = if id == 7 { 4007 } else { id };
            assert_eq!(index.id(text.as_bytes()), Some(expected));
        }
        assert_eq!(index.id(b"4000"), None);
        assert_eq!(TextIndex::new(&Texts::default(), 0..0).id(b""), None);
    }
}
