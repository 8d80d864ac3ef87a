//! Seeded parts of products, added in a ring.

use super::case::{self, Case, Input, Output, Words};
use super::seeded::Seeded;
use crate::gpu::step::{Shape, StepHeader};
use crate::gpu::wgsl::Target;
use crate::reference::ring_sum::{ring_sum, ring_total};
use crate::reference::rms_norm::NormInput;

/// Largest squared error over squared value of a sum of at most nine terms; int8 may round a tie the other way.
const LIMIT: f64 = 1e-7;

/// The parts of a step's products by several shards.
#[derive(Debug, Clone)]
pub struct RingStep {
    /// What the kernel is compiled for.
    pub target: Target,
    /// Rows of the step.
    pub n_rows: u32,
    /// Each shard's parts. // [shard][row, embedding_dim]
    pub partials: Vec<Vec<f32>>,
    /// Residual stream so far. // [row, embedding_dim]
    pub residual: Vec<f32>,
    /// Weights of the norm that comes next. // [embedding_dim]
    pub next_norm: Vec<f32>,
}

impl RingStep {
    /// Seeded data.
    pub fn seeded(target: Target, n_rows: u32, embedding_dim: u32, n_shards: u32, seed: u64) -> Self {
        let mut seeded = Seeded::new(seed);
        let mut normals = |n: u32| seeded.normals(n as usize);
        let partials = (0..n_shards).map(|_| normals(n_rows * embedding_dim)).collect();
        let (residual, next_norm) = (normals(n_rows * embedding_dim), normals(embedding_dim));
        Self { target, n_rows, partials, residual, next_norm }
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
        let arithmetic = self.target.arithmetic;
        let (accumulation, format) = (arithmetic.accumulation, arithmetic.activations);
        let header = StepHeader { n_rows: self.n_rows, ..bytemuck::Zeroable::zeroed() };
        let n_shards = self.partials.len() as u32;
        let shape = Shape { n_tasks: self.n_tasks(), n_shards, ..Shape::default() };
        let mut inputs = vec![
            case::step_input(header, &[]),
            Input::uniform(1, bytemuck::bytes_of(&shape)),
            Input::storage(10, bytemuck::cast_slice(&self.partials.concat())),
        ];
        if self.target.architecture.post_norms {
            let totals = ring_total(&self.partials, accumulation, self.next_norm.len());
            return Case { inputs, outputs: case::f32_outputs(self.next_norm.len(), &totals).into(), limit: LIMIT };
        }
        let twin: NormInput = ring_sum(&self.partials, accumulation, format, &self.residual, &self.next_norm);
        inputs.push(Input::storage(9, bytemuck::cast_slice(&self.next_norm)));
        let [y, y_info] = case::activation_outputs(&twin.weighted, Some(&twin.sums_of_squares));
        let stream = Output::filled(8, "residual", Words::F32, case::bits(&twin.x));
        Case { inputs, outputs: vec![y, y_info, stream.over(&case::bits(&self.residual))], limit: LIMIT }
    }
}
