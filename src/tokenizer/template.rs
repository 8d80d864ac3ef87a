//! The chat template that a file brings: Jinja, rendered as Hugging Face's library renders it.

use std::io;
use std::sync::Arc;

use minijinja::value::{Enumerator, Object, Value};
use minijinja::{Environment, Error, ErrorKind, context};
use minijinja_contrib::pycompat::unknown_method_callback;
use serde::{Deserialize, Serialize};

use super::{BOS_KEY, EOS_KEY, TOKENS_KEY, TemplateError, python};
use crate::gguf::Metadata;

const TEMPLATE_KEY: &str = "tokenizer.chat_template";

/// The longest templates in use are near 20 KB.
const MAX_TEMPLATE_BYTES: usize = 1 << 20;

/// A rendered conversation is refused beyond this: no context holds it.
const MAX_OUTPUT_BYTES: usize = 16 << 20;

/// Steps of the Jinja engine in one rendering: far more than a long conversation takes.
const MAX_STEPS: u64 = 10_000_000;

/// Levels of macros and loops inside one another, in the Jinja engine's units (a macro takes four):
/// few enough for a browser's stack.
const MAX_RECURSION: usize = 200;

/// Borders of a stand-in for one message's content: private-use characters, with the message's
/// position between them.
pub(super) const STAND_IN_OPEN: char = '\u{10FFFC}';
pub(super) const STAND_IN_CLOSE: char = '\u{10FFFD}';

/// Who speaks. A closed list, so that a role can carry nothing into the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions for the whole conversation.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// The result of a tool.
    Tool,
}

impl Role {
    /// The name that templates compare with.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, verbatim.
    pub content: String,
}

impl Message {
    /// A message of `role`.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into() }
    }
}

/// What a template sees of a message. Keys keep their order, which `tojson` shows.
impl Object for Message {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match key.as_str()? {
            "role" => Some(Value::from(self.role.name())),
            "content" => Some(Value::from(self.content.as_str())),
            _ => None,
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Str(&["role", "content"])
    }
}

/// A chat template, checked for syntax.
///
/// Rendering is bounded in its steps and its output. Templates reach nothing but the conversation.
#[derive(Debug, Clone)]
pub struct ChatTemplate {
    source: String,
    bos_token: String,
    eos_token: String,
    /// What `strftime_now` shows, in seconds since 1970; the clock where none is set.
    now: Option<i64>,
}

impl ChatTemplate {
    /// The template under `tokenizer.chat_template`, with the texts of the file's BOS and EOS.
    ///
    /// # Errors
    /// [`TemplateError::Missing`] for a file without one (base models); a syntax error with its
    /// line; BOS or EOS outside the vocabulary.
    pub fn from_metadata(metadata: &Metadata) -> Result<Self, TemplateError> {
        let source = metadata.optional_string(TEMPLATE_KEY)?.ok_or(TemplateError::Missing)?;
        let bos_token = token_text(metadata, BOS_KEY)?;
        let eos_token = token_text(metadata, EOS_KEY)?;
        Self::new(source, &bos_token, &eos_token)
    }

    /// A template from its source; `bos_token` and `eos_token` are the texts that it may insert.
    ///
    /// # Errors
    /// A source that is too long or not valid Jinja.
    pub fn new(source: &str, bos_token: &str, eos_token: &str) -> Result<Self, TemplateError> {
        if source.len() > MAX_TEMPLATE_BYTES {
            return Err(TemplateError::TooLong { bytes: source.len(), limit: MAX_TEMPLATE_BYTES });
        }
        let template = Self {
            source: source.to_owned(),
            bos_token: bos_token.to_owned(),
            eos_token: eos_token.to_owned(),
            now: None,
        };
        template.environment().template_from_str(&template.source).map_err(template_error)?;
        Ok(template)
    }

    /// Fixes the moment that `strftime_now` shows, in seconds since 1970 (UTC), so that a prompt
    /// with a date in it can be rendered again on another day.
    #[must_use]
    pub fn at_time(mut self, unix_seconds: i64) -> Self {
        self.now = Some(unix_seconds);
        self
    }

    /// The Jinja source, as in the file.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The text of a conversation; with `add_generation_prompt` it ends where the model's answer
    /// begins.
    ///
    /// # Errors
    /// The template's own refusal ([`TemplateError::Refused`]), a failing expression with its
    /// line, or too much output.
    pub fn render(&self, messages: &[Message], add_generation_prompt: bool) -> Result<String, TemplateError> {
        let environment = self.environment();
        let template = environment.template_from_str(&self.source).map_err(template_error)?;
        let messages: Vec<Value> = messages.iter().cloned().map(Value::from_object).collect();
        let mut output = CappedOutput::default();
        let rendered = template.render_captured_to(
            context! {
                messages,
                add_generation_prompt,
                bos_token => self.bos_token,
                eos_token => self.eos_token,
                tools => (),
                documents => (),
            },
            &mut output,
        );
        if output.is_full {
            return Err(TemplateError::OutputTooLong { limit: MAX_OUTPUT_BYTES });
        }
        rendered.map_err(template_error)?;
        Ok(String::from_utf8_lossy(&output.bytes).into_owned())
    }

