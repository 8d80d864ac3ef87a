//! The embedding of seeded tokens.

use super::case::{self, Case, Input, Output, Words};
use super::seeded::Seeded;
use crate::gpu::panel;
use crate::gpu::step::{Shape, StepHeader, StepRow};
use crate::gpu::wgsl::Target;
use crate::quant::TensorType;
use crate::reference::embed::embed;
use crate::reference::rms_norm::NormInput;
use crate::reference::weights::Matrix;

/// Largest squared error over squared value of an operation on single values; int8 may round a tie the other way.
const LIMIT: f64 = 1e-7;

/// Tokens and their table.
#[derive(Debug, Clone)]
pub struct EmbedStep {
    /// Format of the table.
    pub weights: TensorType,
    /// What the kernel is compiled for.
    pub target: Target,
    /// Tokens in the table.
    pub n_vocab: u32,
    /// Width of the residual stream.
    pub embedding_dim: u32,
    /// The table in the bytes of a file. // [n_vocab, embedding_dim]
    pub table: Vec<u8>,
    /// Tokens of the step.
    pub tokens: Vec<u32>,
    /// Weights of the first norm. // [embedding_dim]
    pub next_norm: Vec<f32>,
}

impl EmbedStep {
    /// Seeded data; the last token of the vocabulary comes first.
    pub fn seeded(
        weights: TensorType,
        target: Target,
        n_rows: u32,
        n_vocab: u32,
        embedding_dim: u32,
        seed: u64,
    ) -> Self {
        let mut seeded = Seeded::new(seed);
        let table = seeded.weight_bytes(weights, (n_vocab * embedding_dim) as usize);
        let tokens = (0..n_rows).map(|row| if row == 0 { n_vocab - 1 } else { seeded.below(n_vocab) }).collect();
        let next_norm = seeded.normals(embedding_dim as usize);
        Self { weights, target, n_vocab, embedding_dim, table, tokens, next_norm }
    }

    /// Workgroups of the step.
    pub fn grid(&self) -> (u32, u32, u32) {
        ((self.embedding_dim / 32).div_ceil(self.target.lanes.tasks()), self.tokens.len() as u32, 1)
    }

    /// The table as the twin reads it.
    pub fn matrix(&self) -> Matrix<'_> {
        let (n_rows, row_len) = (self.n_vocab as usize, self.embedding_dim as usize);
        Matrix { tensor_type: self.weights, n_rows, row_len, bytes: &self.table }
    }

    /// The dispatch and what the twin makes of it.
    pub fn case(&self) -> Case {
        let twin: NormInput = embed(&self.matrix(), &self.tokens, &self.next_norm, self.target.arithmetic.activations);
        let rows: Vec<StepRow> = self.tokens.iter().map(|&token| StepRow { token, ..StepRow::default() }).collect();
        let header = StepHeader { n_rows: rows.len() as u32, ..bytemuck::Zeroable::zeroed() };
        let shape = Shape { n_blocks: self.embedding_dim / 32, ..Shape::default() };
        let panels = panel::from_rows(self.weights, self.embedding_dim as usize, &self.table);
        let mut inputs = vec![
            case::step_input(header, &rows),
            Input::uniform(1, bytemuck::bytes_of(&shape)),
            Input::storage(2, &panels.weights),
            Input::storage(9, bytemuck::cast_slice(&self.next_norm)),
        ];
        if !panels.scales.is_empty() {
            inputs.push(Input::storage(3, &panels.scales));
        }
        let [y, y_info] = case::activation_outputs(&twin.weighted, Some(&twin.sums_of_squares));
        let stream = Output::filled(8, "residual", Words::F32, case::bits(&twin.x));
        Case { inputs, outputs: vec![y, y_info, stream], limit: LIMIT }
    }
}
