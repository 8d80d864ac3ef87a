//! The embedding of seeded tokens.

use std::ops::Range;

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
    /// The panels of the table that the dispatch sees, where it is in several buffers.
    part: Range<u32>,
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
        let part = 0..n_vocab.div_ceil(32);
        Self { weights, target, n_vocab, embedding_dim, table, tokens, next_norm, part }
    }

    /// The same tokens, of whose table the dispatch sees only some panels.
    pub fn part(self, panels: Range<u32>) -> Self {
        Self { part: panels, ..self }
    }

    /// What the embedding is multiplied by, where the architecture has it so.
    pub fn scale(&self) -> Option<f32> {
        let architecture = self.target.architecture;
        architecture.scaled_embedding.then(|| architecture.embedding_scale(self.embedding_dim as usize))
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
        let format = self.target.arithmetic.activations;
        let twin: NormInput = embed(&self.matrix(), self.scale(), &self.tokens, &self.next_norm, format);
        let rows: Vec<StepRow> = self.tokens.iter().map(|&token| StepRow { token, ..StepRow::default() }).collect();
        let header = StepHeader { n_rows: rows.len() as u32, ..bytemuck::Zeroable::zeroed() };
        let dim = self.embedding_dim as usize;
        let shape = Shape {
            n_blocks: self.embedding_dim / 32,
            n_tasks: self.part.end - self.part.start,
            first_task: self.part.start,
            embedding_scale: self.scale().unwrap_or(f32::NAN),
            ..Shape::default()
        };
        let row_bytes = self.table.len() / self.n_vocab as usize;
        let seen = self.part.start as usize * 32..(self.part.end * 32).min(self.n_vocab) as usize;
        let panels = panel::from_rows(self.weights, dim, &self.table[seen.start * row_bytes..seen.end * row_bytes]);
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
        let mut outputs = vec![y, y_info, stream];
        let word_len = twin.weighted.words().len() / self.tokens.len();
        for (row, token) in self.tokens.iter().enumerate() {
            if !seen.contains(&(*token as usize)) {
                let of_row = |len: usize| row * len..(row + 1) * len;
                let words = [of_row(word_len), of_row(dim / 8), of_row(dim)];
                outputs = outputs.into_iter().zip(words).map(|(output, words)| output.untouched(words)).collect();
            }
        }
        Case { inputs, outputs, limit: LIMIT }
    }
}
