//! How a command ends: the exit code, and a failure in words.

use std::path::Path;
use std::process::ExitCode;

use crate::error::{Explained, explain};
use crate::generate::GenerateError;
use crate::gguf::GgufError;
use crate::gpu::GpuError;
use crate::model::ModelError;
use crate::tokenizer::TokenizerError;

/// How a command ended that did what it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// Nothing to object to.
    Fine,
    /// A comparison broke off.
    VerdictError,
    /// Two cold runs differed.
    ControlFailed,
    /// An experiment found something that must hold and does not.
    PromiseBroken,
    /// It was told why; this is the exit code.
    Failed(u8),
}

impl Ended {
    /// The exit code.
    pub(super) fn exit_code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::VerdictError | Self::PromiseBroken => 1,
            Self::ControlFailed => 5,
            Self::Failed(code) => code,
        }
    }
}

impl From<Ended> for ExitCode {
    fn from(ended: Ended) -> Self {
        Self::from(ended.exit_code())
    }
}

/// Why a command did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// In words.
    Explained(Explained),
    /// Whoever read our output has had enough of it.
    NobodyReads,
}

impl Failure {
    /// The request itself cannot be done.
    pub(super) fn bad_request(message: impl Into<String>, what_to_do: &str) -> Self {
        let (message, what_to_do) = (message.into(), what_to_do.to_owned());
        Self::Explained(Explained { code: "bad-request", fault: None, message, what_to_do })
    }

    /// A file could not be opened, read or written.
    pub(super) fn file(code: &'static str, path: &Path, error: &std::io::Error, what_to_do: &str) -> Self {
        let message = format!("{}: {error}", path.display());
        Self::Explained(Explained { code, fault: None, message, what_to_do: what_to_do.to_owned() })
    }

    /// Whether files that may be good each are not all the parts of one model.
    pub(super) fn is_of_parts(&self) -> bool {
        matches!(self, Self::Explained(Explained { fault: Some("MODEL_SHARDS"), .. }))
    }

    /// The exit code, by the failure's code.
    pub(super) fn exit_code(&self) -> u8 {
        let Self::Explained(explained) = self else { return 0 };
        match explained.code {
            "bad-request" | "context-full" => 2,
            "no-adapter" | "device-refused" => 3,
            "bad-file" | "hash-mismatch" | "no-file" => 4,
            _ => 1,
        }
    }
}

impl From<GenerateError> for Failure {
    fn from(error: GenerateError) -> Self {
        Self::Explained(explain(&error))
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        GenerateError::from(error).into()
    }
}

impl From<GpuError> for Failure {
    fn from(error: GpuError) -> Self {
        GenerateError::from(error).into()
    }
}

impl From<GgufError> for Failure {
    fn from(error: GgufError) -> Self {
        GenerateError::from(error).into()
    }
}

impl From<TokenizerError> for Failure {
    fn from(error: TokenizerError) -> Self {
        GenerateError::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_of_the_help() {
        let failure = |error: GpuError| Failure::from(error).exit_code();
        let reason = || "why".to_owned();
        assert_eq!(failure(GpuError::NoAdapter { reason: reason() }), 3);
        assert_eq!(failure(GpuError::DeviceRefused { adapter: reason(), reason: reason() }), 3);
        assert_eq!(failure(GpuError::DeviceLost { reason: reason() }), 1);
        assert_eq!(Failure::from(ModelError::MissingTensor { name: reason() }).exit_code(), 4);
        assert_eq!(Failure::from(GenerateError::EmptyPrompt).exit_code(), 2);
        assert_eq!(Failure::from(GenerateError::PromptTooLong { n_tokens: 9, context_len: 8 }).exit_code(), 2);
        assert_eq!(Failure::NobodyReads.exit_code(), 0);
        let ended = [Ended::Fine, Ended::VerdictError, Ended::PromiseBroken, Ended::ControlFailed, Ended::Failed(3)];
        assert_eq!(ended.map(Ended::exit_code), [0, 1, 1, 5, 3]);
    }
}
