//! From what a person asks to token ids: vocabulary, chat template, and where the template is rendered. Needs a file's header alone.

use std::sync::Arc;

use super::{EngineOptions, GenerateError, Prompt, Turn};
use crate::gguf::GgufFile;
use crate::model::{ModelConfig, check_vocabulary};
use crate::tokenizer::{
    ChatTemplate, EncodedPrompt, Message, Role, SpecialTokens, TemplateError, TemplateHost, TokenId, Tokenizer,
    TokenizerError, UnknownPreTokenizer,
};

/// Encodes prompts for one file's model.
#[derive(Debug)]
pub struct PromptEncoder {
    file: Arc<GgufFile>,
    tokenizer: Tokenizer,
    template: Option<ChatTemplate>, // none where the file has none that works
    template_host: TemplateHost,
}

impl PromptEncoder {
    /// The file's vocabulary and its default template.
    ///
    /// # Errors
    /// Those of [`Tokenizer::new`] and of [`check_vocabulary`].
    pub fn new(file: Arc<GgufFile>, unknown: UnknownPreTokenizer) -> Result<Self, GenerateError> {
        check_vocabulary(&file.metadata)?;
        let tokenizer = Tokenizer::new(&file.metadata, unknown)?;
        // A broken template is an error of whoever asks for a chat, not of whoever lets the model complete a text.
        let template = ChatTemplate::from_metadata(&file.metadata, None).ok();
        Ok(Self { file, tokenizer, template, template_host: TemplateHost::in_process() })
    }

    /// The tokenizer that the file describes.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// The file's chat template.
    ///
    /// # Errors
    /// [`GenerateError::NoChatTemplate`] where the file has none, [`GenerateError::ChatTemplate`] where it is broken.
    pub fn chat_template(&self) -> Result<&ChatTemplate, GenerateError> {
        if let Some(template) = &self.template {
            return Ok(template);
        }
        Err(match ChatTemplate::from_metadata(&self.file.metadata, None) {
            Ok(_) | Err(TemplateError::Missing) => GenerateError::NoChatTemplate { others: self.other_names() },
            Err(error) => GenerateError::ChatTemplate { error: error.into(), others: self.other_names() },
        })
    }

    /// Puts chats into the file's template of this name from now on, into its default one, or into a known layout.
    ///
    /// # Errors
    /// Where there is none of that name; nothing is changed then.
    pub fn choose_template(&mut self, name: Option<&str>) -> Result<(), GenerateError> {
        let template = ChatTemplate::choose(&self.file.metadata, &self.tokenizer, name);
        // A file without a default template is in nobody's way until a chat is asked for.
        self.template = if name.is_some() { Some(template?) } else { template.ok() };
        Ok(())
    }

    /// The names of the file's chat templates besides the default one.
    pub fn template_names(&self) -> Vec<String> {
        ChatTemplate::names(&self.file.metadata)
    }

    /// Whether the file brings a default chat template.
    pub fn file_has_template(&self) -> bool {
        ChatTemplate::from_metadata(&self.file.metadata, None).is_ok()
    }

    /// The names of the known layouts that this vocabulary has the control tokens for.
    pub fn known_template_names(&self) -> Vec<&'static str> {
        ChatTemplate::known_names(&self.tokenizer)
    }

    /// Where the template is rendered: at first in this process, which is for templates that are trusted.
    pub fn set_template_host(&mut self, host: TemplateHost) {
        self.template_host = host;
    }

    /// A prompt's token ids. What a person typed is text, even where it spells a special token.
    ///
    /// # Errors
    /// [`GenerateError::NoChatTemplate`], [`GenerateError::ChatTemplate`]; [`GenerateError::MissingBytes`] where the vocabulary lacks some of
    /// it.
    pub async fn encode(&self, prompt: &Prompt) -> Result<Vec<TokenId>, GenerateError> {
        match prompt {
            Prompt::Complete { text } => {
                self.check_has_tokens(text)?;
                Ok(self.tokenizer.encode_prompt(text, SpecialTokens::Literal))
            }
            Prompt::Chat { user } => {
                let encoded = self.encode_chat(&[Message::new(Role::User, user.as_str())]).await?;
                self.check_has_tokens(&encoded.text)?;
                Ok(encoded.ids)
            }
        }
    }

    /// Nothing of a prompt is left out without a word.
    fn check_has_tokens(&self, text: &str) -> Result<(), GenerateError> {
        match self.tokenizer.missing_bytes(text) {
            0 => Ok(()),
            n_bytes => Err(GenerateError::MissingBytes { n_bytes }),
        }
    }

    /// The ids of a second turn: the whole conversation is rendered and encoded as one.
    ///
    /// # Errors
    /// As [`Self::encode`].
    pub async fn encode_second_turn(&self, turn: &Turn<'_>) -> Result<Vec<TokenId>, GenerateError> {
        let messages = [
            Message::new(Role::User, turn.user),
            Message::new(Role::Assistant, turn.reply),
            Message::new(Role::User, turn.follow_up),
        ];
        let encoded = self.encode_chat(&messages).await?;
        self.check_has_tokens(&encoded.text)?;
        Ok(encoded.ids)
    }

    /// A conversation in the chosen template, up to where the model's answer begins.
    ///
    /// # Errors
    /// As [`Self::encode`].
    pub async fn encode_chat(&self, messages: &[Message]) -> Result<EncodedPrompt, GenerateError> {
        let template = self.chat_template()?;
        self.tokenizer.encode_chat(&self.template_host, template, messages, true).await.map_err(|error| match error {
            TokenizerError::Template(_) => GenerateError::ChatTemplate { error, others: self.other_names() },
            error => error.into(),
        })
    }

    /// The names that a person could choose in place of the template in use: all that suit this file.
    fn other_names(&self) -> Vec<String> {
        let known = self.known_template_names().into_iter().map(str::to_owned);
        let mut names: Vec<String> = self.template_names().into_iter().chain(known).collect();
        names.retain(|name| self.template.as_ref().and_then(ChatTemplate::name) != Some(name));
        names
    }
}

/// Whether a prompt fits an engine of these options, with room for at least one token of an answer: told before the engine is there.
///
/// # Errors
/// [`GenerateError::EmptyPrompt`], [`GenerateError::PromptTooLong`].
pub fn check_prompt(prompt: &[TokenId], options: EngineOptions, config: &ModelConfig) -> Result<(), GenerateError> {
    check_prompt_len(prompt.len(), options.context_len.min(config.context_len))
}

pub(super) fn check_prompt_len(n_tokens: usize, context_len: u32) -> Result<(), GenerateError> {
    if n_tokens == 0 {
        return Err(GenerateError::EmptyPrompt);
    }
    if n_tokens >= context_len as usize {
        return Err(GenerateError::PromptTooLong { n_tokens, context_len });
    }
    Ok(())
}
