//! What can be wrong with a file's vocabulary or chat template, one variant each.

use lastbit_template::RenderError;

use crate::gguf::GgufError;

/// Why a vocabulary cannot be used, or a conversation cannot be encoded.
#[derive(Debug, thiserror::Error)]
pub enum TokenizerError {
    /// A metadata key is absent or has another type than the tokenizer needs.
    #[error(transparent)]
    Metadata(#[from] GgufError),

    /// The file asks for a tokenizer model that is not implemented.
    #[error("the file's tokenizer model is \"{found}\"; supported: {supported}")]
    UnsupportedModel {
        /// `tokenizer.ggml.model` as the file states it.
        found: String,
        /// The names that would have been accepted.
        supported: String,
    },

    /// The file asks for a rule of splitting text into words that is not known here.
    #[error("the file's pre-tokenizer is {found}; known are {supported}")]
    UnknownPreTokenizer {
        /// `tokenizer.ggml.pre` as the file states it, in quotes, or that it states none.
        found: String,
        /// The names that would have been accepted.
        supported: String,
    },

    /// The list of tokens is empty.
    #[error("the vocabulary has no tokens")]
    NoTokens,

    /// The score of a token, which decides ids, is no number.
    #[error("the score of token {id} is not a number")]
    NanScore {
        /// The token.
        id: usize,
    },

    /// The list of tokens is longer than that of any real vocabulary.
    #[error("the vocabulary has {count} tokens; at most {limit} are accepted")]
    TooManyTokens {
        /// Tokens in the file.
        count: usize,
        /// The accepted maximum.
        limit: usize,
    },

    /// The tokens are together longer than those of any real vocabulary.
    #[error("the texts of the vocabulary have {bytes} bytes; at most {limit} are accepted")]
    TextsTooLong {
        /// Bytes of all texts.
        bytes: usize,
        /// The accepted maximum.
        limit: usize,
    },

    /// The list of merges is longer than that of any real vocabulary.
    #[error("the vocabulary has {count} merges; at most {limit} are accepted")]
    TooManyMerges {
        /// Merges in the file.
        count: usize,
        /// The accepted maximum.
        limit: usize,
    },

    /// A list that must run beside the tokens has another length.
    #[error("{key} has {found} entries for {expected} tokens")]
    LengthMismatch {
        /// The metadata key of the list.
        key: &'static str,
        /// Tokens in the file.
        expected: usize,
        /// Entries in the list.
        found: usize,
    },

    /// A token's type is none of the numbers that GGUF defines (1 to 6).
    #[error("token {id} has the undefined type {found}")]
    UnknownTokenType {
        /// The token's id.
        id: usize,
        /// The number in the file.
        found: i32,
    },

    /// A special token is longer than the matcher accepts.
    #[error("special token {id} is {bytes} bytes long; at most {limit} are accepted")]
    SpecialTokenTooLong {
        /// The token's id.
        id: usize,
        /// Its length in bytes of UTF-8.
        bytes: usize,
        /// The accepted maximum.
        limit: usize,
    },

    /// A merge is not two parts with one space between them.
    #[error("merge {index} is {merge:?}, not two parts with one space between")]
    MalformedMerge {
        /// Position in the list of merges.
        index: usize,
        /// The entry as the file states it.
        merge: String,
    },

    /// A part of a merge, or what the parts join to, is not an ordinary token.
    #[error("merge {index} ({merge:?}) needs {missing:?}, which is not an ordinary token")]
    MergeWithoutToken {
        /// Position in the list of merges.
        index: usize,
        /// The entry as the file states it.
        merge: String,
        /// The part or the joined text that has no id.
        missing: String,
    },

    /// One pair appears twice, so its rank is undecided.
    #[error("merges {first} and {second} are both {merge:?}")]
    DuplicateMerge {
        /// The entry as the file states it.
        merge: String,
        /// Position of the earlier entry.
        first: usize,
        /// Position of the later entry.
        second: usize,
    },

    /// A metadata key names an id outside the vocabulary.
    #[error("{key} is {id}, but the vocabulary has {vocab_size} tokens")]
    IdOutOfRange {
        /// The metadata key.
        key: &'static str,
        /// The id in the file.
        id: u32,
        /// Tokens in the file.
        vocab_size: usize,
    },

    /// The file wants a token added to every prompt but does not say which.
    #[error("the file asks for {asked} but has no {missing}")]
    MissingSpecialId {
        /// The key that asks for the token.
        asked: &'static str,
        /// The key that should name it.
        missing: &'static str,
    },

    /// The chat template failed.
    #[error(transparent)]
    Template(#[from] TemplateError),

    /// The template rewrites its messages in a way that leaves open whether a control token in its text comes from the
    /// template or from a message.
    #[error("the chat template rewrites its messages, and which control tokens come from them cannot be told")]
    UnclearOrigin,
}

impl TokenizerError {
    /// The stable code, by which programs tell errors apart.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Template(error) => error.code(),
            Self::UnclearOrigin => "TEMPLATE_ORIGIN",
            _ => "TOKENIZER",
        }
    }
}

/// Why a chat template cannot be used or did not render.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// A metadata key has another type than the template needs.
    #[error(transparent)]
    Metadata(#[from] GgufError),

    /// The file brings no chat template (base models have none).
    #[error("the file has no chat template")]
    Missing,

    /// The file brings no template of this name.
    #[error("the file has no chat template named {name}; those that can be named: {known}")]
    UnknownName {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },

    /// The template is longer than any real one.
    #[error("the chat template is {bytes} bytes long; at most {limit} are accepted")]
    TooLong {
        /// Length in bytes.
        bytes: usize,
        /// The accepted maximum.
        limit: usize,
    },

    /// A metadata key names an id outside the vocabulary.
    #[error("{key} is {id}, but the vocabulary has {vocab_size} tokens")]
    IdOutOfRange {
        /// The metadata key.
        key: &'static str,
        /// The id in the file.
        id: u32,
        /// Tokens in the file.
        vocab_size: usize,
    },

    /// What the template itself does wrong, or refuses.
    #[error(transparent)]
    Render(#[from] RenderError),

    /// The template has not come to an end in time.
    #[error("the chat template takes longer than {limit_ms} ms")]
    TimedOut {
        /// The accepted maximum, in milliseconds.
        limit_ms: u64,
    },

    /// The template ended the process or instance that rendered it: it took too much memory, or too deep a stack.
    #[error("the chat template broke what renders it: {how}")]
    Crashed {
        /// How that ended.
        how: String,
    },
}

impl TemplateError {
    /// The stable code, by which programs tell errors apart.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing | Self::UnknownName { .. } => "TEMPLATE_MISSING",
            Self::IdOutOfRange { .. } => "TOKENIZER",
            Self::Render(error) if error.is_limit() => "TEMPLATE_LIMIT",
            Self::Metadata(_) | Self::Render(_) => "TEMPLATE",
            Self::TooLong { .. } | Self::TimedOut { .. } => "TEMPLATE_LIMIT",
            Self::Crashed { .. } => "TEMPLATE_CRASHED",
        }
    }
}
