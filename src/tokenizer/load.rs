//! A tokenizer from a file's metadata, and what a record keeps of it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::bpe::ByteLevelBpe;
use super::scores::ScoredVocabulary;
use super::vocabulary::{Spelling, TokenKind, Vocabulary, byte_of_name, check_size};
use super::words::{DEFAULT_RULE, WordRule};
use super::{BOS_KEY, EOS_KEY, Model, TOKENS_KEY, TokenId, Tokenizer, TokenizerError};
use crate::gguf::{Metadata, Texts};

const MODEL_KEY: &str = "tokenizer.ggml.model";
const PRE_TOKENIZER_KEY: &str = "tokenizer.ggml.pre";
const TOKEN_TYPES_KEY: &str = "tokenizer.ggml.token_type";
const SCORES_KEY: &str = "tokenizer.ggml.scores";
const MERGES_KEY: &str = "tokenizer.ggml.merges";
const EOT_KEY: &str = "tokenizer.ggml.eot_token_id";
const EOM_KEY: &str = "tokenizer.ggml.eom_token_id";
const UNKNOWN_KEY: &str = "tokenizer.ggml.unknown_token_id";
const ADD_BOS_KEY: &str = "tokenizer.ggml.add_bos_token";
const ADD_EOS_KEY: &str = "tokenizer.ggml.add_eos_token";
const ADD_SPACE_KEY: &str = "tokenizer.ggml.add_space_prefix";

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

/// What to do with a byte-level vocabulary whose rule of words is unknown here, or not stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownPreTokenizer {
    /// Refuse the file by that name.
    #[default]
    Refuse,
    /// Load it with the rule `default`: ids may then differ from those that the model was trained
    /// with, and the [`TokenizerReport`] says so.
    LoadAnyway,
}

/// How a file's tokenizer was read; part of every record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TokenizerReport {
    /// The model: `gpt2` or `llama`.
    pub model: String,
    /// The rule of words that the file names.
    pub pre_tokenizer: Option<String>,
    /// The rule of words in use; none for vocabularies with scores, which know no words.
    pub rule: Option<&'static str>,
    /// Whether ids published for this rule are among the project's tests.
    pub proven: bool,
    /// The file's rule is unknown, and a person asked to load it all the same.
    pub loaded_anyway: bool,
    /// SHA-256 over everything in the file that decides ids.
    pub sha256: String,
}

impl TokenizerReport {
    /// What may be wrong with the ids, in a sentence; none where published ids prove them.
    pub fn doubt(&self) -> Option<String> {
        let rule = self.rule?;
        if self.loaded_anyway {
            let named = self.pre_tokenizer.as_deref().unwrap_or("none");
            return Some(format!(
                "the file's pre-tokenizer ({named}) is unknown; with {rule} in its place these ids may be wrong"
            ));
        }
        (!self.proven).then(|| format!("the pre-tokenizer {rule} follows its pattern, but no published ids prove it"))
    }
}

impl Tokenizer {
    /// The tokenizer that a file describes.
    ///
    /// # Errors
    /// As [`Self::new`], which also takes files with an unknown rule of words.
    pub fn from_metadata(metadata: &Metadata) -> Result<Self, TokenizerError> {
        Self::new(metadata, UnknownPreTokenizer::Refuse)
    }

