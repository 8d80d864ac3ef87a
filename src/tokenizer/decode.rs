//! Text from ids as they come, a whole character at a time.

use std::sync::Arc;

use super::TokenId;
use super::vocabulary::Vocabulary;

/// Turns one id after another into text. A character whose bytes are spread over several tokens
/// appears with the token that completes it.
///
/// All strings returned, joined, equal `String::from_utf8_lossy` of the bytes of all ids: bytes
/// that can never become a character appear as U+FFFD at once.
#[derive(Debug, Clone)]
pub struct DecodeStream {
    vocabulary: Arc<Vocabulary>,
    /// The bytes of a character that is not complete yet: at most three.
    unfinished: Vec<u8>,
}

impl DecodeStream {
    pub(super) fn new(vocabulary: Arc<Vocabulary>) -> Self {
        Self { vocabulary, unfinished: Vec::new() }
    }

    /// Adds one id; returns the text that is certain now, possibly none.
    pub fn push(&mut self, id: TokenId) -> String {
        self.unfinished.extend_from_slice(self.vocabulary.bytes(id));
        let mut text = String::new();
        let mut rest = self.unfinished.as_slice();
        loop {
            match std::str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    rest = &[];
                    break;
                }
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    text.push_str(&String::from_utf8_lossy(valid));
                    match error.error_len() {
                        Some(invalid) => {
                            text.push(char::REPLACEMENT_CHARACTER);
                            rest = &after[invalid..];
                        }
                        None => {
                            rest = after; // the beginning of a character
                            break;
                        }
                    }
                }
            }
        }
        self.unfinished = rest.to_vec();
        text
    }

    /// Ends the stream: U+FFFD for a character that never came to its end, else nothing.
    pub fn finish(self) -> String {
        String::from_utf8_lossy(&self.unfinished).into_owned()
    }
}