    /// The conversation with every message that has visible text replaced by a stand-in that names
    /// its position. `None` where the stand-ins could not be told from the template's own text.
    pub(super) fn render_stand_ins(&self, messages: &[Message], add_generation_prompt: bool) -> Option<String> {
        if self.source.contains([STAND_IN_OPEN, STAND_IN_CLOSE]) {
            return None;
        }
        let stand_ins: Vec<Message> = messages
            .iter()
            .enumerate()
            .map(|(index, message)| match message.content.trim() {
                "" => message.clone(),
                _ => Message::new(message.role, stand_in(index)),
            })
            .collect();
        self.render(&stand_ins, add_generation_prompt).ok()
    }

    /// The system message that the template inserts when a conversation has none: a default that
    /// changes what the model is asked. `None` where it inserts none.
    pub fn default_system_message(&self) -> Option<String> {
        let user = Message::new(Role::User, stand_in(1));
        let system = Message::new(Role::System, stand_in(0));
        let given = self.render(&[system, user.clone()], false).ok()?;
        let default = self.render(&[user], false).ok()?;
        let (before, after) = given.split_once(&stand_in(0))?;
        let (after, _) = after.split_once(&stand_in(1))?;
        let (inserted, _) = default.split_once(&stand_in(1))?;
        let message = inserted.strip_prefix(before)?.strip_suffix(after)?;
        (!message.is_empty()).then(|| message.to_owned())
    }

    /// Jinja set up as Hugging Face's `apply_chat_template` does it.
    fn environment(&self) -> Environment<'_> {
        let mut environment = Environment::new();
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment.set_recursion_limit(MAX_RECURSION);
        environment.set_fuel(Some(MAX_STEPS));
        environment.set_unknown_method_callback(unknown_method_callback);
        environment.add_filter("tojson", python::tojson);
        environment.add_function("raise_exception", |message: String| -> Result<(), Error> {
            Err(Error::new(ErrorKind::InvalidOperation, "refused").with_source(Refusal(message)))
        });
        let now = self.now;
        environment.add_function("strftime_now", move |format: &str| {
            python::strftime(format, now.unwrap_or_else(clock_seconds))
        });
        environment
    }
}

/// The stand-in for the content of message `index`.
fn stand_in(index: usize) -> String {
    format!("{STAND_IN_OPEN}{index}{STAND_IN_CLOSE}")
}

/// The text of the token whose id stands under `key`; empty where the file names none.
fn token_text(metadata: &Metadata, key: &'static str) -> Result<String, TemplateError> {
    let Some(id) = metadata.optional_u32(key)? else {
        return Ok(String::new());
    };
    let tokens = metadata.strings(TOKENS_KEY)?;
    let text = tokens.get(id as usize).ok_or(TemplateError::IdOutOfRange { key, id, vocab_size: tokens.len() })?;
    Ok(text.clone())
}

/// Seconds since 1970 by the clock; 0 on a clock set before that.
fn clock_seconds() -> i64 {
    web_time::SystemTime::now().duration_since(web_time::UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64)
}

/// What `raise_exception` was called with.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Refusal(String);

/// Sorts an error of the Jinja engine.
fn template_error(error: Error) -> TemplateError {
    let mut line = error.line().unwrap_or(1);
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        if let Some(inner) = cause.downcast_ref::<Error>() {
            line = inner.line().unwrap_or(line);
        }
        if let Some(Refusal(message)) = cause.downcast_ref() {
            let message = message.clone();
            return TemplateError::Refused { line, message };
        }
        source = cause.source();
    }
    let kind = error.kind();
    let message = match error.detail() {
        Some(detail) => format!("{kind}: {detail}"),
        None => kind.to_string(),
    };
    match kind {
        ErrorKind::SyntaxError => TemplateError::Syntax { line, message },
        ErrorKind::OutOfFuel => TemplateError::TooManySteps { limit: MAX_STEPS },
        _ => TemplateError::Failed { line, message },
    }
}

/// Collects output up to [`MAX_OUTPUT_BYTES`].
#[derive(Default)]
struct CappedOutput {
    bytes: Vec<u8>,
    is_full: bool,
}

impl io::Write for CappedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > MAX_OUTPUT_BYTES - self.bytes.len() {
            self.is_full = true;
            return Err(io::Error::other("too much output"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