    /// The tokenizer that a file describes.
    ///
    /// # Errors
    /// Keys that are missing or of another type, a model or rule of words that is not supported,
    /// and every inconsistency of tokens, types, scores, merges and ids that [`TokenizerError`] lists.
    pub fn new(metadata: &Metadata, unknown: UnknownPreTokenizer) -> Result<Self, TokenizerError> {
        let model = metadata.string(MODEL_KEY)?;
        let spelling = match model {
            "gpt2" => Spelling::ByteLevel,
            "llama" => Spelling::Scored,
            found => {
                return Err(TokenizerError::UnsupportedModel {
                    found: found.to_owned(),
                    supported: "gpt2, llama".into(),
                });
            }
        };
        // Checked first: a file that nobody can use should not be read for long.
        let rule = match spelling {
            Spelling::ByteLevel => Some(word_rule(metadata, unknown)?),
            Spelling::Scored => None,
        };
        let texts = metadata.strings(TOKENS_KEY)?;
        check_size(texts)?;

        // llama.cpp's defaults for vocabularies with scores.
        let default_id = |id: TokenId| (spelling == Spelling::Scored && (id as usize) < texts.len()).then_some(id);
        let special_id = |key| special_id(metadata, key, texts.len());
        let bos = special_id(BOS_KEY)?.or(default_id(1));
        let eos = special_id(EOS_KEY)?.or(default_id(2));
        let named_ends = [eos, special_id(EOT_KEY)?, special_id(EOM_KEY)?];
        let kinds = token_kinds(metadata, texts, spelling, named_ends.into_iter().chain([bos]).flatten())?;

        let vocabulary = Vocabulary::new(texts, kinds, spelling)?;
        let end_texts = (0..)
            .zip(texts.iter())
            .filter(|(id, text)| vocabulary.is_control(*id) && END_TEXTS.contains(text))
            .map(|(id, _)| id);
        let mut end_ids: Vec<TokenId> = named_ends.into_iter().flatten().chain(end_texts).collect();
        end_ids.sort_unstable();
        end_ids.dedup();

        let report = report(metadata, rule.as_ref())?;
        let adds_bos = rule.as_ref().is_none_or(|rule| rule.adds_bos);
        let model = match rule {
            Some(rule) => {
                let merges = metadata.strings(MERGES_KEY)?;
                Model::ByteLevel(ByteLevelBpe::new(vocabulary.mergeable(texts), merges, rule)?)
            }
            None => {
                let scores = metadata.f32s(SCORES_KEY)?;
                check_length(SCORES_KEY, texts.len(), scores.len())?;
                if let Some(id) = scores.iter().position(|score| score.is_nan()) {
                    return Err(TokenizerError::NanScore { id });
                }
                let unknown = special_id(UNKNOWN_KEY)?.or(default_id(0));
                Model::Scored(ScoredVocabulary::new(texts, vocabulary.kinds(), scores, unknown))
            }
        };
        Ok(Self {
            model: Arc::new(model),
            special: Arc::new(vocabulary.special_matcher(texts)),
            report: Arc::new(report),
            adds_space: spelling == Spelling::Scored && metadata.optional_bool(ADD_SPACE_KEY)?.unwrap_or(true),
            leading: added_id(metadata, ADD_BOS_KEY, adds_bos, BOS_KEY, bos)?,
            trailing: added_id(metadata, ADD_EOS_KEY, false, EOS_KEY, eos)?,
            vocabulary: Arc::new(vocabulary),
            bos,
            eos,
            end_ids,
        })
    }
}

/// The rule of words of a byte-level vocabulary.
fn word_rule(metadata: &Metadata, unknown: UnknownPreTokenizer) -> Result<WordRule, TokenizerError> {
    let known = match metadata.optional_string(PRE_TOKENIZER_KEY) {
        Ok(Some(name)) => WordRule::from_name(name),
        // The key came in 2024; older files have none.
        Ok(None) => Err(WordRule::unknown(format!("not named ({PRE_TOKENIZER_KEY} is missing)"))),
        Err(error) => Err(error.into()),
    };
    match unknown {
        UnknownPreTokenizer::Refuse => known,
        UnknownPreTokenizer::LoadAnyway => known.or_else(|_| WordRule::from_name(DEFAULT_RULE)),
    }
}

fn report(metadata: &Metadata, rule: Option<&WordRule>) -> Result<TokenizerReport, TokenizerError> {
    let pre_tokenizer = metadata.optional_string(PRE_TOKENIZER_KEY).ok().flatten();
    let is_known = |rule: &WordRule| {
        pre_tokenizer.is_some_and(|name| WordRule::from_name(name).is_ok_and(|named| named.name == rule.name))
    };
    Ok(TokenizerReport {
        model: metadata.string(MODEL_KEY)?.to_owned(),
        pre_tokenizer: pre_tokenizer.map(str::to_owned),
        rule: rule.map(|rule| rule.name),
        proven: rule.is_none_or(|rule| rule.proven),
        loaded_anyway: rule.is_some_and(|rule| !is_known(rule)),
        sha256: hash(metadata)?,
    })
}

