//! Every failure in words for a person: a stable code, what happened and where, what to do next.
//!
//! The page and the command line show the same three things; only they know how a person acts on them.

use serde::Serialize;

use crate::generate::GenerateError;
use crate::gpu::GpuError;
use crate::lesson::LessonError;
use crate::model::ModelError;
use crate::numerics::NumericsError;
use crate::tokenizer::{RenderError, TemplateError, TokenizerError};

/// A failure in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "EngineError"))]
pub struct Explained {
    /// Stable: programs decide by it.
    pub code: &'static str,
    /// Stable too, and finer: which fault a file, a vocabulary, a template or a choice of numerics has (`GGUF_OFFSET`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(skip))] // the page shows it as the message ends with it
    pub fault: Option<&'static str>,
    /// What happened and where.
    pub message: String,
    /// The next step.
    pub what_to_do: String,
}

impl Explained {
    /// With a finer code, which people who report it see too.
    fn with_fault(mut self, fault: &'static str) -> Self {
        self.message += &format!(" ({fault})");
        self.fault = Some(fault);
        self
    }
}

impl std::fmt::Display for Explained {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}. {}", self.code, self.message, self.what_to_do)
    }
}

const LESS_MEMORY: &str = "Close other programs and pages that use the GPU, choose the formats int8 or float (half the cache of f32), or a smaller model.";
const AGAIN: &str = "Run it again. If it fails again, please report it with this message and the name of the device.";
const LOAD_ANYWAY: &str = "Choose another file, or load this one anyway with the rule \"default\" (on the command line with --load-anyway): the model may then read other tokens than it was trained with.";
const SHORTER: &str = "Shorten the prompt, or ask for fewer tokens.";

/// A failure of a run, or of starting an engine.
pub fn explain(error: &GenerateError) -> Explained {
    let (code, what_to_do) = match error {
        GenerateError::Model(error) => return explain_model(error),
        GenerateError::Numerics(error) => return explain_numerics(error),
        GenerateError::Tokenizer(error) => return explain_tokenizer(error),
        GenerateError::Cache(crate::cache::CacheError::OutOfBlocks { .. }) => ("context-full", SHORTER),
        GenerateError::Cache(crate::cache::CacheError::EmptyPrompt) | GenerateError::EmptyPrompt => {
            ("bad-request", "Type at least one character.")
        }
        GenerateError::MissingBytes { .. } => {
            ("bad-request", "Leave these characters out, or choose a model whose vocabulary has them.")
        }
        GenerateError::Cache(_) => ("run-failed", AGAIN),
        GenerateError::PromptTooLong { .. } => ("context-full", SHORTER),
        GenerateError::NoChatTemplate { others } => {
            let named = match others.as_slice() {
                [] => String::new(),
                others => {
                    format!(", name a template that suits it ({}; on the command line with --template)", listed(others))
                }
            };
            let what_to_do = format!(
                "Let the model complete a text instead{named}, or choose a model made for chats (its name often ends in Instruct)."
            );
            return explained("bad-request", error.to_string(), &what_to_do).with_fault("TEMPLATE_MISSING");
        }
        GenerateError::ChatTemplate { error, others } => return explain_template(error, others),
        GenerateError::SecondTurnOfText => ("bad-request", "Ask the first turn as a chat message."),
        GenerateError::Sequences { .. } => ("bad-request", "Start the engine with at least that many sequences."),
        GenerateError::Schedule { .. } => ("bad-request", "Make the schedule for this prompt's length."),
        GenerateError::Transplant { .. } => ("bad-request", "Name positions that both runs have computed."),
        GenerateError::Setting { .. } => ("bad-request", "Choose a value in that range."),
    };
    explained(code, error.to_string(), what_to_do)
}

/// Choices that do not go together.
fn explain_numerics(error: &NumericsError) -> Explained {
    explained("bad-request", error.to_string(), &error.what_to_do()).with_fault(error.code())
}

/// A failure of reading a model file, or of a forward step.
pub fn explain_model(error: &ModelError) -> Explained {
    let explained = model_explained(error);
    match error.code() {
        Some(code) => explained.with_fault(code),
        None => explained,
    }
}

