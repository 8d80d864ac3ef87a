//! A model's weights on the GPU, taken in as the file's tensors arrive. Where GGUF meets the GPU.

use std::collections::HashMap;
use std::sync::Arc;

use super::error::format_name;
use super::{ModelConfig, ModelError};
use crate::gguf::{GgufFile, TensorInfo};
use crate::gpu::panel::{self, Panels};
use crate::gpu::wgsl::Epilogue;
use crate::gpu::{Buffer, Device, MatmulFormats};
use crate::quant::{TensorType, check_finite};

/// One matrix on the GPU, in panels. A copy shares its buffers.
#[derive(Debug, Clone)]
pub struct Matrix {
    /// The tensors that lie in it.
    pub sources: Vec<Source>,
    /// Weight format.
    pub tensor_type: TensorType,
    /// Row length.
    pub k: u32,
    /// Rows, without the last panel's padding.
    pub n_rows: u32,
    /// Panels of 32 rows.
    pub n_panels: u32,
    /// First panel among those of its site (Q, K and V of different formats are matrices of their own).
    pub first_panel: u32,
    /// Quants or values.
    pub weights: Buffer,
    /// Scales, for formats that have them apart.
    pub scales: Option<Buffer>,
}

/// A tensor of the file in a matrix: `n_panels` panels, each `step`th from `first_panel` on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name in the file.
    pub name: String,
    /// Its first panel in the matrix.
    pub first_panel: u32,
    /// From one of its panels to the next.
    pub step: u32,
    /// Its panels.
    pub n_panels: u32,
}

impl Matrix {
    /// The name of its first tensor, which stands for all.
    pub fn name(&self) -> &str {
        &self.sources[0].name
    }

    /// The name of the tensor that a panel is of.
    pub fn tensor_of(&self, panel: u32) -> &str {
        let holds = |source: &&Source| {
            let after = panel.checked_sub(source.first_panel);
            after.is_some_and(|after| after.is_multiple_of(source.step) && after / source.step < source.n_panels)
        };
        self.sources.iter().find(holds).map_or(self.name(), |source| &source.name)
    }
}

/// One transformer block's weights.
#[derive(Debug, Clone)]
pub struct BlockWeights {
    /// Norm before attention. // [embedding_dim]
    pub attn_norm: Buffer,
    /// Q, K and V projections, stacked where their formats allow. // [q_dim + 2 * kv_dim, embedding_dim]
    pub attn_qkv: Vec<Matrix>,
    /// Attention output projection. // [embedding_dim, q_dim]
    pub attn_output: Matrix,
    /// Norm before the feed-forward layer. // [embedding_dim]
    pub ffn_norm: Buffer,
    /// Gate and up projections, panels alternating. // [2 * feed_forward_dim, embedding_dim]
    pub ffn_gate_up: Matrix,
    /// Down projection. // [embedding_dim, feed_forward_dim]
    pub ffn_down: Matrix,
}

impl BlockWeights {
    fn matrices(&self) -> impl Iterator<Item = &Matrix> {
        self.attn_qkv.iter().chain([&self.attn_output, &self.ffn_gate_up, &self.ffn_down])
    }
}

/// All weights. A copy shares their buffers.
#[derive(Debug, Clone)]
pub struct ModelWeights {
    /// Token embedding. // [vocab_size, embedding_dim]
    pub token_embd: Matrix,
    /// Transformer blocks.
    pub blocks: Vec<BlockWeights>,
    /// Last norm. // [embedding_dim]
    pub output_norm: Buffer,
    /// Output head, where it is not the embedding. // [vocab_size, embedding_dim]
    pub output: Option<Matrix>,
    /// RoPE frequency factors, where the file has them. // [rope_dim / 2]
    pub rope_freqs: Option<Vec<f32>>,
}

impl ModelWeights {
    /// The output head: a matrix of its own, or the embedding.
    pub fn head(&self) -> &Matrix {
        self.output.as_ref().unwrap_or(&self.token_embd)
    }

    /// Every matrix.
    pub(super) fn matrices(&self) -> impl Iterator<Item = &Matrix> {
        let of_blocks = self.blocks.iter().flat_map(BlockWeights::matrices);
        [&self.token_embd].into_iter().chain(&self.output).chain(of_blocks)
    }

    /// Which (site, format) pairs need kernels where products are split over so many shards.
    pub fn formats(&self, shards: u32) -> MatmulFormats {
        let mut matmuls = vec![(Epilogue::Output, self.head().tensor_type)];
        let mut add = |site, tensor_type| {
            if !matmuls.contains(&(site, tensor_type)) {
                matmuls.push((site, tensor_type));
            }
        };
        for block in &self.blocks {
            for matrix in &block.attn_qkv {
                add(Epilogue::Qkv, matrix.tensor_type);
            }
            add(Epilogue::onto_stream(shards), block.attn_output.tensor_type);
            add(Epilogue::GateUp, block.ffn_gate_up.tensor_type);
            add(Epilogue::onto_stream(shards), block.ffn_down.tensor_type);
        }
        MatmulFormats { embed: self.token_embd.tensor_type, matmuls }
    }
}

