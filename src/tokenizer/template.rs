//! The chat template that a file brings, the messages that go into it, and where it is rendered.
//!
//! A template is a program from a stranger, and nothing here so much as parses it: [`TemplateHost`] says where that is done.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use lastbit_template::{Message, RenderReply, RenderRequest, Role};
use sha2::{Digest, Sha256};

use super::known_templates;
use super::{BOS_KEY, EOS_KEY, TOKENS_KEY, TemplateError, Tokenizer};
use crate::gguf::Metadata;

/// Key of the default template; those with names stand under the same key, a dot and the name.
const TEMPLATE_KEY: &str = "tokenizer.chat_template";

/// The longest templates in use are near 20 KB.
const MAX_TEMPLATE_BYTES: usize = 256 << 10;

/// A chat template. It is neither parsed nor checked before it is rendered.
#[derive(Debug, Clone)]
pub struct ChatTemplate {
    name: Option<String>,
    source: String,
    bos_token: String,
    eos_token: String,
    /// What `strftime_now` shows, in seconds since 1970; the clock where none is set.
    now: Option<i64>,
}

impl ChatTemplate {
    /// The file's template of this name, or its default one where none is given, with the texts of the file's BOS and EOS.
    ///
    /// # Errors
    /// [`TemplateError::Missing`] for a file without one (base models), [`TemplateError::UnknownName`], [`TemplateError::TooLong`]; BOS or
    /// EOS outside the vocabulary.
    pub fn from_metadata(metadata: &Metadata, name: Option<&str>) -> Result<Self, TemplateError> {
        let key = name.map_or_else(|| TEMPLATE_KEY.to_owned(), |name| format!("{TEMPLATE_KEY}.{name}"));
        let missing = || match name {
            None => TemplateError::Missing,
            Some(name) => {
                let known = Self::names(metadata).join(", ");
                let known = if known.is_empty() { "none".to_owned() } else { known };
                TemplateError::UnknownName { name: name.to_owned(), known }
            }
        };
        let source = metadata.optional_string(&key)?.ok_or_else(missing)?;
        let bos_token = token_text(metadata, BOS_KEY)?;
        let eos_token = token_text(metadata, EOS_KEY)?;
        Ok(Self { name: name.map(str::to_owned), ..Self::new(source, &bos_token, &eos_token)? })
    }

    /// The file's template of this name, or, where it has none of it, the known layout of this name, if the vocabulary has its control
    /// tokens.
    ///
    /// # Errors
    /// As [`Self::from_metadata`].
    pub fn choose(metadata: &Metadata, tokenizer: &Tokenizer, name: Option<&str>) -> Result<Self, TemplateError> {
        let missing = match Self::from_metadata(metadata, name) {
            Err(TemplateError::UnknownName { name, .. }) => name,
            found => return found,
        };
        let fitting = Self::known_names(tokenizer);
        let Some(layout) = known_templates::layout(&missing).filter(|layout| fitting.contains(&layout.name)) else {
            let names: Vec<String> =
                Self::names(metadata).into_iter().chain(fitting.into_iter().map(str::to_owned)).collect();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(TemplateError::UnknownName { name: missing, known });
        };
        let (bos_token, eos_token) = (token_text(metadata, BOS_KEY)?, token_text(metadata, EOS_KEY)?);
        Ok(Self { name: Some(layout.name.to_owned()), ..Self::new(layout.source, &bos_token, &eos_token)? })
    }

