//! What the lesson asks of a loaded model, and is told.

use serde::{Deserialize, Serialize};

use crate::generate::Engine;
use crate::model::{DOT_PRODUCT_TENSOR, Pass};
use crate::reference::matmul::slices_of;
use crate::reference::weights::BLOCK_LEN;
use crate::tokenizer::TokenId;

/// Whose embedding is taken.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DotProductRequest {
    /// A text; its first token counts.
    pub text: String,
}

/// One dot product of the loaded model, as the sums of its blocks of 32 products.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DotProduct {
    /// Whose first row is multiplied by the token's embedding.
    pub tensor: &'static str,
    /// The token.
    pub token_id: TokenId,
    /// Its text, special tokens shown.
    pub token_text: String,
    /// Of 32 products each.
    pub block_sums: Vec<f32>,
    /// That the kernel for few rows cuts the blocks into.
    pub n_slices: usize,
}

impl DotProduct {
    /// That of a token, from the sums of its blocks.
    pub fn new<P: Pass>(engine: &Engine<P>, token_id: TokenId, block_sums: Vec<f32>) -> Self {
        let token_text = engine.tokenizer().token_text(token_id);
        let n_slices = slices_of(block_sums.len() * BLOCK_LEN);
        Self { tensor: DOT_PRODUCT_TENSOR, token_id, token_text, block_sums, n_slices }
    }
}
