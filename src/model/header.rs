//! Whether a file's header names the tensors of its architecture, in their shapes: asked before any of them arrives.

use super::check_weights::ROPE_FREQS;
use super::error::format_name;
use super::{ModelConfig, ModelError};
use crate::architecture::Architecture;
use crate::gguf::{GgufFile, TensorInfo};
use crate::quant::TensorType;

/// Checks that a header names every tensor of the architecture in its right shape, before any arrives; the model's sizes.
///
/// # Errors
/// [`ModelError::MissingTensor`], [`ModelError::TensorShape`], [`ModelError::TensorFormat`], [`ModelError::UnknownTensor`],
/// [`ModelError::MixedGateUp`], those of [`GgufFile::check_whole`] and of [`ModelConfig::from_gguf`].
pub fn check_header(file: &GgufFile) -> Result<ModelConfig, ModelError> {
    file.check_whole()?;
    let config = ModelConfig::from_gguf(file)?;
    let expected = expected_tensors(&config);
    for (name, shape, needed) in &expected {
        match file.tensor(name) {
            Some(tensor) => check_tensor(tensor, shape)?,
            None if *needed => return Err(ModelError::MissingTensor { name: name.clone() }),
            None => {}
        }
    }
    if let Some(stranger) = file.tensors.iter().find(|tensor| !expected.iter().any(|(name, ..)| *name == tensor.name)) {
        return Err(ModelError::UnknownTensor {
            name: stranger.name.clone(),
            architecture: config.architecture.name,
            n_blocks: config.n_blocks,
        });
    }
    for block in 0..config.n_blocks as usize {
        let format = |part: &str| file.tensor(&format!("blk.{block}.{part}.weight")).map(|t| t.tensor_type);
        if let (Some(gate), Some(up)) = (format("ffn_gate"), format("ffn_up"))
            && gate != up
        {
            return Err(ModelError::MixedGateUp { block, gate: format_name(gate), up: format_name(up) });
        }
    }
    Ok(config)
}

/// Every tensor of a file: name, shape (row length first), and whether it must be there.
fn expected_tensors(config: &ModelConfig) -> Vec<(String, Vec<u64>, bool)> {
    let [dim, ffn, q, kv, vocab, head] = [
        config.embedding_dim,
        config.feed_forward_dim,
        config.q_dim(),
        config.kv_dim(),
        config.vocab_size,
        config.head_dim,
    ]
    .map(u64::from);
    let Architecture { qkv_bias, head_norms, post_norms, .. } = config.architecture;
    let mut tensors = vec![
        ("token_embd.weight".to_owned(), vec![dim, vocab], true),
        ("output_norm.weight".to_owned(), vec![dim], true),
        ("output.weight".to_owned(), vec![dim, vocab], false),
        (ROPE_FREQS.to_owned(), vec![u64::from(config.rope_dim / 2)], false),
    ];
    for b in 0..config.n_blocks {
        let parts = [
            ("attn_norm.weight", vec![dim], true),
            ("attn_q.weight", vec![dim, q], true),
            ("attn_k.weight", vec![dim, kv], true),
            ("attn_v.weight", vec![dim, kv], true),
            ("attn_q.bias", vec![q], qkv_bias),
            ("attn_k.bias", vec![kv], qkv_bias),
            ("attn_v.bias", vec![kv], qkv_bias),
            ("attn_q_norm.weight", vec![head], head_norms),
            ("attn_k_norm.weight", vec![head], head_norms),
            ("attn_output.weight", vec![q, dim], true),
            ("post_attention_norm.weight", vec![dim], post_norms),
            ("ffn_norm.weight", vec![dim], true),
            ("ffn_gate.weight", vec![dim, ffn], true),
            ("ffn_up.weight", vec![dim, ffn], true),
            ("ffn_down.weight", vec![ffn, dim], true),
            ("post_ffw_norm.weight", vec![dim], post_norms),
        ];
        let here = parts.into_iter().filter(|(.., here)| *here);
        tensors.extend(here.map(|(part, shape, needed)| (format!("blk.{b}.{part}"), shape, needed)));
    }
    tensors
}

fn check_tensor(tensor: &TensorInfo, expected: &[u64]) -> Result<(), ModelError> {
    let name = tensor.name.clone();
    if tensor.shape != expected {
        return Err(ModelError::TensorShape { name, found: tensor.shape.clone(), expected: expected.to_vec() });
    }
    if expected.len() == 1 && tensor.tensor_type != TensorType::F32 {
        return Err(ModelError::TensorFormat { name, found: format_name(tensor.tensor_type) });
    }
    Ok(())
}
