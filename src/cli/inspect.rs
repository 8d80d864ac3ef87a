//! `lastbit inspect`: what a GGUF file holds and whether it can run here. Reads the header only, so the rest may still be missing.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use super::failure::{Ended, Failure};
use super::inspect_text::told;
use super::output::{print, print_json};
use super::start::{ModelArgs, in_file, read};
use crate::cache::BLOCK_TOKENS;
use crate::error::Explained;
use crate::generate::EngineOptions;
use crate::gguf::{GgufError, GgufFile, GgufStream, Metadata};
use crate::gpu::{Device, DeviceOptions, DeviceReport};
use crate::model::{ModelConfig, check_header};
use crate::tokenizer::{Tokenizer, TokenizerReport, UnknownPreTokenizer};

/// Bytes read at once: headers with large vocabularies take a few MB.
const READ_BYTES: usize = 256 << 10;

/// Which file.
#[derive(Debug, Args)]
pub(super) struct InspectArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Print JSON, with every tensor, instead of text
    #[arg(long)]
    pub(super) json: bool,
}

/// The head of a file.
pub(super) struct Header {
    /// Where it is.
    pub(super) path: PathBuf,
    /// Bytes that there are.
    len_bytes: u64,
    /// Its metadata, also where the tensor table was refused.
    metadata: Metadata,
    /// The whole header, or why it was refused.
    pub(super) file: Result<Arc<GgufFile>, Failure>,
}

/// Reads up to the end of the header.
///
/// # Errors
/// A file that cannot be opened, or is no GGUF at all.
pub(super) fn read_header(model: &ModelArgs) -> Result<Header, Failure> {
    let (path, mut source, len_bytes) = model.open()?;
    // The length is not announced: the file may be the beginning of a download.
    let mut stream = GgufStream::new(None);
    let mut piece = vec![0; READ_BYTES];
    let mut refused = None;
    while stream.header().is_none() && refused.is_none() {
        let n = read(&mut source, &mut piece, &path)?;
        if n == 0 {
            break;
        }
        refused = stream.push(&piece[..n]).err();
    }
    let metadata = stream.metadata_so_far().clone();
    let file = match (refused, stream.header().cloned()) {
        // The tensor table stands behind the metadata, so a type that this program lacks leaves a readable description.
        (Some(error @ GgufError::UnsupportedType { .. }), _) => Err(in_file(&path, error)),
        (Some(error), _) => return Err(in_file(&path, error)),
        (None, Some(file)) => Ok(file),
        (None, None) => {
            let error = stream.finish().err().unwrap_or(GgufError::Empty);
            return Err(in_file(&path, error));
        }
    };
    Ok(Header { path, len_bytes, metadata, file })
}

/// Tensors of one format.
#[derive(Debug, Default, Serialize)]
pub(super) struct TypeCount {
    pub(super) tensors: u64,
    pub(super) elements: u64,
    pub(super) bytes: u64,
}

/// What the model would take of a device.
#[derive(Debug, Serialize)]
pub(super) struct Memory {
    /// Weights.
    pub(super) weights_bytes: u64,
    /// Keys and values of one token in f16; f32 takes twice as much.
    pub(super) kv_f16_bytes_per_token: u64,
    /// Keys and values in f16, at the size that this program sets up.
    pub(super) kv_f16_bytes: u64,
    /// The token embedding, which is cut, as is a head of its own, where a device binds less at once.
    pub(super) embedding_bytes: u64,
    /// The largest other weights that one kernel binds.
    pub(super) largest_binding: String,
    /// Their bytes, at most.
    pub(super) largest_binding_bytes: u64,
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
    pub(super) memory: Option<Memory>,
    pub(super) device: Option<DeviceReport>,
    /// Whether the largest binding is within the device's limit; none without model or device.
    pub(super) fits: Option<bool>,
    /// Whether this program can run it on this device, as far as the header tells.
    pub(super) runs: bool,
    /// What is in the way.
    pub(super) why_not: Vec<Explained>,
}

