//! The records that cross to the page and back, beside those that every layer has: what it asks for, and what it is told.
//!
//! Everything that crosses is plain data of a Rust type, and its TypeScript type is made from that: `make types` writes
//! `www/src/shared/engine-records.ts`. A test fails where that file is not what these types are.

mod ablation;
mod crossing;
mod events;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod layout;
mod lesson;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod typescript;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use ablation::{AblationReport, OrdersRequest};
pub use crossing::{FromPage, ToPage};
pub use events::{CasesDone, CompareEvent};
pub use lesson::{DotProduct, DotProductRequest};

use crate::generate::Engine;
use crate::model::{ModelConfig, Pass, SelfTest};
use crate::numerics::{Formats, Order};
use crate::tokenizer::{ChatTemplate, TokenizerReport};

/// How the device is opened.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CreateOptions {
    /// Whether the page asked the browser for subgroup operations.
    pub subgroups: bool,
}

/// What a file's header is checked for.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CheckOptions {
    /// Most bytes of one binding; none on the CPU twin.
    pub binding_bytes: Option<f64>,
    /// Bytes for weights and cache together; the engine's own choice where none is given.
    pub memory_bytes: Option<f64>,
    /// Formats that the cache is counted in.
    pub formats: Formats,
    /// Whether a person asked for a file whose pre-tokenizer is unknown.
    pub load_anyway: bool,
}

/// What is wanted of a file, and how it shall run.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LoadOptions {
    /// 64 hex digits, where the file's hash is known.
    pub expected_sha256: Option<String>,
    /// Formats.
    pub formats: Formats,
    /// Order of addition.
    pub order: Order,
    /// Whether a person asked for a file whose pre-tokenizer is unknown.
    pub load_anyway: bool,
}

/// What can be changed of a loaded model.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ConfigureOptions {
    /// Formats.
    pub formats: Formats,
    /// Order of addition.
    pub order: Order,
    /// Name of a chat template of the file; the default one where none is given.
    pub template: Option<String>,
}

/// What the page's renderer of templates rejects with.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TemplateFailure {
    /// It was stopped.
    TimedOut {
        /// After so long.
        limit_ms: u64,
    },
    /// It broke down.
    Crashed {
        /// In the words of whatever broke.
        how: String,
    },
}

/// A loaded model, and how it runs.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ModelReport<'a> {
    /// The model's sizes.
    #[serde(flatten)]
    pub config: &'a ModelConfig,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Bytes of the file.
    pub len_bytes: u64,
    /// Names of the matrices that hold nothing but zeros: where the file was downloaded, its end may never have come.
    pub zero_matrices: &'a [String],
    /// Number of tensors of each type.
    pub tensor_types: BTreeMap<&'static str, usize>,
    /// How far the kernels are from their CPU twins on this device.
    pub self_test: &'a SelfTest,
    /// Rows of one prefill step, at most.
    pub chunk_rows: u32,
    /// Positions that the engine has a cache for, at most.
    pub max_context_len: u32,
    /// How the file's tokenizer was read.
    pub tokenizer: &'a TokenizerReport,
    /// Name of the chat template in use; none for the file's default one.
    pub template_name: Option<&'a str>,
    /// SHA-256 of the chat template in use; none where there is no template.
    pub template_sha256: Option<String>,
    /// Those that the file brings besides its default one.
    pub template_names: Vec<String>,
    /// Whether the file brings a default chat template that can be used.
    pub file_has_template: bool,
    /// Layouts that many models share and that this vocabulary has the control tokens for.
    pub known_template_names: Vec<&'static str>,
    /// Whose template the one in use is; none for one that is not known, which may add or drop whatever it likes.
    pub template_known_as: Option<&'static str>,
}

impl<'a> ModelReport<'a> {
    /// Of an engine's model.
    pub fn of<P: Pass>(engine: &'a Engine<P>) -> Self {
        let (model, template) = (engine.model(), engine.encoder().chat_template().ok());
        Self {
            config: &model.config,
            sha256: model.sha256.iter().map(|byte| format!("{byte:02x}")).collect(),
            len_bytes: model.len_bytes,
            zero_matrices: &model.zero_matrices,
            tensor_types: model.file.tensor_types(),
            self_test: engine.self_test(),
            chunk_rows: engine.numerics().chunk_rows,
            max_context_len: engine.context_len(),
            tokenizer: engine.tokenizer().report(),
            template_name: template.and_then(ChatTemplate::name),
            template_sha256: template.map(ChatTemplate::sha256),
            template_names: engine.encoder().template_names(),
            file_has_template: engine.encoder().file_has_template(),
            known_template_names: engine.encoder().known_template_names(),
            template_known_as: template.and_then(ChatTemplate::known_as),
        }
    }
}
