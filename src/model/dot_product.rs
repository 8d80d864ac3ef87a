//! One dot product of a model, taken apart: the first row of the first block's Q projection times a token's embedding, weighed by the
//! norm in front of it. Its terms come in blocks of 32; how the blocks' sums are added is for others to choose.

use std::sync::Arc;

use super::{Matrix, Model, ModelError, ModelWeights, TwinWeights};
use crate::gpu::Device;
use crate::gpu::panel::PANEL_ROWS;
use crate::quant::{BLOCK_LEN, Block, dequantize};
use crate::reference::activations::ActivationBlock;
use crate::reference::block_product::add_block;

/// The tensor whose first row it is.
pub const DOT_PRODUCT_TENSOR: &str = "blk.0.attn_q.weight";

/// Everything that is multiplied, as f32.
struct Factors {
    weights: Vec<f32>,
    embedding: Vec<f32>,
    norm: Vec<f32>,
    /// Of the embedding.
    scale: f32,
}

impl Factors {
    /// The sum of each block of 32 products, in f32. // [embedding_dim / 32]
    fn block_sums(&self) -> Vec<f32> {
        let x: Vec<f32> = self.embedding.iter().zip(&self.norm).map(|(x, norm)| x * self.scale * norm).collect();
        let (weights, x) = (self.weights.as_chunks::<BLOCK_LEN>().0, x.as_chunks::<BLOCK_LEN>().0);
        let product =
            |(weights, x): (&[f32; BLOCK_LEN], _)| add_block(0.0, &Block::Floats(*weights), ActivationBlock::Float(x));
        weights.iter().zip(x).map(product).collect()
    }
}

impl Model<ModelWeights> {
    /// The sums of the blocks for the token `id`, of the weights on the device.
    ///
    /// # Errors
    /// [`ModelError::TokenId`], GPU errors.
    pub async fn dot_product(&self, device: &Device, id: u32) -> Result<Vec<f32>, ModelError> {
        self.check_token(id)?;
        let block = &self.weights.blocks[0];
        let norm = device.read_back("attn_norm", &block.attn_norm, u64::from(self.config.embedding_dim) * 4).await?;
        let panel = id / PANEL_ROWS as u32;
        let holds = |part: &&Matrix| (part.first_panel..part.first_panel + part.n_panels).contains(&panel);
        let missing = || ModelError::MissingTensor { name: "token_embd.weight".to_owned() };
        let part = self.weights.token_embd.iter().find(holds).ok_or_else(missing)?;
        let factors = Factors {
            weights: row(&block.attn_qkv[0], device, 0, 0).await?,
            embedding: row(part, device, panel - part.first_panel, id as usize % PANEL_ROWS).await?,
            norm: bytemuck::pod_collect_to_vec(&norm),
            scale: self.embedding_scale(),
        };
        Ok(factors.block_sums())
    }
}

/// One row of a matrix, from the device.
async fn row(matrix: &Matrix, device: &Device, panel: u32, row: usize) -> Result<Vec<f32>, ModelError> {
    let values = matrix.read_panels(device, panel, 1).await?.values();
    Ok(values[row * matrix.k as usize..][..matrix.k as usize].to_vec())
}

impl Model<Arc<TwinWeights>> {
    /// The sums of the blocks for the token `id`.
    ///
    /// # Errors
    /// [`ModelError::TokenId`], [`ModelError::MissingTensor`].
    pub fn dot_product(&self, id: u32) -> Result<Vec<f32>, ModelError> {
        self.check_token(id)?;
        let factors = Factors {
            weights: self.row(DOT_PRODUCT_TENSOR, 0)?,
            embedding: self.row("token_embd.weight", id as usize)?,
            norm: self.row("blk.0.attn_norm.weight", 0)?,
            scale: self.embedding_scale(),
        };
        Ok(factors.block_sums())
    }

    /// One row of `embedding_dim` numbers.
    fn row(&self, name: &str, row: usize) -> Result<Vec<f32>, ModelError> {
        let missing = || ModelError::MissingTensor { name: name.to_owned() };
        let (tensor_type, bytes) = self.weights.tensor(name).ok_or_else(missing)?;
        let row_length = self.config.embedding_dim as usize;
        let row_bytes = tensor_type.len_bytes(row_length as u64).ok_or_else(missing)? as usize;
        let mut values = vec![0.0; row_length];
        dequantize(tensor_type, &bytes[row * row_bytes..][..row_bytes], &mut values);
        Ok(values)
    }
}

impl<W> Model<W> {
    fn check_token(&self, id: u32) -> Result<(), ModelError> {
        if id < self.config.vocab_size {
            return Ok(());
        }
        Err(ModelError::TokenId { id, vocab_size: self.config.vocab_size })
    }

    fn embedding_scale(&self) -> f32 {
        self.config.architecture.embedding_scale(self.config.embedding_dim as usize)
    }
}