/// Takes tensors one by one and uploads them; holds on the CPU only what still waits for a partner.
#[derive(Debug)]
pub struct WeightsLoader {
    device: Device,
    config: ModelConfig,
    file: Arc<GgufFile>,
    waiting: HashMap<String, Panels>, // halves of stacked matrices
    matrices: HashMap<String, Matrix>,
    vectors: HashMap<String, Buffer>,
    rope_freqs: Option<Vec<f32>>,
}

impl WeightsLoader {
    /// Ready for the tensors of a file whose header names all that it must.
    ///
    /// # Errors
    /// Those of [`check_header`].
    pub fn new(device: &Device, file: Arc<GgufFile>) -> Result<Self, ModelError> {
        let config = check_header(&file)?;
        Ok(Self {
            device: device.clone(),
            config,
            file,
            waiting: HashMap::new(),
            matrices: HashMap::new(),
            vectors: HashMap::new(),
            rope_freqs: None,
        })
    }

    /// The model's sizes.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// Takes tensor `index` of the header.
    ///
    /// # Errors
    /// [`ModelError::NotFinite`] and GPU errors.
    pub async fn push(&mut self, index: usize, bytes: &[u8]) -> Result<(), ModelError> {
        let tensor = &self.file.tensors[index];
        let name = tensor.name.clone();
        if let Err(block) = check_finite(tensor.tensor_type, bytes) {
            return Err(ModelError::NotFinite { name, block: block.first_block });
        }
        if name == "rope_freqs.weight" {
            self.rope_freqs = Some(bytemuck::pod_collect_to_vec(bytes));
            return Ok(());
        }
        if tensor.shape.len() == 1 {
            let buffer = self.device.upload(&name, bytes).await?;
            self.vectors.insert(name, buffer);
            return Ok(());
        }
        let k = usize::try_from(tensor.row_length()).map_err(|_| ModelError::TensorShape {
            name: name.clone(),
            found: tensor.shape.clone(),
            expected: Vec::new(),
        })?;
        let panels = panel::from_rows(tensor.tensor_type, k, bytes);
        match name.rsplit_once('.').and_then(|(stem, _)| stem.rsplit_once('.')) {
            Some((block, part @ ("attn_q" | "attn_k" | "attn_v" | "ffn_gate" | "ffn_up"))) => {
                self.waiting.insert(format!("{block}.{part}"), panels);
                let block = block.to_owned();
                self.join_qkv(&block).await?;
                self.join_gate_up(&block).await?;
            }
            _ => {
                let sources = vec![source(&name, 0, 1, &panels)];
                let matrix = self.upload(&name, &panels, sources, 0).await?;
                self.matrices.insert(name, matrix);
            }
        }
        Ok(())
    }

    /// Stacks Q, K and V once all three are here: neighbours of one format become one matrix.
    async fn join_qkv(&mut self, block: &str) -> Result<(), ModelError> {
        let names = ["attn_q", "attn_k", "attn_v"].map(|part| format!("{block}.{part}"));
        if !names.iter().all(|name| self.waiting.contains_key(name)) {
            return Ok(());
        }
        let mut stacks: Vec<(Panels, Vec<Source>)> = Vec::new();
        for name in &names {
            let Some(panels) = self.waiting.remove(name) else { continue };
            let tensor = format!("{name}.weight");
            match stacks.pop() {
                Some((above, mut sources)) if above.tensor_type == panels.tensor_type => {
                    sources.push(source(&tensor, count(above.n_panels()), 1, &panels));
                    stacks.push((above.stack(&panels), sources));
                }
                above => {
                    let sources = vec![source(&tensor, 0, 1, &panels)];
                    stacks.extend(above.into_iter().chain([(panels, sources)]));
                }
            }
        }
        let mut first_panel = 0;
        for (i, (panels, sources)) in stacks.into_iter().enumerate() {
            let name = format!("{block}.attn_qkv.{i}");
            let matrix = self.upload(&name, &panels, sources, first_panel).await?;
            first_panel += matrix.n_panels;
            self.matrices.insert(name, matrix);
        }
        Ok(())
    }

    async fn join_gate_up(&mut self, block: &str) -> Result<(), ModelError> {
        let (gate_name, up_name) = (format!("{block}.ffn_gate"), format!("{block}.ffn_up"));
        if !(self.waiting.contains_key(&gate_name) && self.waiting.contains_key(&up_name)) {
            return Ok(());
        }
        if let (Some(gate), Some(up)) = (self.waiting.remove(&gate_name), self.waiting.remove(&up_name)) {
            let name = format!("{block}.ffn_gate_up");
            let sources = vec![
                source(&format!("{gate_name}.weight"), 0, 2, &gate),
                source(&format!("{up_name}.weight"), 1, 2, &up),
            ];
            let matrix = self.upload(&name, &gate.interleave(&up), sources, 0).await?;
            self.matrices.insert(name, matrix);
        }
        Ok(())
    }