fn model_explained(error: &ModelError) -> Explained {
    let (code, what_to_do) = match error {
        ModelError::Gpu(error) => return explain_gpu(error),
        ModelError::SelfTest(crate::model::SelfTestError::Gpu(error)) => return explain_gpu(error),
        ModelError::SelfTest(_) => (
            "self-test-failed",
            "Nothing was run: wrong numbers would have followed. Update the driver or browser, or use another adapter.",
        ),
        ModelError::Numerics(error) => return explain_numerics(error),
        ModelError::WrongHash { .. } => {
            ("hash-mismatch", "Fetch the file again; it was damaged on the way or is another version of the model.")
        }
        ModelError::RowLength { .. } | ModelError::WeightRange { .. } => {
            ("bad-request", "Choose another weight format, or keep the weights as in the file.")
        }
        ModelError::LogitsNotFinite { .. } => (
            "run-failed",
            "Nothing was chosen from them. Try the formats f32, if these are others; a file that fails there too is at fault itself.",
        ),
        ModelError::Gguf(_)
        | ModelError::Twin(_)
        | ModelError::NoArchitecture(_)
        | ModelError::NotAModel { .. }
        | ModelError::Architecture { .. }
        | ModelError::Value { .. }
        | ModelError::Unsupported { .. }
        | ModelError::Experts { .. }
        | ModelError::MissingTensor { .. }
        | ModelError::TensorShape { .. }
        | ModelError::TensorFormat { .. }
        | ModelError::UnknownTensor { .. }
        | ModelError::MixedGateUp { .. }
        | ModelError::NotFinite { .. } => ("bad-file", error.what_to_do_with_file()),
        ModelError::SpentLoader => ("bad-file", "Load the file again from its beginning."),
        ModelError::StepLeft => ("run-failed", "Run it again."),
        ModelError::TokenId { .. } => ("bad-request", "Use ids below the vocabulary's size."),
        ModelError::Rows { .. } => ("bad-request", "Choose a number of rows in that range."),
        ModelError::CacheSlot { .. } => ("bad-request", "Name layers and positions that both runs have computed."),
        ModelError::TappedRow { .. } => ("bad-request", "Choose a row of the step, from 0."),
        ModelError::Position { .. } => ("context-full", SHORTER),
    };
    explained(code, error.to_string(), what_to_do)
}

/// A failure of the GPU.
pub fn explain_gpu(error: &GpuError) -> Explained {
    let (code, what_to_do) = match error {
        GpuError::NoAdapter { .. } => (
            "no-adapter",
            "Install or update the graphics driver. Without a GPU a software one will do: on Debian, apt install mesa-vulkan-drivers.",
        ),
        GpuError::DeviceRefused { .. } => (
            "device-refused",
            "Close other programs and pages that use the GPU and try again; if that fails, update the graphics driver.",
        ),
        GpuError::DeviceLost { .. } => (
            "device-lost",
            "Start again: everything on the device is gone. If it happens again, ask for fewer tokens or close other programs that use the GPU.",
        ),
        GpuError::OutOfMemory { .. } | GpuError::TooLarge { .. } => ("out-of-memory", LESS_MEMORY),
        GpuError::Shader { .. } => (
            "shader-failed",
            "Update the graphics driver or the browser. Other formats or the other order use other kernels and may run.",
        ),
        GpuError::ReadBack { .. } | GpuError::Uncaptured { .. } => ("run-failed", AGAIN),
    };
    explained(code, error.to_string(), what_to_do)
}

/// A failure of the lesson.
pub fn explain_lesson(error: &LessonError) -> Explained {
    match error {
        LessonError::Gpu(error) => explain_gpu(error),
        LessonError::Count { .. } | LessonError::Range { .. } | LessonError::Leaves { .. } => {
            explained("bad-request", error.to_string(), "Choose other numbers, or start the step again.")
        }
    }
}

