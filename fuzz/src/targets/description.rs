//! The model's description: a small model with some keys and tensors changed. What is accepted must run.

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use lastbit::architecture::Architecture;
use lastbit::generate::{CancelToken, Engine, EngineOptions, GenerateError, RunOptions};
use lastbit::gguf::{self, GgufWriter, LoadedGguf};
use lastbit::model::{Model, ModelError};
use lastbit::numerics::{Formats, Numerics, Order};
use lastbit::quant::TensorType;
use lastbit::tiny_model::TinyModel;

use super::generate::{edge, float, several, value};

static MODELS: LazyLock<Vec<LoadedGguf>> = LazyLock::new(|| {
    let small = |architecture| TinyModel {
        n_blocks: 2,
        n_heads: 2,
        n_kv_heads: 1,
        feed_forward_dim: 32,
        width: Some(32),
        context_len: 64,
        weight_type: TensorType::Q8_0,
        ..TinyModel::like(architecture)
    };
    let load = |tiny: TinyModel| gguf::load(tiny.gguf_bytes().as_slice(), None).expect("the tiny model is a file");
    Architecture::ALL.into_iter().map(|architecture| load(small(architecture))).collect()
});

/// One to three edits of a model's description or of its tensor table.
pub(crate) fn description(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok(file) = edited(&mut u) else { return };
    let Ok(model) = Model::read(file.as_slice(), Some(file.len() as u64)) else { return };
    let options = EngineOptions { context_len: 32, n_cache_blocks: 2, ..EngineOptions::default() };
    let Ok(mut engine) = Engine::on_twin(model, Numerics::new(Formats::Int8, Order::ByShape, 8), options) else {
        return;
    };
    // A description that was accepted runs, unless its context is too short or its weights are too large.
    let cancel = CancelToken::default();
    let run = engine.run(&[1, 2, 3], RunOptions::tokens(2), &cancel, |_| ());
    match pollster::block_on(run) {
        Ok(_) | Err(GenerateError::Model(ModelError::LogitsNotFinite { .. }) | GenerateError::PromptTooLong { .. }) => {
        }
        Err(error) => panic!("{error}"),
    }
}

fn edited(u: &mut Unstructured) -> Result<Vec<u8>> {
    let model = u.choose(&MODELS)?;
    let architecture = model.header.metadata.string("general.architecture").unwrap_or_default();
    let mut metadata: Vec<_> =
        model.header.metadata.iter().map(|(key, value)| (key.to_owned(), value.clone())).collect();
    let mut tensors: Vec<_> = model
        .header
        .tensors
        .iter()
        .zip(&model.tensors)
        .map(|(info, bytes)| (info.name.clone(), info.shape.clone(), info.tensor_type, bytes.clone()))
        .collect();
    for _ in 0..u.int_in_range(1..=3)? {
        match u.int_in_range(0..=9)? {
            0 => {
                metadata.remove(u.choose_index(metadata.len())?);
            }
            1..=4 => {
                let at = u.choose_index(metadata.len())?;
                metadata[at].1 = near(u, &metadata[at].1)?;
            }
            5 => {
                let names = ["rope.scaling.type", "rope.scaling.factor", "expert_count", "attention.sliding_window"];
                let key = format!("{architecture}.{}", u.choose(&names)?);
                metadata.retain(|(name, _)| *name != key);
                metadata.push((key, value(u)?));
            }
            6 => {
                tensors.remove(u.choose_index(tensors.len())?);
            }
            7 => {
                // Another shape or format, in as many bytes as it needs.
                let at = u.choose_index(tensors.len())?;
                let (_, shape, tensor_type, bytes) = &mut tensors[at];
                *shape = several(u, 3, |u| u.int_in_range(0..=3).map(|n| n * 32))?;
                *tensor_type = *u.choose(&TensorType::in_files().collect::<Vec<_>>())?;
                let row_is_whole = shape.first().unwrap_or(&1).is_multiple_of(tensor_type.block().elements as u64);
                match tensor_type.len_bytes(shape.iter().product()) {
                    Some(len_bytes) if row_is_whole => *bytes = vec![0; len_bytes as usize],
                    _ => (*shape, *tensor_type, *bytes) = (vec![4], TensorType::F32, vec![0; 16]),
                }
            }
            8 => {
                let at = u.choose_index(tensors.len())?;
                tensors[at].0 =
                    u.choose(&["blk.0.attn_q.weight", "blk.7.attn_q.weight", "output.weight", "x"])?.to_string();
            }
            _ => {
                // Weights of any bits.
                let at = u.choose_index(tensors.len())?;
                let bytes = &mut tensors[at].3;
                if !bytes.is_empty() {
                    let place = u.choose_index(bytes.len())?;
                    bytes[place] = u.arbitrary()?;
                }
            }
        }
    }
    let mut writer = GgufWriter::default();
    for (key, value) in metadata {
        writer.metadata(&key, value);
    }
    for (name, shape, tensor_type, bytes) in tensors {
        writer.tensor(&name, &shape, tensor_type, bytes);
    }
    Ok(writer.to_bytes())
}

/// Another value: mostly of the same type, since others are refused at once.
fn near(u: &mut Unstructured, old: &gguf::MetadataValue) -> Result<gguf::MetadataValue> {
    use gguf::MetadataValue as V;
    Ok(match old {
        V::U32(old) if u.ratio(3, 4)? => V::U32(match u.int_in_range(0..=3)? {
            0 => edge(u)? as u32,
            1 => old.wrapping_add(1),
            2 => old.wrapping_mul(2),
            _ => old / 2,
        }),
        V::F32(_) if u.ratio(3, 4)? => V::F32(float(u)?),
        _ => value(u)?,
    })
}