    async fn upload(
        &self,
        name: &str,
        panels: &Panels,
        sources: Vec<Source>,
        first_panel: u32,
    ) -> Result<Matrix, ModelError> {
        let scales = if panels.scales.is_empty() {
            None
        } else {
            Some(self.device.upload(&format!("{name} scales"), &panels.scales).await?)
        };
        Ok(Matrix {
            sources,
            tensor_type: panels.tensor_type,
            k: count(panels.k),
            n_rows: count(panels.n_rows),
            n_panels: count(panels.n_panels()),
            first_panel,
            weights: self.device.upload(name, &panels.weights).await?,
            scales,
        })
    }

    /// The weights, once every tensor has been pushed.
    ///
    /// # Errors
    /// [`ModelError::MissingTensor`] names the first that never came.
    pub fn finish(mut self) -> Result<ModelWeights, ModelError> {
        let missing = |name: &str| ModelError::MissingTensor { name: name.to_owned() };
        let mut blocks = Vec::new();
        for b in 0..self.config.n_blocks {
            let mut matrix = |part: &str| {
                let name = format!("blk.{b}.{part}");
                self.matrices.remove(&name).ok_or_else(|| missing(&name))
            };
            let attn_output = matrix("attn_output.weight")?;
            let ffn_gate_up = matrix("ffn_gate_up")?;
            let ffn_down = matrix("ffn_down.weight")?;
            let mut attn_qkv = vec![matrix("attn_qkv.0")?];
            attn_qkv.extend(["attn_qkv.1", "attn_qkv.2"].iter().filter_map(|part| matrix(part).ok()));
            let mut vector = |part: &str| {
                let name = format!("blk.{b}.{part}.weight");
                self.vectors.remove(&name).ok_or_else(|| missing(&name))
            };
            let (attn_norm, ffn_norm) = (vector("attn_norm")?, vector("ffn_norm")?);
            blocks.push(BlockWeights { attn_norm, attn_qkv, attn_output, ffn_norm, ffn_gate_up, ffn_down });
        }
        Ok(ModelWeights {
            token_embd: self.matrices.remove("token_embd.weight").ok_or_else(|| missing("token_embd.weight"))?,
            output: self.matrices.remove("output.weight"),
            output_norm: self.vectors.remove("output_norm.weight").ok_or_else(|| missing("output_norm.weight"))?,
            blocks,
            rope_freqs: self.rope_freqs,
        })
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).expect("the config's caps keep every size below 2^32")
}

fn source(name: &str, first_panel: u32, step: u32, panels: &Panels) -> Source {
    Source { name: name.to_owned(), first_panel, step, n_panels: count(panels.n_panels()) }
}

/// Checks that a header names every tensor of the architecture in its right shape, before any arrives; the model's sizes.
///
/// # Errors
/// [`ModelError::MissingTensor`], [`ModelError::TensorShape`], [`ModelError::TensorFormat`], [`ModelError::UnknownTensor`],
/// [`ModelError::MixedGateUp`], and those of [`ModelConfig::from_gguf`].
pub fn check_header(file: &GgufFile) -> Result<ModelConfig, ModelError> {
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
        return Err(ModelError::UnknownTensor { name: stranger.name.clone() });
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

/// Every tensor of a llama file: name, shape (row length first), and whether it must be there.
fn expected_tensors(config: &ModelConfig) -> Vec<(String, Vec<u64>, bool)> {
    let [dim, ffn, q, kv, vocab] =
        [config.embedding_dim, config.feed_forward_dim, config.q_dim(), config.kv_dim(), config.vocab_size]
            .map(u64::from);
    let mut tensors = vec![
        ("token_embd.weight".to_owned(), vec![dim, vocab], true),
        ("output_norm.weight".to_owned(), vec![dim], true),
        ("output.weight".to_owned(), vec![dim, vocab], false),
        ("rope_freqs.weight".to_owned(), vec![u64::from(config.rope_dim / 2)], false),
    ];
    for b in 0..config.n_blocks {
        let parts = [
            ("attn_norm", vec![dim]),
            ("attn_q", vec![dim, q]),
            ("attn_k", vec![dim, kv]),
            ("attn_v", vec![dim, kv]),
            ("attn_output", vec![q, dim]),
            ("ffn_norm", vec![dim]),
            ("ffn_gate", vec![dim, ffn]),
            ("ffn_up", vec![dim, ffn]),
            ("ffn_down", vec![ffn, dim]),
        ];
        tensors.extend(parts.map(|(part, shape)| (format!("blk.{b}.{part}.weight"), shape, true)));
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
