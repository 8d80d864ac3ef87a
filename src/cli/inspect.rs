//! `lastbit inspect`: what a GGUF file holds and whether it can run here. Reads the header only.

use std::borrow::Cow;
use std::collections::BTreeMap;

use clap::Args;
use serde::Serialize;

use super::failure::{Ended, Failure};
use super::inspect_text::told;
use super::model_file::{ModelFile, ModelHead};
use super::output::{print, print_json};
use super::start::{ModelArgs, TwinArgs, notes_of};
use crate::error::Explained;
use crate::generate::{EngineOptions, GenerateError};
use crate::gguf::{GgufFile, MetadataValue, TensorInfo};
use crate::gpu::{Device, DeviceOptions, DeviceReport};
use crate::model::{Fit, FitLimits, ModelConfig, check_header, fit};
use crate::numerics::{Formats, Numerics, Order};
use crate::tokenizer::{ChatTemplate, Tokenizer, TokenizerReport};

const USUAL_MEMORY_MB: u64 = FitLimits::USUAL_MEMORY_BYTES / 1_000_000;

/// Which file.
#[derive(Debug, Args)]
pub(super) struct InspectArgs {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    twin: TwinArgs,
    /// Memory in MB that weights and cache may take together
    #[arg(long, value_name = "MB", default_value_t = USUAL_MEMORY_MB)]
    memory: u64,
    /// Formats that keys and values are told in
    #[arg(long, value_enum, default_value_t = Formats::Int8)]
    formats: Formats,
    /// Print JSON, with every tensor, instead of text
    #[arg(long)]
    pub(super) json: bool,
}

/// Tensors of one format.
#[derive(Debug, Default, Serialize)]
pub(super) struct TypeCount {
    pub(super) tensors: u64,
    pub(super) elements: u64,
    pub(super) bytes: u64,
}

/// An entry of the tensor table.
#[derive(Debug, Serialize)]
pub(super) struct Tensor<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    tensor_type: &'static str,
    shape: &'a [u64],
    file_offset: u64,
    len_bytes: u64,
}

/// All that is told of a file. What stands in its header is not copied: there may be 40 MiB of it.
#[derive(Debug, Serialize)]
pub(super) struct Inspection<'a> {
    pub(super) path: String,
    pub(super) len_bytes: u64,
    /// Bytes that the header calls for; none where the tensor table was refused.
    pub(super) expected_bytes: Option<u64>,
    pub(super) gguf_version: Option<u32>,
    pub(super) metadata: BTreeMap<&'a str, Cow<'a, str>>,
    pub(super) tensor_types: BTreeMap<&'static str, TypeCount>,
    pub(super) tensors: Vec<Tensor<'a>>,
    pub(super) model: Option<ModelConfig>,
    /// How the vocabulary is read.
    pub(super) tokenizer: Option<TokenizerReport>,
    /// What it takes of the device, or of the CPU twin.
    pub(super) fit: Option<Fit>,
    pub(super) device: Option<DeviceReport>,
    /// The chat templates that can be chosen: the file's own by their names, and known layouts that its vocabulary has the tokens for.
    pub(super) templates: Vec<String>,
    /// Whether this program can run it here, as far as the header tells.
    pub(super) runs: bool,
    /// What is in the way.
    pub(super) why_not: Vec<Explained>,
    /// The first of that which is a fault of the file, or of the request: what `run` refuses it for. None where the machine is too small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<Explained>,
    /// What a person may want to know of a file that runs: keys that are not read, bytes that are no part of the model.
    pub(super) notes: Vec<String>,
}

/// Prints what a file holds, and ends as `run` would: a file that can never run is a failure, one that is too large for this machine is none.
pub(super) async fn run(args: &InspectArgs) -> Result<Ended, Failure> {
    let mut file = args.model.open()?;
    let head = file.head()?;
    let inspection = inspect(args, &file, &head).await;
    if args.json {
        print_json(&inspection)?;
    } else {
        print(&told(&inspection))?;
    }
    let failure = inspection.error.map(Failure::Explained);
    Ok(failure.map_or(Ended::Fine, |failure| Ended::Failed(failure.exit_code())))
}

/// What is in the way, each reason once.
#[derive(Default)]
struct Reasons(Vec<Explained>);

impl Reasons {
    /// The value, or nothing and one reason more.
    fn keep<T>(&mut self, result: Result<T, impl Into<Failure>>) -> Option<T> {
        match result.map_err(Into::into) {
            Ok(value) => return Some(value),
            Err(Failure::Explained(explained)) if !self.0.contains(&explained) => self.0.push(explained),
            Err(_) => {}
        }
        None
    }
}