/// A failure of a vocabulary, of a chat template, or of what was put into it.
pub fn explain_tokenizer(error: &TokenizerError) -> Explained {
    let (code, what_to_do) = match error {
        TokenizerError::UnknownPreTokenizer { .. } => ("bad-file", LOAD_ANYWAY),
        TokenizerError::UnclearOrigin => {
            ("bad-request", "Let the model complete a text instead of a chat: that needs no template.")
        }
        TokenizerError::Template(TemplateError::Render(RenderError::Refused { .. })) => {
            ("bad-request", "Ask in a way that the template accepts, or let the model complete a text instead.")
        }
        TokenizerError::Template(TemplateError::Render(RenderError::OutputTooLong { .. })) => ("context-full", SHORTER),
        TokenizerError::Template(TemplateError::UnknownName { .. }) => {
            ("bad-request", "Choose one of those names, or none for the file's default template.")
        }
        TokenizerError::Template(TemplateError::Metadata(error)) => ("bad-file", error.what_to_do()),
        TokenizerError::Template(_) => {
            ("bad-file", "Let the model complete a text instead of a chat: that needs no template.")
        }
        error => ("bad-file", error.what_to_do_with_file()),
    };
    explained(code, error.to_string(), what_to_do).with_fault(error.code())
}

/// The same where other templates can be chosen.
fn explain_template(error: &TokenizerError, others: &[String]) -> Explained {
    let mut explained = explain_tokenizer(error);
    if explained.code == "bad-file" && !others.is_empty() {
        explained.what_to_do += &format!(" Or name another template: {}.", listed(others));
    }
    explained
}

/// Names that a file may have made up: not too many, and none too long.
fn listed(names: &[String]) -> String {
    let shown = |name: &String| format!("\"{}\"", name.chars().take(40).collect::<String>());
    names.iter().take(8).map(shown).collect::<Vec<_>>().join(", ")
}

fn explained(code: &'static str, message: String, what_to_do: &str) -> Explained {
    Explained { code, fault: None, message, what_to_do: what_to_do.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(error: impl Into<GenerateError>) -> &'static str {
        let explained = explain(&error.into());
        assert!(!explained.message.is_empty() && explained.what_to_do.ends_with('.'), "{explained}");
        explained.code
    }

    #[test]
    fn every_code_that_the_page_knows_is_given_by_some_failure() {
        let text = || "why".to_owned();
        let gpu = [
            (GpuError::NoAdapter { reason: text() }, "no-adapter"),
            (GpuError::DeviceRefused { adapter: text(), reason: text() }, "device-refused"),
            (GpuError::DeviceLost { reason: text() }, "device-lost"),
            (GpuError::OutOfMemory { what: text(), len_bytes: 1 }, "out-of-memory"),
            (GpuError::TooLarge { what: text(), len_bytes: 2, limit_bytes: 1 }, "out-of-memory"),
            (GpuError::Shader { kernel: text(), reason: text() }, "shader-failed"),
            (GpuError::Uncaptured { reason: text() }, "run-failed"),
        ];
        for (error, expected) in gpu {
            assert_eq!(code(error), expected);
        }
        assert_eq!(code(ModelError::WrongHash { expected: text(), found: text() }), "hash-mismatch");
        assert_eq!(code(ModelError::MissingTensor { name: text() }), "bad-file");
        assert_eq!(code(ModelError::WeightRange { name: text(), format: "q2_32" }), "bad-request");
        assert_eq!(code(ModelError::LogitsNotFinite { position: 3 }), "run-failed");
        assert_eq!(explain_lesson(&LessonError::Leaves { n_values: 3 }).code, "bad-request");
        assert_eq!(explain_lesson(&GpuError::ReadBack { what: text(), reason: text() }.into()).code, "run-failed");
        assert_eq!(code(TokenizerError::NoTokens), "bad-file");
        assert_eq!(code(TemplateError::Missing), "bad-file");
        assert_eq!(code(GenerateError::EmptyPrompt), "bad-request");
        assert_eq!(code(GenerateError::MissingBytes { n_bytes: 3 }), "bad-request");
        assert_eq!(code(NumericsError::ChunkRows { found: 0 }), "bad-request");
        let unequal = NumericsError::UnequalArithmetic { site: "output", order: "invariant" };
        assert_eq!(code(unequal), "bad-request");
        assert_eq!(code(GenerateError::PromptTooLong { n_tokens: 9, context_len: 8 }), "context-full");
        assert_eq!(code(crate::cache::CacheError::StaleSequence), "run-failed");
    }
}
