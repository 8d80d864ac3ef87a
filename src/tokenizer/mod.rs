//! Text to ids and back, from the vocabulary and the chat template inside a GGUF file.
//!
//! [`Tokenizer`] encodes and decodes, [`ChatTemplate`] renders a conversation, and
//! [`Tokenizer::encode_chat`] joins the two so that text typed by a person can never become a
//! control token. Ids equal those of Hugging Face's library and of llama.cpp.
//!
//! Any metadata gives a tokenizer or a typed error. Only byte-level BPE (`gpt2`) with the word
//! rule `smollm` is supported so far.
//!
//! A prompt is always encoded whole. Encoding only what was added to an earlier prompt may give
//! other ids, because merges reach across the seam.

mod bpe;
mod chat;
mod decode;
mod error;
mod python;
mod special;
mod template;
mod vocabulary;

use std::ops::Range;
use std::sync::Arc;

use crate::gguf::Metadata;
use bpe::{ByteLevelBpe, WordRule};
use special::SpecialMatcher;
use vocabulary::{TokenKind, Vocabulary, check_unique};

pub use chat::EncodedPrompt;
pub use decode::DecodeStream;
pub use error::{TemplateError, TokenizerError};
pub use template::{ChatTemplate, Message, Role};

/// Position of a token in the vocabulary.
pub type TokenId = u32;

const MODEL_KEY: &str = "tokenizer.ggml.model";
const PRE_TOKENIZER_KEY: &str = "tokenizer.ggml.pre";
const TOKENS_KEY: &str = "tokenizer.ggml.tokens";
const TOKEN_TYPES_KEY: &str = "tokenizer.ggml.token_type";
const MERGES_KEY: &str = "tokenizer.ggml.merges";
const BOS_KEY: &str = "tokenizer.ggml.bos_token_id";
const EOS_KEY: &str = "tokenizer.ggml.eos_token_id";
const EOT_KEY: &str = "tokenizer.ggml.eot_token_id";
const EOM_KEY: &str = "tokenizer.ggml.eom_token_id";
const ADD_BOS_KEY: &str = "tokenizer.ggml.add_bos_token";
const ADD_EOS_KEY: &str = "tokenizer.ggml.add_eos_token";

/// The tokenizer model that this module implements.
const SUPPORTED_MODEL: &str = "gpt2";

/// Control tokens that end a turn in some model family, by their text: files name one end token,
/// models stop with several.
const END_TEXTS: [&str; 11] = [
    "<|im_end|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|return|>",
    "<end_of_turn>",
    "<eos>",
    "</s>",
    "<｜end▁of▁sentence｜>",
];

/// What the text of a control token (such as `<|im_end|>`) means inside a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecialTokens {
    /// It is that token. For text written by a template, never for text typed by a person.
    Parse,
    /// It is text like any other. User-defined tokens, which carry no authority, still match.
    Literal,
}

/// Text to ids and back. Cloning is cheap: clones share one vocabulary.
#[derive(Debug, Clone)]
pub struct Tokenizer {
    vocabulary: Arc<Vocabulary>,
    bpe: Arc<ByteLevelBpe>,
    special: Arc<SpecialMatcher>,
    /// Put before every raw prompt, where the file asks for it.
    leading: Option<TokenId>,
    /// Put after every raw prompt, where the file asks for it.
    trailing: Option<TokenId>,
    bos: Option<TokenId>,
    eos: Option<TokenId>,
    /// Sorted.
    end_ids: Vec<TokenId>,
}

impl Tokenizer {
    /// Builds the tokenizer that a file describes.
    ///
    /// # Errors
    /// Keys that are missing or of another type, a model or word rule that is not supported, and
    /// every inconsistency of tokens, types, merges and ids that [`TokenizerError`] lists.
    pub fn from_metadata(metadata: &Metadata) -> Result<Self, TokenizerError> {
        let model = metadata.string(MODEL_KEY)?;
        if model != SUPPORTED_MODEL {
            return Err(TokenizerError::UnsupportedModel {
                found: model.to_owned(),
                supported: SUPPORTED_MODEL.to_owned(),
            });
        }
        let word_rule = WordRule::from_name(metadata.string(PRE_TOKENIZER_KEY)?)?;
        let texts = str_slices(metadata.strings(TOKENS_KEY)?);
        let merges = str_slices(metadata.strings(MERGES_KEY)?);

        let special_id = |key| special_id(metadata, key, texts.len());
        let (bos, eos) = (special_id(BOS_KEY)?, special_id(EOS_KEY)?);
        let named_ends = [eos, special_id(EOT_KEY)?, special_id(EOM_KEY)?];
        let named = named_ends.into_iter().chain([bos]).flatten();
        let kinds = token_kinds(metadata, &texts, named)?;

        let vocabulary = Vocabulary::new(&texts, kinds)?;
        check_unique(&texts)?;
        let end_texts = (0..)
            .zip(&texts)
            .filter(|(id, text)| vocabulary.is_control(*id) && END_TEXTS.contains(text))
            .map(|(id, _)| id);
        let mut end_ids: Vec<TokenId> = named_ends.into_iter().flatten().chain(end_texts).collect();
        end_ids.sort_unstable();
        end_ids.dedup();

        Ok(Self {
            bpe: Arc::new(ByteLevelBpe::new(&vocabulary.mergeable(&texts), &merges, word_rule)?),
            special: Arc::new(vocabulary.special_matcher(&texts)),
            leading: added_id(metadata, ADD_BOS_KEY, BOS_KEY, bos)?,
            trailing: added_id(metadata, ADD_EOS_KEY, EOS_KEY, eos)?,
            vocabulary: Arc::new(vocabulary),
            bos,
            eos,
            end_ids,
        })
    }