/// SHA-256 over what decides ids, each value with its length, so that no two files read alike.
fn hash(metadata: &Metadata) -> Result<String, TokenizerError> {
    let mut hasher = Sha256::new();
    let mut add = |bytes: &[u8]| {
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    for key in [MODEL_KEY, PRE_TOKENIZER_KEY] {
        add(metadata.optional_string(key).ok().flatten().unwrap_or_default().as_bytes());
    }
    for key in [TOKENS_KEY, MERGES_KEY] {
        let texts = metadata.optional_strings(key)?;
        add(&(texts.map_or(0, Texts::len) as u64).to_le_bytes());
        texts.into_iter().flat_map(Texts::iter).for_each(|text| add(text.as_bytes()));
    }
    add(&bytes_of(metadata.optional_i32s(TOKEN_TYPES_KEY)?.unwrap_or_default(), i32::to_le_bytes));
    add(&bytes_of(metadata.optional_f32s(SCORES_KEY)?.unwrap_or_default(), f32::to_le_bytes));
    for key in [BOS_KEY, EOS_KEY, EOT_KEY, EOM_KEY, UNKNOWN_KEY] {
        add(&metadata.optional_u32(key)?.map_or(Vec::new(), |id| id.to_le_bytes().to_vec()));
    }
    for key in [ADD_BOS_KEY, ADD_EOS_KEY, ADD_SPACE_KEY] {
        add(&metadata.optional_bool(key)?.map_or(Vec::new(), |flag| vec![u8::from(flag)]));
    }
    Ok(format!("{:x}", hasher.finalize()))
}

fn bytes_of<T: Copy>(values: &[T], bytes: impl Fn(T) -> [u8; 4]) -> Vec<u8> {
    let mut all = Vec::with_capacity(4 * values.len());
    values.iter().for_each(|value| all.extend_from_slice(&bytes(*value)));
    all
}

/// The id under `key`, if the file has that key.
fn special_id(metadata: &Metadata, key: &'static str, vocab_size: usize) -> Result<Option<TokenId>, TokenizerError> {
    match metadata.optional_u32(key)? {
        Some(id) if id as usize >= vocab_size => Err(TokenizerError::IdOutOfRange { key, id, vocab_size }),
        id => Ok(id),
    }
}

/// The id to add to every prompt: `id` where the flag under `asked` is set, or, in a file without
/// that flag, where the kind of vocabulary has it `by_default`.
fn added_id(
    metadata: &Metadata,
    asked: &'static str,
    by_default: bool,
    missing: &'static str,
    id: Option<TokenId>,
) -> Result<Option<TokenId>, TokenizerError> {
    match (metadata.optional_bool(asked)?, id) {
        (Some(true), None) => Err(TokenizerError::MissingSpecialId { asked, missing }),
        (flag, id) => Ok(id.filter(|_| flag.unwrap_or(by_default))),
    }
}

fn check_length(key: &'static str, expected: usize, found: usize) -> Result<(), TokenizerError> {
    if expected == found { Ok(()) } else { Err(TokenizerError::LengthMismatch { key, expected, found }) }
}

/// The kind of every token. A file without types has ordinary tokens, those named as bytes, and
/// control tokens: those that it names as begin or end.
fn token_kinds(
    metadata: &Metadata,
    texts: &Texts,
    spelling: Spelling,
    named: impl Iterator<Item = TokenId>,
) -> Result<Vec<TokenKind>, TokenizerError> {
    let Some(numbers) = metadata.optional_i32s(TOKEN_TYPES_KEY)? else {
        let is_byte = |text: &str| spelling == Spelling::Scored && byte_of_name(text).is_some();
        let kind = |text: &str| if is_byte(text) { TokenKind::Byte } else { TokenKind::Normal };
        let mut kinds: Vec<TokenKind> = texts.iter().map(kind).collect();
        named.for_each(|id| kinds[id as usize] = TokenKind::Control);
        return Ok(kinds);
    };
    check_length(TOKEN_TYPES_KEY, texts.len(), numbers.len())?;
    let mut kinds = numbers
        .iter()
        .enumerate()
        .map(|(id, &found)| TokenKind::from_number(found).ok_or(TokenizerError::UnknownTokenType { id, found }))
        .collect::<Result<Vec<_>, _>>()?;
    // Some files list an end of turn as user-defined or ordinary. It must not come out of typed text either. (In a
    // byte-level vocabulary an ordinary token of that text is out of reach: its words end at the signs.)
    for (text, kind) in texts.iter().zip(&mut kinds) {
        let is_reachable = *kind == TokenKind::UserDefined || spelling == Spelling::Scored;
        if is_reachable && END_TEXTS.contains(&text) {
            *kind = TokenKind::Control;
        }
    }
    Ok(kinds)
}
