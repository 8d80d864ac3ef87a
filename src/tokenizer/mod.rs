//! Text to ids and back, from the vocabulary and the chat template inside a GGUF file.
//!
//! [`Tokenizer`] encodes and decodes, [`ChatTemplate`] renders a conversation, and
//! [`Tokenizer::encode_chat`] joins the two so that text typed by a person can never become a
//! control token. Ids equal llama.cpp's.
//!
//! Any metadata gives a tokenizer or a typed error. Two models are supported: byte-level BPE
//! (`gpt2`) with the rules of words that `words` lists, and vocabularies with scores (`llama`).
//!
//! A prompt is always encoded whole. Encoding only what was added to an earlier prompt may give
//! other ids, because merges reach across the seam.

mod advice;
mod bpe;
mod chat;
mod decode;
mod error;
mod known_templates;
mod load;
mod merge;
mod scores;
mod special;
mod template;
mod text_index;
mod vocabulary;
mod words;

use std::ops::Range;
use std::sync::Arc;

use bpe::ByteLevelBpe;
use scores::ScoredVocabulary;
use special::SpecialMatcher;
use vocabulary::Vocabulary;

pub use chat::EncodedPrompt;
pub use decode::DecodeStream;
pub use error::{TemplateError, TokenizerError};
pub use lastbit_template::{Message, RenderError, RenderReply, RenderRequest, Role};
#[cfg(not(target_arch = "wasm32"))]
pub use lastbit_template::{render, render_json};
pub use load::{TokenizerReport, UnknownPreTokenizer};
pub use template::{ChatTemplate, RenderFuture, TemplateHost};

/// Position of a token in the vocabulary.
pub type TokenId = u32;

const TOKENS_KEY: &str = "tokenizer.ggml.tokens";
const BOS_KEY: &str = "tokenizer.ggml.bos_token_id";
const EOS_KEY: &str = "tokenizer.ggml.eos_token_id";

/// What the text of a control token (such as `<|im_end|>`) means inside a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecialTokens {
    /// It is that token. For text written by a template, never for text typed by a person.
    Parse,
    /// It is text like any other. User-defined tokens, which carry no authority, still match.
    Literal,
}

/// How ordinary text becomes ids.
#[derive(Debug)]
enum Model {
    ByteLevel(ByteLevelBpe),
    Scored(ScoredVocabulary),
}

/// Text to ids and back. Cloning is cheap: clones share one vocabulary.
#[derive(Debug, Clone)]
pub struct Tokenizer {
    vocabulary: Arc<Vocabulary>,
    model: Arc<Model>,
    special: Arc<SpecialMatcher>,
    report: Arc<TokenizerReport>,
    /// A space goes before the text and after each special token (vocabularies with scores).
    adds_space: bool,
    /// Put before every prompt, where the file asks for it.
    leading: Option<TokenId>,
    /// Put after every prompt, where the file asks for it.
    trailing: Option<TokenId>,
    bos: Option<TokenId>,
    eos: Option<TokenId>,
    /// Sorted.
    end_ids: Vec<TokenId>,
}

impl Tokenizer {
    /// The ids of `text` and nothing added. Bytes that the vocabulary lacks are left out, see
    /// [`Self::missing_bytes`].
    ///
    /// The ids of two texts joined are not the ids of each, one after the other.
    pub fn encode(&self, text: &str, special: SpecialTokens) -> Vec<TokenId> {
        self.encode_bytes(text.as_bytes(), special)
    }

    /// As [`Self::encode`], for text that need not be UTF-8. A byte that is part of no character
    /// becomes the token of that byte where the vocabulary has scores, and U+FFFD where it has
    /// not; llama.cpp does the same.
    pub fn encode_bytes(&self, text: &[u8], special: SpecialTokens) -> Vec<TokenId> {
        self.encode_where(text, &|_| special == SpecialTokens::Parse)
    }

    /// The ids of a raw prompt for completion, with the tokens before and after it that the file
    /// asks for (BOS, EOS).
    pub fn encode_prompt(&self, text: &str, special: SpecialTokens) -> Vec<TokenId> {
        let mut ids = Vec::from_iter(self.leading);
        ids.append(&mut self.encode(text, special));
        ids.extend(self.trailing);
        ids
    }

