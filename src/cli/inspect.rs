//! `lastbit inspect`: what a GGUF file holds and whether it can run here. Reads the header only, so the rest may still be missing.

use std::collections::BTreeMap;

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use super::failure::{Ended, Failure};
use super::inspect_text::told;
use super::model_file::{ModelFile, ModelHead};
use super::output::{print, print_json};
use super::start::{ModelArgs, TwinArgs};
use crate::error::Explained;
use crate::generate::EngineOptions;
use crate::gguf::GgufFile;
use crate::gpu::{Device, DeviceOptions, DeviceReport};
use crate::model::{Fit, FitLimits, ModelConfig, check_header, fit};
use crate::numerics::{Formats, Numerics, Order};
use crate::tokenizer::{Tokenizer, TokenizerReport};

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

/// All that is told of a file.
#[derive(Debug, Serialize)]
pub(super) struct Inspection {
    pub(super) path: String,
    pub(super) len_bytes: u64,
    /// Bytes that the header calls for; none where the tensor table was refused.
    pub(super) expected_bytes: Option<u64>,
    pub(super) gguf_version: Option<u32>,
    pub(super) metadata: BTreeMap<String, Value>,
    pub(super) tensor_types: BTreeMap<&'static str, TypeCount>,
    pub(super) tensors: Vec<Value>,
    pub(super) model: Option<ModelConfig>,
    /// How the vocabulary is read.
    pub(super) tokenizer: Option<TokenizerReport>,
    /// What it takes of the device, or of the CPU twin.
    pub(super) fit: Option<Fit>,
    pub(super) device: Option<DeviceReport>,
    /// Whether this program can run it here, as far as the header tells.
    pub(super) runs: bool,
    /// What is in the way.
    pub(super) why_not: Vec<Explained>,
}

/// Prints what a file holds. A file that cannot run is no failure: that is what was asked.
pub(super) async fn run(args: &InspectArgs) -> Result<Ended, Failure> {
    let mut file = args.model.open()?;
    let head = file.head()?;
    let inspection = inspect(args, &file, &head).await;
    if args.json {
        print_json(&inspection)?;
    } else {
        print(&told(&inspection))?;
    }
    Ok(Ended::Fine)
}

async fn inspect(args: &InspectArgs, model_file: &ModelFile, head: &ModelHead) -> Inspection {
    let mut why_not = Vec::new();
    let mut keep = |failure: Failure| {
        if let Failure::Explained(explained) = failure
            && !why_not.contains(&explained)
        {
            why_not.push(explained);
        }
    };
    let device = if args.twin.twin {
        None
    } else {
        Device::open(DeviceOptions::default()).await.map_err(|error| keep(error.into())).ok()
    };
    let file = head.file.as_ref().map_err(|failure| keep(failure.clone())).ok();
    let model = file.and_then(|file| ModelConfig::from_gguf(file).map_err(|error| keep(error.into())).ok());
    let unknown = args.model.unknown_pre_tokenizer();
    let tokenizer = Tokenizer::new(&head.metadata, unknown).map_err(|error| keep(error.into())).ok();
    // As a loader does before any tensor arrives: names, shapes and formats of them all.
    let checked =
        file.zip(model.as_ref()).filter(|(file, _)| check_header(file).map_err(|error| keep(error.into())).is_ok());
    let device = device.map(|device| device.report().clone());
    let fit = (args.twin.twin || device.is_some())
        .then_some(checked)
        .flatten()
        .map(|(file, model)| fit_of(args, file, model, device.as_ref()));
    Inspection {
        path: model_file.path.display().to_string(),
        len_bytes: model_file.len_bytes,
        expected_bytes: file.map(|file| file.end_of_data()),
        gguf_version: file.map(|file| file.version),
        metadata: head.metadata.iter().map(|(key, value)| (key.to_owned(), shown(value))).collect(),
        tensor_types: file.map(|file| type_counts(file)).unwrap_or_default(),
        tensors: file.map(|file| tensors(file)).unwrap_or_default(),
        runs: why_not.is_empty() && fit.as_ref().is_some_and(|fit| fit.fits),
        model,
        tokenizer: tokenizer.map(|tokenizer| tokenizer.report().clone()),
        fit,
        device,
        why_not,
    }
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

/// A metadata value: its text if it is one, else type and number or length.
fn shown(value: &crate::gguf::MetadataValue) -> Value {
    match value.lossy_text() {
        Some(text) => Value::from(text),
        None => Value::from(value.describe()),
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

fn tensors(file: &GgufFile) -> Vec<Value> {
    let tensor = |tensor: &crate::gguf::TensorInfo| {
        json!({
            "name": tensor.name,
            "type": tensor.tensor_type.name(),
            "shape": tensor.shape,
            "file_offset": file.file_offset(tensor),
            "len_bytes": tensor.len_bytes,
        })
    };
    file.tensors.iter().map(tensor).collect()
}