    /// The names of the known layouts that a vocabulary has the control tokens for.
    pub fn known_names(tokenizer: &Tokenizer) -> Vec<&'static str> {
        known_templates::layouts_for(tokenizer)
    }

    /// Whose template this is, where it is a published one or a known layout. One that is not known may add to a conversation, or drop of
    /// it, whatever it likes.
    pub fn known_as(&self) -> Option<&'static str> {
        known_templates::known_as(&self.source)
    }

    /// The names of the templates that a file brings besides its default one, in the file's order.
    pub fn names(metadata: &Metadata) -> Vec<String> {
        let name = |key: &str| key.strip_prefix(TEMPLATE_KEY)?.strip_prefix('.').map(str::to_owned);
        metadata.iter().filter_map(|(key, value)| value.lossy_text().and_then(|_| name(key))).collect()
    }

    /// A template from its source; `bos_token` and `eos_token` are the texts that it may insert.
    ///
    /// # Errors
    /// [`TemplateError::TooLong`].
    pub fn new(source: &str, bos_token: &str, eos_token: &str) -> Result<Self, TemplateError> {
        if source.len() > MAX_TEMPLATE_BYTES {
            return Err(TemplateError::TooLong { bytes: source.len(), limit: MAX_TEMPLATE_BYTES });
        }
        Ok(Self {
            name: None,
            source: source.to_owned(),
            bos_token: bos_token.to_owned(),
            eos_token: eos_token.to_owned(),
            now: None,
        })
    }

    /// Fixes the moment that `strftime_now` shows, in seconds since 1970 (UTC), so that a prompt
    /// with a date in it can be rendered again on another day.
    #[must_use]
    pub fn at_time(mut self, unix_seconds: i64) -> Self {
        self.now = Some(unix_seconds);
        self
    }

    /// Its name in the file; none for the default one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The Jinja source, as in the file.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// SHA-256 of the source, in hexadecimal: the same file name can hold another template.
    pub fn sha256(&self) -> String {
        format!("{:x}", Sha256::digest(&self.source))
    }

    /// What is needed to render these conversations. With `add_generation_prompt` each ends where the model's answer
    /// begins.
    pub fn request(&self, conversations: Vec<Vec<Message>>, add_generation_prompt: bool) -> RenderRequest {
        RenderRequest {
            source: self.source.clone(),
            bos_token: self.bos_token.clone(),
            eos_token: self.eos_token.clone(),
            now: self.now.unwrap_or_else(clock_seconds),
            conversations,
            add_generation_prompt,
        }
    }

    /// The system message that the template inserts when a conversation has none: a default that
    /// changes what the model is asked. `None` where it inserts none.
    ///
    /// # Errors
    /// Only those of the host; a template that renders neither conversation inserts nothing.
    pub async fn default_system_message(&self, host: &TemplateHost) -> Result<Option<String>, TemplateError> {
        // Any texts that the template is not likely to write itself.
        let (system, user) = ("\u{10FFF0}", "\u{10FFF1}");
        let asked = vec![Message::new(Role::User, user)];
        let given = [vec![Message::new(Role::System, system)], asked.clone()].concat();
        let reply = host.render(&self.request(vec![given, asked], false)).await?;
        let [Ok(given), Ok(default)] = reply.as_slice() else { return Ok(None) };
        let inserted = || {
            let (before, after) = given.split_once(system)?;
            let (after, _) = after.split_once(user)?;
            let (inserted, _) = default.split_once(user)?;
            inserted.strip_prefix(before)?.strip_suffix(after).filter(|message| !message.is_empty())
        };
        Ok(inserted().map(str::to_owned))
    }
}

/// What [`TemplateHost::elsewhere`] takes: a request as JSON to a reply as JSON.
pub type RenderFuture = Pin<Box<dyn Future<Output = Result<String, TemplateError>>>>;

/// Where templates are rendered.
#[derive(Clone)]
pub struct TemplateHost(Option<Rc<dyn Fn(String) -> RenderFuture>>);

impl TemplateHost {
    /// In this process: only for templates that are trusted. A hostile one can take all memory, or the stack, and
    /// with it the process. The page's engine holds no renderer and renders nothing in this way.
    pub fn in_process() -> Self {
        Self(None)
    }

    /// Wherever `run` has `render_json` called: in a process or an instance of its own, with limits of memory and time.
    pub fn elsewhere(run: impl Fn(String) -> RenderFuture + 'static) -> Self {
        Self(Some(Rc::new(run)))
    }

    /// Renders every conversation of a request.
    ///
    /// # Errors
    /// [`TemplateError::TimedOut`] and [`TemplateError::Crashed`]; what the template itself does wrong is in the reply.
    pub async fn render(&self, request: &RenderRequest) -> Result<RenderReply, TemplateError> {
        let json = serde_json::to_string(request).expect("a request has plain fields");
        let reply = match &self.0 {
            Some(run) => run(json).await?,
            None => rendered_here(&json)?,
        };
        serde_json::from_str::<RenderReply>(&reply)
            .ok()
            .filter(|reply| reply.len() == request.conversations.len())
            .ok_or_else(|| TemplateError::Crashed { how: "its answer is not one".to_owned() })
    }
}

impl std::fmt::Debug for TemplateHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "TemplateHost::elsewhere" } else { "TemplateHost::in_process" })
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn rendered_here(request: &str) -> Result<String, TemplateError> {
    Ok(lastbit_template::render_json(request))
}

#[cfg(target_arch = "wasm32")]
fn rendered_here(_request: &str) -> Result<String, TemplateError> {
    Err(TemplateError::Crashed { how: "no template engine was given to this one".to_owned() })
}

/// The text of the token whose id stands under `key`; empty where the file names none.
fn token_text(metadata: &Metadata, key: &'static str) -> Result<String, TemplateError> {
    let Some(id) = metadata.optional_u32(key)? else {
        return Ok(String::new());
    };
    let tokens = metadata.strings(TOKENS_KEY)?;
    let text = tokens.get(id as usize).ok_or(TemplateError::IdOutOfRange { key, id, vocab_size: tokens.len() })?;
    Ok(text.to_owned())
}

/// Seconds since 1970 by the clock; 0 on a clock set before that.
fn clock_seconds() -> i64 {
    web_time::SystemTime::now().duration_since(web_time::UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64)
}
