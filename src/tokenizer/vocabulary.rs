//! The list of tokens: for each id what kind it is and which bytes it stands for.

use super::special::{MAX_SPECIAL_TOKEN_BYTES, SpecialMatcher};
use super::text_index::TextIndex;
use super::{TokenId, TokenizerError};
use crate::gguf::{Texts, limits};

/// What tokens of vocabularies with scores have in place of a space: U+2581.
pub(super) const SPACE: char = '\u{2581}';

/// What an id outside the vocabulary decodes to: U+FFFD.
const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();

/// GGUF's token types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Normal,
    Unknown,
    /// Never made from text that a person typed.
    Control,
    /// A text that is always one token.
    UserDefined,
    Unused,
    Byte,
}

impl TokenKind {
    /// The kind of a number in `tokenizer.ggml.token_type`.
    pub(super) fn from_number(number: i32) -> Option<Self> {
        Some(match number {
            1 => Self::Normal,
            2 => Self::Unknown,
            3 => Self::Control,
            4 => Self::UserDefined,
            5 => Self::Unused,
            6 => Self::Byte,
            _ => return None,
        })
    }

    /// Whether only the template may produce this token.
    pub(super) fn is_control(self) -> bool {
        matches!(self, Self::Control | Self::Unknown)
    }
}

/// How the text of an ordinary token spells bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Each byte is a visible character ([`char_of_byte`]).
    ByteLevel,
    /// As it is, with [`SPACE`] for a space; tokens of single bytes are named `<0x0A>`.
    Scored,
}

/// All tokens. Bytes lie one after another in one buffer.
#[derive(Debug)]
pub(super) struct Vocabulary {
    bytes: Vec<u8>,
    /// Where the bytes of each id end.
    ends: Vec<u32>,
    kinds: Vec<TokenKind>,
}

impl Vocabulary {
    /// Reads the texts of all ids; `kinds` has one entry per text.
    pub(super) fn new(texts: &Texts, kinds: Vec<TokenKind>, spelling: Spelling) -> Result<Self, TokenizerError> {
        let mut bytes = Vec::with_capacity(texts.len_bytes());
        let mut ends = Vec::with_capacity(texts.len());
        let byte_of_char = byte_of_char();
        let end = |bytes: &Vec<u8>| u32::try_from(bytes.len()).expect("no more bytes than the texts have");
        for (id, (text, kind)) in texts.iter().zip(&kinds).enumerate() {
            let is_text = matches!(kind, TokenKind::Control | TokenKind::Unknown | TokenKind::UserDefined);
            if is_text && text.len() > MAX_SPECIAL_TOKEN_BYTES {
                return Err(TokenizerError::SpecialTokenTooLong {
                    id,
                    bytes: text.len(),
                    limit: MAX_SPECIAL_TOKEN_BYTES,
                });
            }
            let byte = byte_of_name(text).filter(|_| *kind == TokenKind::Byte);
            match (spelling, byte) {
                _ if is_text => bytes.extend_from_slice(text.as_bytes()),
                (Spelling::ByteLevel, _) if text.chars().all(|c| byte_of_char(c).is_some()) => {
                    bytes.extend(text.chars().filter_map(&byte_of_char));
                }
                // Special tokens, and ordinary ones outside the byte alphabet, stand for their text.
                (Spelling::ByteLevel, _) => bytes.extend_from_slice(text.as_bytes()),
                (Spelling::Scored, Some(byte)) => bytes.push(byte),
                (Spelling::Scored, None) if *kind == TokenKind::Byte => bytes.extend_from_slice(text.as_bytes()),
                (Spelling::Scored, None) => {
                    let pieces = text.split(SPACE).enumerate();
                    pieces.for_each(|(place, piece)| {
                        bytes.extend_from_slice(if place == 0 { b"" } else { b" " });
                        bytes.extend_from_slice(piece.as_bytes());
                    });
                }
            }
            ends.push(end(&bytes));
        }
        Ok(Self { bytes, ends, kinds })
    }

    /// The bytes that an id stands for; U+FFFD for an id outside the vocabulary.
    pub(super) fn bytes(&self, id: TokenId) -> &[u8] {
        let id = id as usize;
        let Some(&end) = self.ends.get(id) else {
            return REPLACEMENT;
        };
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.bytes[start as usize..end as usize]
    }

    /// Whether an id is a control token.
    pub(super) fn is_control(&self, id: TokenId) -> bool {
        self.kinds.get(id as usize).is_some_and(|kind| kind.is_control())
    }

    /// Number of ids.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The texts to recognise as one token each.
    pub(super) fn special_matcher(&self, texts: &Texts) -> SpecialMatcher {
        let mut matcher = SpecialMatcher::default();
        for ((id, text), kind) in (0..).zip(texts.iter()).zip(&self.kinds) {
            if kind.is_control() || *kind == TokenKind::UserDefined {
                matcher.insert(text, id, kind.is_control());
            }
        }
        matcher
    }

    /// The texts that merging may produce, with their ids. The lower of two ids with one text is the one that text gets.
    pub(super) fn mergeable(&self, texts: &Texts) -> TextIndex {
        let ids = (0..).zip(&self.kinds).filter(|(_, kind)| !kind.is_control()).map(|(id, _)| id);
        TextIndex::new(texts, ids)
    }

    /// The kind of each id.
    pub(super) fn kinds(&self) -> &[TokenKind] {
        &self.kinds
    }
}

/// Refuses an empty list, and one that is too long for what follows.
pub(super) fn check_size(texts: &Texts) -> Result<(), TokenizerError> {
    match (texts.len(), texts.len_bytes()) {
        (0, _) => Err(TokenizerError::NoTokens),
        (count, _) if count > limits::TOKENS => Err(TokenizerError::TooManyTokens { count, limit: limits::TOKENS }),
        (_, bytes) if bytes > limits::TOKEN_TEXT_BYTES => {
            Err(TokenizerError::TextsTooLong { bytes, limit: limits::TOKEN_TEXT_BYTES })
        }
        _ => Ok(()),
    }
}

/// The byte that a name such as `<0x0A>` stands for.
pub(super) fn byte_of_name(name: &str) -> Option<u8> {
    let digits = name.strip_prefix("<0x")?.strip_suffix('>')?;
    let is_hex = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then(|| u8::from_str_radix(digits, 16).ok())?
}

/// GPT-2's spelling of bytes as visible characters: printable Latin-1 stands for itself, the
/// other bytes for U+0100 and up, in order.
pub(super) fn char_of_byte() -> [char; 256] {
    let mut next = '\u{100}'..;
    std::array::from_fn(|byte| match byte as u8 {
        byte @ (b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF) => char::from(byte),
        _ => next.next().unwrap_or(char::REPLACEMENT_CHARACTER),
    })
}

/// The inverse of [`char_of_byte`].
pub(super) fn byte_of_char() -> impl Fn(char) -> Option<u8> {
    let mut table = [None; 0x144];
    char_of_byte().into_iter().zip(0..=255).for_each(|(c, byte)| table[c as usize] = Some(byte));
    move |c| *table.get(c as usize)?
}