    /// The ids of `text` and nothing added. Bytes that the vocabulary lacks are left out, see
    /// [`Self::missing_bytes`].
    pub fn encode(&self, text: &str, special: SpecialTokens) -> Vec<TokenId> {
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

    /// How many bytes of `text` have no token and get lost in encoding. SmolLM2's vocabulary
    /// lacks U+0004, U+0006, U+0013, U+0014, U+0016 and U+001D, and two lead bytes of unassigned
    /// planes.
    pub fn missing_bytes(&self, text: &str) -> usize {
        self.bpe.missing_bytes(text)
    }

    /// The bytes of `ids`, special tokens shown as their text. They need not be valid UTF-8: a
    /// token can be half a character. An id outside the vocabulary gives U+FFFD.
    pub fn decode(&self, ids: &[TokenId]) -> Vec<u8> {
        ids.iter().flat_map(|id| self.vocabulary.bytes(*id)).copied().collect()
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

    /// The token that begins a sequence, if the file names one.
    pub fn bos_id(&self) -> Option<TokenId> {
        self.bos
    }

    /// The token that ends a sequence, if the file names one.
    pub fn eos_id(&self) -> Option<TokenId> {
        self.eos
    }

    /// Number of ids.
    pub fn vocab_size(&self) -> usize {
        self.vocabulary.len()
    }

    /// Encodes `text`, taking the text of a control token for the token only in byte ranges for
    /// which `control_allowed` says so.
    fn encode_where(&self, text: &str, control_allowed: &dyn Fn(&Range<usize>) -> bool) -> Vec<TokenId> {
        let mut ids = Vec::new();
        let mut start = 0;
        while let Some(found) = self.special.find(text, start, control_allowed) {
            self.bpe.encode_into(&text[start..found.range.start], &mut ids);
            ids.push(found.id);
            start = found.range.end;
        }
        self.bpe.encode_into(&text[start..], &mut ids);
        ids
    }
}

/// Borrows every string of a list.
fn str_slices(strings: &[String]) -> Vec<&str> {
    strings.iter().map(String::as_str).collect()
}

/// The id under `key`, if the file has that key.
fn special_id(metadata: &Metadata, key: &'static str, vocab_size: usize) -> Result<Option<TokenId>, TokenizerError> {
    match metadata.optional_u32(key)? {
        Some(id) if id as usize >= vocab_size => Err(TokenizerError::IdOutOfRange { key, id, vocab_size }),
        id => Ok(id),
    }
}

/// The id to add to every prompt: `id` where the flag under `asked` is set. Without the flag
/// nothing is added, which is the default of byte-level vocabularies.
fn added_id(
    metadata: &Metadata,
    asked: &'static str,
    missing: &'static str,
    id: Option<TokenId>,
) -> Result<Option<TokenId>, TokenizerError> {
    match (metadata.optional_bool(asked)?.unwrap_or(false), id) {
        (false, _) => Ok(None),
        (true, None) => Err(TokenizerError::MissingSpecialId { asked, missing }),
        (true, id) => Ok(id),
    }
}

/// The kind of every token. A file without types has ordinary tokens only, apart from those that
/// it names as begin or end.
fn token_kinds(
    metadata: &Metadata,
    texts: &[&str],
    named: impl Iterator<Item = TokenId>,
) -> Result<Vec<TokenKind>, TokenizerError> {
    let Some(numbers) = metadata.optional_i32s(TOKEN_TYPES_KEY)? else {
        let mut kinds = vec![TokenKind::Normal; texts.len()];
        named.for_each(|id| kinds[id as usize] = TokenKind::Control);
        return Ok(kinds);
    };
    if numbers.len() != texts.len() {
        return Err(TokenizerError::LengthMismatch {
            key: TOKEN_TYPES_KEY,
            expected: texts.len(),
            found: numbers.len(),
        });
    }
    let mut kinds = numbers
        .iter()
        .enumerate()
        .map(|(id, &found)| TokenKind::from_number(found).ok_or(TokenizerError::UnknownTokenType { id, found }))
        .collect::<Result<Vec<_>, _>>()?;
    // Some files list an end of turn as user-defined. It must not come out of typed text either.
    for (text, kind) in texts.iter().zip(&mut kinds) {
        if *kind == TokenKind::UserDefined && END_TEXTS.contains(text) {
            *kind = TokenKind::Control;
        }
    }
    Ok(kinds)
}
