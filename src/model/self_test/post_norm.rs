//! Seeded products, normed and added to the residual stream.

use super::case::{self, Case, Input, Output, Words};
use super::seeded::Seeded;
use crate::gpu::step::{Shape, StepHeader};
use crate::gpu::wgsl::Target;
use crate::reference::post_norm::{StreamNorms, post_norm};
use crate::reference::rms_norm::{Norm, NormInput};

/// Largest squared error over squared value of a norm and a sum; int8 may round a tie the other way.
const LIMIT: f64 = 1e-6;

/// The products of a step.
#[derive(Debug, Clone)]
pub struct PostNormStep {
    /// What the kernel is compiled for.
    pub target: Target,
    /// Rows of the step.
    pub n_rows: u32,
    /// Finished products. // [row, embedding_dim]
    pub totals: Vec<f32>,
    /// Residual stream so far. // [row, embedding_dim]
    pub residual: Vec<f32>,
    /// Weights of the norm in front of the stream. // [embedding_dim]
    pub post_norm: Vec<f32>,
    /// Weights of the norm behind it. // [embedding_dim]
    pub next_norm: Vec<f32>,
    /// How the norm in front is taken.
    pub norm: Norm,
}

impl PostNormStep {
    /// Seeded data.
    pub fn seeded(target: Target, n_rows: u32, embedding_dim: u32, seed: u64) -> Self {
        let mut seeded = Seeded::new(seed);
        let mut normals = |n: u32| seeded.normals(n as usize);
        let (totals, residual) = (normals(n_rows * embedding_dim), normals(n_rows * embedding_dim));
        let (post_norm, next_norm) = (normals(embedding_dim), normals(embedding_dim));
        let norm = Norm { epsilon: 1e-6, reduction: target.norm };
        Self { target, n_rows, totals, residual, post_norm, next_norm, norm }
    }

    fn n_tasks(&self) -> u32 {
        self.next_norm.len() as u32 / 32
    }

    /// Workgroups of the step.
    pub fn grid(&self) -> (u32, u32, u32) {
        (self.n_tasks().div_ceil(self.target.lanes.tasks()), self.n_rows, 1)
    }

    /// The dispatch and what the twin makes of it.
    pub fn case(&self) -> Case {
        let format = self.target.arithmetic.activations;
        let norms = StreamNorms { post: &self.post_norm, next: &self.next_norm };
        let twin: NormInput = post_norm(&self.totals, self.norm, norms, &self.residual, format);
        let header = StepHeader { n_rows: self.n_rows, ..bytemuck::Zeroable::zeroed() };
        let shape = Shape {
            n_blocks: self.n_tasks(),
            n_tasks: self.n_tasks(),
            inverse_dim: 1.0 / self.next_norm.len() as f32,
            norm_eps: self.norm.epsilon,
            ..Shape::default()
        };
        let mut inputs = vec![
            case::step_input(header, &[]),
            Input::uniform(1, bytemuck::bytes_of(&shape)),
            Input::storage(9, bytemuck::cast_slice(&self.next_norm)),
            Input::storage(10, bytemuck::cast_slice(&self.post_norm)),
        ];
        inputs.extend(case::f32_inputs(self.next_norm.len(), &self.totals));
        let [y, y_info] = case::activation_outputs(&twin.weighted, Some(&twin.sums_of_squares));
        let stream = Output::filled(8, "residual", Words::F32, case::bits(&twin.x));
        Case { inputs, outputs: vec![y, y_info, stream.over(&case::bits(&self.residual))], limit: LIMIT }
    }
}