    /// Adds BOS and EOS where the file asks for them, each exactly once, whether or not the ids
    /// have them already.
    fn with_ends_once(&self, mut ids: Vec<TokenId>) -> Vec<TokenId> {
        if let Some(leading) = self.leading {
            let own = ids.iter().take_while(|id| **id == leading).count();
            ids.splice(..own, [leading]);
        }
        if let Some(trailing) = self.trailing {
            let own = ids.iter().rev().take_while(|id| **id == trailing).count();
            ids.truncate(ids.len() - own);
            ids.push(trailing);
        }
        ids
    }

    /// How many bytes of `text` have no token and get lost in encoding. SmolLM2's vocabulary
    /// lacks U+0004, U+0006, U+0013, U+0014, U+0016 and U+001D, and two lead bytes of unassigned
    /// planes.
    pub fn missing_bytes(&self, text: &str) -> usize {
        match &*self.model {
            Model::ByteLevel(bpe) => bpe.missing_bytes(text.as_bytes()),
            Model::Scored(scored) => scored.missing_bytes(text.as_bytes()),
        }
    }

    /// The bytes of `ids` in the midst of a text, special tokens shown as their text. They need
    /// not be valid UTF-8: a token can be half a character. An id outside the vocabulary gives
    /// U+FFFD.
    pub fn decode(&self, ids: &[TokenId]) -> Vec<u8> {
        ids.iter().flat_map(|id| self.vocabulary.bytes(*id)).copied().collect()
    }

    /// The text of which [`Self::encode`] made `ids`: as [`Self::decode`], without the space that
    /// some vocabularies put before a text.
    pub fn decode_whole(&self, ids: &[TokenId]) -> Vec<u8> {
        let mut bytes = self.decode(ids);
        if self.adds_space && bytes.first() == Some(&b' ') {
            bytes.remove(0);
        }
        bytes
    }

    /// Starts decoding ids one by one.
    pub fn decode_stream(&self) -> DecodeStream {
        DecodeStream::new(Arc::clone(&self.vocabulary))
    }

    /// One token for display: its text, with each byte that is no character of its own written
    /// as `<0xE2>`.
    pub fn token_text(&self, id: TokenId) -> String {
        let mut text = String::new();
        for chunk in self.vocabulary.bytes(id).utf8_chunks() {
            text.push_str(chunk.valid());
            for byte in chunk.invalid() {
                text.push_str(&format!("<0x{byte:02X}>"));
            }
        }
        text
    }

    /// Whether an id ends the model's turn.
    pub fn is_end_of_turn(&self, id: TokenId) -> bool {
        self.end_ids.binary_search(&id).is_ok()
    }

    /// The ids that end the model's turn, ascending: those that the file names (EOS, EOT, EOM)
    /// and the control tokens that end a turn in other models.
    pub fn end_ids(&self) -> &[TokenId] {
        &self.end_ids
    }

    /// Whether an id is a control token, which text typed by a person never produces.
    pub fn is_control(&self, id: TokenId) -> bool {
        self.vocabulary.is_control(id)
    }

    /// Whether a text is that of a control token.
    pub(crate) fn has_control(&self, text: &str) -> bool {
        self.special.is_control(text)
    }

    /// The token that begins a sequence, if the file names one.
    pub fn bos_id(&self) -> Option<TokenId> {
        self.bos
    }

    /// The token that ends a sequence, if the file names one.
    pub fn eos_id(&self) -> Option<TokenId> {
        self.eos
    }

    /// How the file's tokenizer was read.
    pub fn report(&self) -> &TokenizerReport {
        &self.report
    }

    /// Number of ids.
    pub fn vocab_size(&self) -> usize {
        self.vocabulary.len()
    }

    /// Encodes `text`, taking the text of a control token for the token only in byte ranges for
    /// which `control_allowed` says so.
    fn encode_where(&self, text: &[u8], control_allowed: &dyn Fn(&Range<usize>) -> bool) -> Vec<TokenId> {
        let mut ids = Vec::new();
        let mut start = 0;
        while let Some(found) = self.special.find(text, start, control_allowed) {
            self.encode_ordinary(&text[start..found.range.start], &mut ids);
            ids.push(found.id);
            start = found.range.end;
        }
        self.encode_ordinary(&text[start..], &mut ids);
        ids
    }

    /// Appends the ids of a text that begins the whole or follows a special token.
    fn encode_ordinary(&self, text: &[u8], ids: &mut Vec<TokenId>) {
        if text.is_empty() {
            return;
        }
        match &*self.model {
            Model::ByteLevel(bpe) => bpe.encode_into(text, ids),
            Model::Scored(scored) => scored.encode_into(text, self.adds_space, ids),
        }
    }
}
