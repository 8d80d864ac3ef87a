//! Takes in a model's weights as the file's tensors arrive. Where GGUF meets the GPU.

use std::collections::HashMap;
use std::sync::Arc;

use super::check_weights::{ROPE_FREQS, check_weights, is_zero_matrix};
use super::head_order::in_kernel_order;
use super::header::check_header;
use super::{BlockWeights, Matrix, ModelConfig, ModelError, ModelWeights, Source};
use crate::architecture::Architecture;
use crate::gguf::GgufFile;
use crate::gpu::panel::{self, PANEL_ROWS, Panels};
use crate::gpu::step::MAX_BIASES;
use crate::gpu::{Buffer, Device};
use crate::quant::TensorType;

/// Takes tensors one by one and uploads them; holds on the CPU only what still waits for a partner.
#[derive(Debug)]
pub struct WeightsLoader {
    device: Device,
    config: ModelConfig,
    file: Arc<GgufFile>,
    waiting: HashMap<String, Panels>, // halves of stacked matrices
    matrices: HashMap<String, Matrix>,
    vectors: HashMap<String, Buffer>,
    parts: HashMap<String, Vec<u8>>,          // of vectors that become one
    embeddings: HashMap<String, Vec<Matrix>>, // embedding and head
    rope_freqs: Option<Vec<f32>>,
    zero_matrices: Vec<String>,
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
            parts: HashMap::new(),
            embeddings: HashMap::new(),
            rope_freqs: None,
            zero_matrices: Vec::new(),
        })
    }

    /// The model's sizes.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// Names of the matrices so far that hold nothing but zeros.
    pub fn zero_matrices(&self) -> &[String] {
        &self.zero_matrices
    }

    /// Takes tensor `index` of the header.
    ///
    /// # Errors
    /// [`ModelError::NotFinite`] and GPU errors.
    pub async fn push(&mut self, index: usize, bytes: &[u8]) -> Result<(), ModelError> {
        let tensor = &self.file.tensors[index];
        let name = tensor.name.clone();
        check_weights(tensor, bytes)?;
        if is_zero_matrix(tensor, bytes) {
            self.zero_matrices.push(name.clone());
        }
        if name == ROPE_FREQS {
            self.rope_freqs = Some(bytemuck::pod_collect_to_vec(bytes));
            return Ok(());
        }
        let bytes = in_kernel_order(&self.config, tensor, bytes);
        let (stem, kind) = name.rsplit_once('.').unwrap_or((&name, ""));
        let (block, part) = stem.rsplit_once('.').unwrap_or(("", stem));
        if tensor.shape.len() == 1 {
            if kind == "bias" || matches!(part, "attn_q_norm" | "attn_k_norm") {
                self.parts.insert(name.clone(), bytes.into_owned());
                return self.join_vectors(block).await;
            }
            let buffer = self.device.upload(&name, &bytes).await?;
            self.vectors.insert(name, buffer);
            return Ok(());
        }
        let (tensor_type, shape) = (tensor.tensor_type, tensor.shape.clone());
        let Ok(k) = usize::try_from(tensor.row_length()) else {
            return Err(ModelError::TensorShape { name, found: shape, expected: Vec::new() });
        };
        match part {
            "attn_q" | "attn_k" | "attn_v" | "ffn_gate" | "ffn_up" => {
                self.waiting.insert(format!("{block}.{part}"), panel::from_rows(tensor_type, k, &bytes));
                self.join_qkv(block).await?;
                self.join_gate_up(block).await?;
            }
            "token_embd" | "output" => {
                let parts = self.upload_parts(&name, tensor_type, k, &bytes).await?;
                self.embeddings.insert(name, parts);
            }
            _ => {
                let panels = panel::from_rows(tensor_type, k, &bytes);
                let sources = vec![source(&name, 0, 1, &panels)];
                let matrix = self.upload(&name, &panels, sources, 0).await?;
                self.matrices.insert(name, matrix);
            }
        }
        Ok(())
    }

    /// Uploads a matrix in as many buffers as the device's limit on one binding wants.
    async fn upload_parts(
        &self,
        name: &str,
        tensor_type: TensorType,
        k: usize,
        bytes: &[u8],
    ) -> Result<Vec<Matrix>, ModelError> {
        let row_len = tensor_type.len_bytes(k as u64).map_or(1, |len| len.max(1) as usize);
        let n_panels = (bytes.len() / row_len).div_ceil(PANEL_ROWS);
        let mut parts = Vec::new();
        for part in panel::parts(tensor_type, k, n_panels, self.device.report().limits.max_storage_buffer_binding_size)
        {
            let rows = part.start * PANEL_ROWS * row_len..(part.end * PANEL_ROWS * row_len).min(bytes.len());
            let panels = panel::from_rows(tensor_type, k, &bytes[rows]);
            let sources = vec![source(name, 0, 1, &panels)];
            parts.push(self.upload(name, &panels, sources, count(part.start)).await?);
        }
        Ok(parts)
    }

    /// Joins the biases of Q, K and V once all three are here, and the norms of the heads of Q and K once both are.
    async fn join_vectors(&mut self, block: &str) -> Result<(), ModelError> {
        let bias = ["attn_q.bias", "attn_k.bias", "attn_v.bias"].map(|part| format!("{block}.{part}"));
        if let Some(mut biases) = self.joined(&bias) {
            // As long as the uniform is in every shader: one that is shorter than its type is refused.
            biases.resize(MAX_BIASES as usize * 4, 0);
            let name = format!("{block}.attn_qkv.bias");
            let buffer = self.device.uniform(&name, &biases).await?;
            self.vectors.insert(name, buffer);
        }
        let norm = ["attn_q_norm.weight", "attn_k_norm.weight"].map(|part| format!("{block}.{part}"));
        if let Some(norms) = self.joined(&norm) {
            let name = format!("{block}.head_norms");
            let buffer = self.device.upload(&name, &norms).await?;
            self.vectors.insert(name, buffer);
        }
        Ok(())
    }

    /// Some vectors one behind the other, if all of them are here.
    fn joined(&mut self, names: &[String]) -> Option<Vec<u8>> {
        let all_here = names.iter().all(|name| self.parts.contains_key(name));
        all_here.then(|| names.iter().filter_map(|name| self.parts.remove(name)).flatten().collect())
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
                let name = format!("blk.{b}.{part}");
                self.vectors.remove(&name).ok_or_else(|| missing(&name))
            };
            let Architecture { qkv_bias, head_norms, post_norms, .. } = self.config.architecture;
            blocks.push(BlockWeights {
                attn_norm: vector("attn_norm.weight")?,
                attn_qkv,
                attn_qkv_bias: qkv_bias.then(|| vector("attn_qkv.bias")).transpose()?,
                head_norms: head_norms.then(|| vector("head_norms")).transpose()?,
                attn_output,
                post_attention_norm: post_norms.then(|| vector("post_attention_norm.weight")).transpose()?,
                ffn_norm: vector("ffn_norm.weight")?,
                ffn_gate_up,
                ffn_down,
                post_ffw_norm: post_norms.then(|| vector("post_ffw_norm.weight")).transpose()?,
            });
        }
        Ok(ModelWeights {
            token_embd: self.embeddings.remove("token_embd.weight").ok_or_else(|| missing("token_embd.weight"))?,
            output: self.embeddings.remove("output.weight"),
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
