//! Rendering: Jinja as Hugging Face's library sets it up.

use std::io;
use std::sync::Arc;

use minijinja::value::{Enumerator, Object, Value};
use minijinja::{Environment, Error, ErrorKind, context, escape_formatter};
use minijinja_contrib::pycompat::unknown_method_callback;

use crate::{Message, RenderError, RenderReply, RenderRequest, generation_tag, python};

/// A rendered conversation is refused beyond this: no context holds it.
const MAX_OUTPUT_BYTES: usize = 4 << 20;

/// Steps of the Jinja engine in one rendering: far more than a long conversation takes.
const MAX_STEPS: u64 = 1_000_000;

/// Levels of macros and loops inside one another, in the Jinja engine's units (a macro takes four):
/// few enough for a browser's stack.
const MAX_RECURSION: usize = 200;

/// Renders every conversation. Steps and output are bounded; memory and stack are not.
pub fn render(request: &RenderRequest) -> RenderReply {
    request.conversations.iter().map(|messages| render_one(request, messages)).collect()
}

/// The same from JSON to JSON: what a process or an instance that only renders is asked, and answers.
pub fn render_json(request: &str) -> String {
    let reply = match serde_json::from_str::<RenderRequest>(request) {
        Ok(request) => render(&request),
        Err(_) => Vec::new(), // which answers no request
    };
    serde_json::to_string(&reply).expect("a reply has plain fields")
}

fn render_one(request: &RenderRequest, messages: &[Message]) -> Result<String, RenderError> {
    let source = generation_tag::replaced(&request.source);
    let environment = environment(request.now);
    let template = environment.template_from_str(&source).map_err(template_error)?;
    let messages: Vec<Value> = messages.iter().cloned().map(Value::from_object).collect();
    let mut output = CappedOutput::default();
    let rendered = template.render_captured_to(
        context! {
            messages,
            add_generation_prompt => request.add_generation_prompt,
            bos_token => request.bos_token,
            eos_token => request.eos_token,
            tools => (),
            documents => (),
        },
        &mut output,
    );
    if output.is_full {
        return Err(RenderError::OutputTooLong { limit: MAX_OUTPUT_BYTES });
    }
    rendered.map_err(template_error)?;
    Ok(String::from_utf8_lossy(&output.bytes).into_owned())
}

/// Jinja set up as Hugging Face's `apply_chat_template` does it.
fn environment(now: i64) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.set_recursion_limit(MAX_RECURSION);
    environment.set_fuel(Some(MAX_STEPS));
    environment.set_unknown_method_callback(unknown_method_callback);
    environment.set_formatter(|output, state, value| {
        python::check_finite(value)?;
        escape_formatter(output, state, value)
    });
    environment.add_filter("tojson", python::tojson);
    environment.add_function("raise_exception", |message: String| -> Result<(), Error> {
        let cut: String = message.chars().take(MOST_SHOWN).collect();
        let message = if cut.len() < message.len() { cut + "…" } else { message };
        Err(Error::new(ErrorKind::InvalidOperation, "refused").with_source(Refusal(message)))
    });
    environment.add_function("strftime_now", move |format: &str| python::strftime(format, now));
    environment
}

/// Characters of a template's own words that are shown.
const MOST_SHOWN: usize = 1_000;

/// What `raise_exception` was called with.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Refusal(String);

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

/// Sorts an error of the Jinja engine.
fn template_error(error: Error) -> RenderError {
    let mut line = error.line().unwrap_or(1);
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        if let Some(inner) = cause.downcast_ref::<Error>() {
            line = inner.line().unwrap_or(line);
        }
        if let Some(Refusal(message)) = cause.downcast_ref() {
            let message = message.clone();
            return RenderError::Refused { line, message };
        }
        source = cause.source();
    }
    let kind = error.kind();
    let message = match error.detail() {
        Some(detail) => format!("{kind}: {detail}"),
        None => kind.to_string(),
    };
    // The Jinja engine has no kind of its own for its limits of nesting and counting.
    let is_limit = ["recursion limit", "range has too many"].iter().any(|words| message.contains(words));
    match kind {
        _ if is_limit => RenderError::TooDeep { line, message },
        ErrorKind::SyntaxError => RenderError::Syntax { line, message },
        ErrorKind::OutOfFuel => RenderError::TooManySteps { limit: MAX_STEPS },
        _ => RenderError::Failed { line, message },
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
