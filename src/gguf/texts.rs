//! Texts and ByteStrings: the strings of an array, packed one behind the other.
//!
//! A vocabulary has hundreds of thousands of strings of a few bytes: an allocation for each would take several times what stands in the file.
//! They lie in chunks, since one buffer for all would lie there twice whenever it grows.

use std::ops::{Index, Range};
use std::sync::Arc;

/// A chunk takes no more strings than that; one that is longer has a chunk of its own.
const CHUNK_BYTES: usize = 1 << 20;

/// Many texts, packed; clones share them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts(Arc<Packed<String>>);

/// Many strings of any bytes, packed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByteStrings(Packed<Vec<u8>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Packed<Chunk> {
    chunks: Vec<Chunk>,
    /// Where each string begins: the number of its chunk times [`CHUNK_BYTES`], and the place in it, which is less.
    starts: Vec<u32>,
}

impl Texts {
    /// Adds a text at the end.
    ///
    /// # Panics
    /// When all texts together come near 4 GiB.
    pub fn push(&mut self, text: &str) {
        Arc::make_mut(&mut self.0).chunk_for(text.len(), String::with_capacity).push_str(text);
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.0.starts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all texts together.
    pub fn len_bytes(&self) -> usize {
        self.0.chunks.iter().map(String::len).sum()
    }

    /// The text at a place.
    pub fn get(&self, index: usize) -> Option<&str> {
        let (chunk, range) = self.0.place(index)?;
        Some(&chunk[range])
    }

    /// All texts in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        (0..self.len()).map(|index| &self[index])
    }

    /// The same as strings of bytes, without a copy where no clone shares them.
    pub(super) fn into_byte_strings(self) -> ByteStrings {
        let Packed { chunks, starts } = Arc::unwrap_or_clone(self.0);
        ByteStrings(Packed { chunks: chunks.into_iter().map(String::into_bytes).collect(), starts })
    }
}

impl Index<usize> for Texts {
    type Output = str;

    fn index(&self, index: usize) -> &str {
        let n = self.len();
        self.get(index).unwrap_or_else(|| panic!("text {index} of {n}"))
    }
}

impl<T: AsRef<str>> FromIterator<T> for Texts {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Texts {
        let mut all = Texts::default();
        texts.into_iter().for_each(|text| all.push(text.as_ref()));
        all
    }
}

impl ByteStrings {
    /// Adds a string at the end.
    ///
    /// # Panics
    /// When all strings together come near 4 GiB.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.chunk_for(bytes.len(), Vec::with_capacity).extend_from_slice(bytes);
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.0.starts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All strings in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> + Clone {
        (0..self.len()).map(|index| self.0.place(index).map_or(&[][..], |(chunk, range)| &chunk[range]))
    }
}

impl<Chunk> Default for Packed<Chunk> {
    fn default() -> Self {
        Self { chunks: Vec::new(), starts: Vec::new() }
    }
}

impl<Chunk: AsRef<[u8]>> Packed<Chunk> {
    /// The chunk at whose end the next string, of so many bytes, is to be added.
    fn chunk_for(&mut self, len_bytes: usize, with_capacity: fn(usize) -> Chunk) -> &mut Chunk {
        let has_room = |len: usize| len < CHUNK_BYTES && len + len_bytes <= CHUNK_BYTES;
        if !self.chunks.last().is_some_and(|chunk| has_room(chunk.as_ref().len())) {
            // The first grows with what comes: most arrays are small.
            let capacity = if self.chunks.is_empty() { 0 } else { len_bytes.max(CHUNK_BYTES) };
            self.chunks.push(with_capacity(capacity));
        }
        let number = self.chunks.len() - 1;
        let start = number * CHUNK_BYTES + self.chunks[number].as_ref().len();
        if self.starts.len() == self.starts.capacity() {
            // Doubled while it is small; later by a quarter, which leaves little unused.
            let len = self.starts.len();
            self.starts.reserve_exact(if len < CHUNK_BYTES { len.max(4) } else { len / 4 });
        }
        self.starts.push(u32::try_from(start).expect("the strings of an array have less than 4 GiB"));
        &mut self.chunks[number]
    }

    /// Where a string lies.
    fn place(&self, index: usize) -> Option<(&Chunk, Range<usize>)> {
        let number_and_place = |start: &u32| (*start as usize / CHUNK_BYTES, *start as usize % CHUNK_BYTES);
        let (number, start) = number_and_place(self.starts.get(index)?);
        let chunk = &self.chunks[number];
        let end = match self.starts.get(index + 1).map(number_and_place) {
            Some((next, end)) if next == number => end,
            _ => chunk.as_ref().len(),
        };
        Some((chunk, start..end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn come_back(expected: &[&str]) {
        let texts: Texts = expected.iter().collect();
        assert_eq!((texts.len(), texts.is_empty()), (expected.len(), expected.is_empty()));
        assert!(texts.iter().eq(expected.iter().copied()));
        assert_eq!(texts.get(expected.len()), None);
        assert_eq!(texts.len_bytes(), expected.iter().map(|text| text.len()).sum::<usize>());
        let bytes = texts.clone().into_byte_strings();
        assert!(bytes.iter().eq(expected.iter().map(|text| text.as_bytes())));
        assert!(texts.iter().eq(expected.iter().copied()), "a clone changes nothing");
    }

    #[test]
    fn texts_come_back_as_they_went_in() {
        for n in 0..12 {
            let some = ["", "a", "\u{e9}\u{1f600}", "", "long enough to be longer"];
            come_back(&some.iter().cycle().take(n).copied().collect::<Vec<_>>());
        }
    }

    #[test]
    fn chunks_end_where_they_must() {
        let [whole, less, more] = [0, -1, 1].map(|more| "x".repeat(CHUNK_BYTES.saturating_add_signed(more)));
        for long in [&whole, &less, &more] {
            come_back(&[long, "", "a", long, long, "", "", "b"]);
            come_back(&["a", long, "", long]);
            come_back(&["", long, "a"]);
        }
        let many: Vec<String> = (0..400_000).map(|n| n.to_string()).collect();
        come_back(&many.iter().map(String::as_str).collect::<Vec<_>>());
    }
}