async fn inspect<'a>(args: &InspectArgs, model_file: &ModelFile, head: &'a ModelHead) -> Inspection<'a> {
    let mut reasons = Reasons::default();
    let (metadata, file, refused) = (head.metadata(), head.header.as_deref(), head.refused.clone());
    // Parts that are not those of one model have no description in common.
    let is_of_parts = refused.as_ref().is_some_and(Failure::is_of_parts);
    reasons.keep(refused.map_or(Ok(()), Err));
    // As a loader does before any tensor arrives: names, shapes and formats of them all.
    let checked = file.and_then(|file| reasons.keep(check_header(file)));
    let unknown = args.model.unknown_pre_tokenizer();
    let tokenizer =
        (!is_of_parts).then(|| Tokenizer::new(metadata, unknown)).and_then(|tokenizer| reasons.keep(tokenizer));
    if let (Some(name), Some(tokenizer)) = (args.model.template(), &tokenizer) {
        reasons.keep(ChatTemplate::choose(metadata, tokenizer, Some(name)).map_err(GenerateError::from));
    }
    let error = reasons.0.first().cloned();
    // A file that is refused needs no GPU.
    let device = if args.twin.twin || error.is_some() {
        None
    } else {
        reasons.keep(Device::open(DeviceOptions::default()).await).map(|device| device.report().clone())
    };
    let model = file.and_then(|file| ModelConfig::from_gguf(file).ok());
    let fit = match (file, &checked) {
        (Some(file), Some(model)) if error.is_none() && (args.twin.twin || device.is_some()) => {
            Some(fit_of(args, file, model, device.as_ref()))
        }
        _ => None,
    };
    reasons.0.extend(fit.as_ref().filter(|fit| !fit.fits).map(too_large));
    let templates = |tokenizer: &Tokenizer| {
        let known = ChatTemplate::known_names(tokenizer).into_iter().map(str::to_owned);
        ChatTemplate::names(metadata).into_iter().chain(known).collect()
    };
    Inspection {
        path: model_file.path.display().to_string(),
        len_bytes: model_file.len_bytes,
        expected_bytes: file.map(|file| file.end_of_data()),
        gguf_version: file.map(|file| file.version),
        metadata: metadata.iter().map(|(key, value)| (key, shown(value))).collect(),
        tensor_types: file.map(type_counts).unwrap_or_default(),
        tensors: file.map(tensors).unwrap_or_default(),
        templates: tokenizer.as_ref().map(templates).unwrap_or_default(),
        notes: match (file, model.as_ref(), &tokenizer) {
            (Some(file), Some(model), Some(tokenizer)) => notes_of(file, model, tokenizer.report(), head.bytes_behind),
            _ => Vec::new(),
        },
        runs: reasons.0.is_empty(),
        model,
        tokenizer: tokenizer.map(|tokenizer| tokenizer.report().clone()),
        fit,
        device,
        why_not: reasons.0,
        error,
    }
}

/// A model that is good, and too large for the memory or for what the device binds at once.
fn too_large(fit: &Fit) -> Explained {
    let what_to_do = "Choose a smaller model or a format of fewer bits, or raise --memory if there is more than that.";
    let fault = (!fit.binding_fits).then_some("GPU_LIMIT");
    Explained { code: "out-of-memory", fault, message: fit.sentence.clone(), what_to_do: what_to_do.to_owned() }
}

/// What the model takes of the device, or of the CPU twin where there is none.
fn fit_of(args: &InspectArgs, file: &GgufFile, model: &ModelConfig, device: Option<&DeviceReport>) -> Fit {
    let limits = FitLimits {
        binding_bytes: device.map(|device| device.limits.largest_binding()),
        memory_bytes: args.memory.saturating_mul(1_000_000),
    };
    let options = EngineOptions::default();
    let numerics = Numerics::new(args.formats, Order::ByShape, 1);
    fit(file, model, &numerics, options.n_cache_blocks, limits)
}

/// Bytes of a text that are told: no chat template in use is as long.
const MOST_TOLD: usize = 32 << 10;

/// A metadata value: its text if it is one, cut where it is very long; else type and number or length.
fn shown(value: &MetadataValue) -> Cow<'_, str> {
    match value {
        MetadataValue::String(text) if text.len() > MOST_TOLD => {
            format!("{}… ({} bytes)", &text[..text.floor_char_boundary(MOST_TOLD)], text.len()).into()
        }
        MetadataValue::InvalidUtf8(bytes) if bytes.len() > MOST_TOLD => {
            format!("{}… ({} bytes)", String::from_utf8_lossy(&bytes[..MOST_TOLD]), bytes.len()).into()
        }
        value => value.lossy_text().unwrap_or_else(|| value.describe().into()),
    }
}

fn type_counts(file: &GgufFile) -> BTreeMap<&'static str, TypeCount> {
    let mut counts: BTreeMap<&'static str, TypeCount> = BTreeMap::new();
    for tensor in &file.tensors {
        let count = counts.entry(tensor.tensor_type.name()).or_default();
        count.tensors += 1;
        // Sums over a checked table: each tensor's size fits, and the file caps their number.
        count.elements = count.elements.saturating_add(tensor.n_elements());
        count.bytes = count.bytes.saturating_add(tensor.len_bytes);
    }
    counts
}

fn tensors(file: &GgufFile) -> Vec<Tensor<'_>> {
    fn line<'a>(file: &GgufFile, tensor: &'a TensorInfo) -> Tensor<'a> {
        Tensor {
            name: &tensor.name,
            tensor_type: tensor.tensor_type.name(),
            shape: &tensor.shape,
            file_offset: file.file_offset(tensor),
            len_bytes: tensor.len_bytes,
        }
    }
    file.tensors.iter().map(|tensor| line(file, tensor)).collect()
}