/// Prints what a file holds. A file that cannot run is no failure: that is what was asked.
pub(super) async fn run(args: &InspectArgs) -> Result<Ended, Failure> {
    let header = read_header(&args.model)?;
    let inspection = inspect(&header, args.model.unknown_pre_tokenizer()).await;
    if args.json {
        print_json(&inspection)?;
    } else {
        print(&told(&inspection))?;
    }
    Ok(Ended::Fine)
}

async fn inspect(header: &Header, unknown: UnknownPreTokenizer) -> Inspection {
    let mut why_not = Vec::new();
    let mut keep = |failure: Failure| {
        if let Failure::Explained(explained) = failure
            && !why_not.contains(&explained)
        {
            why_not.push(explained);
        }
    };
    let device = Device::open(DeviceOptions::default()).await.map_err(|error| keep(error.into())).ok();
    let file = header.file.as_ref().map_err(|failure| keep(failure.clone())).ok();
    let model = file.and_then(|file| ModelConfig::from_gguf(file).map_err(|error| keep(error.into())).ok());
    let tokenizer = Tokenizer::new(&header.metadata, unknown).map_err(|error| keep(error.into())).ok();
    // As a loader does before any tensor arrives: names, shapes and formats of them all.
    if let Some(file) = file
        && model.is_some()
        && let Err(error) = check_header(file)
    {
        keep(error.into());
    }
    let memory = file.zip(model.as_ref()).map(|(file, model)| memory(file, model));
    let device = device.map(|device| device.report().clone());
    let fits = memory.as_ref().zip(device.as_ref()).map(|(memory, device)| {
        memory.largest_binding_bytes <= device.limits.max_storage_buffer_binding_size.min(device.limits.max_buffer_size)
    });
    Inspection {
        path: header.path.display().to_string(),
        len_bytes: header.len_bytes,
        expected_bytes: file.map(|file| file.end_of_data()),
        gguf_version: file.map(|file| file.version),
        metadata: header.metadata.iter().map(|(key, value)| (key.to_owned(), shown(value))).collect(),
        tensor_types: file.map(|file| type_counts(file)).unwrap_or_default(),
        tensors: file.map(|file| tensors(file)).unwrap_or_default(),
        runs: why_not.is_empty() && fits == Some(true),
        model,
        tokenizer: tokenizer.map(|tokenizer| tokenizer.report().clone()),
        memory,
        device,
        fits,
        why_not,
    }
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

fn memory(file: &GgufFile, model: &ModelConfig) -> Memory {
    // Q, K and V are stacked into one binding, and so are gate and up.
    let binding = |name: &str| match name.rsplit_once(".weight").map_or(name, |(stem, _)| stem).rsplit_once('.') {
        Some((block, "attn_q" | "attn_k" | "attn_v")) => format!("{block}.attn_qkv"),
        Some((block, "ffn_gate" | "ffn_up")) => format!("{block}.ffn_gate_up"),
        _ => name.to_owned(),
    };
    let mut bindings: BTreeMap<String, u64> = BTreeMap::new();
    let is_cut = |name: &str| matches!(name, "token_embd.weight" | "output.weight");
    for tensor in file.tensors.iter().filter(|tensor| !is_cut(&tensor.name)) {
        let bytes = bindings.entry(binding(&tensor.name)).or_default();
        *bytes = bytes.saturating_add(tensor.len_bytes);
    }
    let weights_bytes = file.tensors.iter().fold(0_u64, |sum, tensor| sum.saturating_add(tensor.len_bytes));
    let largest = bindings.into_iter().max_by_key(|(_, bytes)| *bytes).unwrap_or_default();
    let positions = u64::from(EngineOptions::default().n_cache_blocks) * BLOCK_TOKENS as u64;
    let kv_f16_bytes_per_token = 2 * 2 * u64::from(model.kv_dim()) * u64::from(model.n_blocks);
    Memory {
        weights_bytes,
        kv_f16_bytes_per_token,
        kv_f16_bytes: positions * kv_f16_bytes_per_token,
        embedding_bytes: file.tensor("token_embd.weight").map_or(0, |tensor| tensor.len_bytes),
        largest_binding: largest.0,
        largest_binding_bytes: largest.1,
    }
}
