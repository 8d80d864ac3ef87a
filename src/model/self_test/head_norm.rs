//! Norms and rotations of the heads of Q and K, on seeded data.

use super::case::{self, Case, Input, Output, POISON, Words};
use super::seeded::Seeded;
use crate::gpu::step::{Shape, StepHeader, StepRow};
use crate::gpu::wgsl::Target;
use crate::reference::head_norm::{HeadNorms, head_norm};
use crate::reference::kv_cache::kv_store;
use crate::reference::qkv_raw::QkvRaw;
use crate::reference::rope_table::{RopeSettings, RopeTable};
use crate::reference::weights::BLOCK_LEN;

/// Largest squared error over squared value; keys in few bits are judged by the limits of their format.
const LIMIT: f64 = 1e-6;

/// Positions that the rows of a step are spread over.
const N_POSITIONS: u32 = 61;

/// Q and K of a step as qkv_raw leaves them.
#[derive(Debug, Clone)]
pub struct HeadNormStep {
    /// What the kernel is compiled for.
    pub target: Target,
    /// Query heads.
    pub n_heads: u32,
    /// Key heads.
    pub n_kv_heads: u32,
    /// Queries and keys. // [row, n_heads * head_dim], [row, n_kv_heads * head_dim]
    pub raw: QkvRaw,
    /// Weights of the norms.
    pub norms: HeadNorms,
    /// Position and cache slot of every row.
    pub rows: Vec<StepRow>,
    rope: RopeTable,
    n_cache_blocks: u32,
}

impl HeadNormStep {
    /// Seeded data.
    pub fn seeded(target: Target, n_heads: u32, n_kv_heads: u32, n_rows: u32, seed: u64) -> Self {
        let mut seeded = Seeded::new(seed);
        let head_dim = target.head_dim as usize;
        let mut heads = |n: u32| seeded.normals(n as usize * head_dim);
        let raw = QkvRaw { q: heads(n_rows * n_heads), k: heads(n_rows * n_kv_heads), v: Vec::new() };
        let norms = HeadNorms { q: heads(1), k: heads(1), epsilon: 1e-6 };
        let n_cache_blocks = n_rows.div_ceil(16) + 2;
        let row = |row: u32| StepRow {
            position: (row * 7 + 5) % N_POSITIONS,
            slot: (row * 11 + 3) % (16 * n_cache_blocks),
            ..StepRow::default()
        };
        let settings =
            RopeSettings { base: 1e4, head_dim, rope_dim: head_dim / 2, linear_factor: 1.0, frequency_factors: None };
        let rope = RopeTable::new(&settings, N_POSITIONS as usize);
        Self { target, n_heads, n_kv_heads, raw, norms, rows: (0..n_rows).map(row).collect(), rope, n_cache_blocks }
    }

    fn n_tasks(&self) -> u32 {
        (self.n_heads + self.n_kv_heads) * self.target.head_dim / 32
    }

    /// Workgroups of the step.
    pub fn grid(&self) -> (u32, u32, u32) {
        (self.n_tasks().div_ceil(self.target.lanes.tasks()), self.rows.len() as u32, 1)
    }

    /// The dispatch and what the twin makes of it.
    pub fn case(&self) -> Case {
        let head_dim = self.target.head_dim as usize;
        let (q_dim, kv_dim) = (self.n_heads as usize * head_dim, self.n_kv_heads as usize * head_dim);
        let positions: Vec<usize> = self.rows.iter().map(|row| row.position as usize).collect();
        let twin = head_norm(self.raw.clone(), &self.norms, &self.rope, &positions, self.target.k);
        let header = StepHeader { n_rows: self.rows.len() as u32, ..bytemuck::Zeroable::zeroed() };
        let shape = Shape {
            q_dim: q_dim as u32,
            kv_dim: kv_dim as u32,
            inverse_dim: 1.0 / head_dim as f32,
            norm_eps: self.norms.epsilon,
            ..Shape::default()
        };
        let heads = self.raw.q.chunks(q_dim).zip(self.raw.k.chunks(kv_dim)).flat_map(|(q, k)| [q, k].concat());
        let mut inputs = vec![
            case::step_input(header, &self.rows),
            Input::uniform(1, bytemuck::bytes_of(&shape)),
            Input::storage(10, bytemuck::cast_slice(&[&self.norms.q[..], &self.norms.k].concat())),
            Input::storage(11, bytemuck::cast_slice(&self.rope.cos_sin)),
        ];
        inputs.extend(case::f32_inputs(q_dim + kv_dim, &heads.collect::<Vec<_>>()));
        let k = Output::filled(9, "k_cache", Words::Kv(self.target.k), self.cache(&twin.k));
        Case { inputs, outputs: vec![Output::filled(8, "q", Words::F32, case::bits(&twin.q)), k], limit: LIMIT }
    }

    /// K in the cache after the step: poison where no row was stored. // [cache block, kv head, 16 positions, head_dim]
    fn cache(&self, keys: &[f32]) -> Vec<u32> {
        let (head_dim, n_heads) = (self.target.head_dim as usize, self.n_kv_heads);
        let head_len = head_dim / BLOCK_LEN * self.target.k.block_words();
        let mut cache = vec![POISON; (self.n_cache_blocks * 16 * n_heads) as usize * head_len];
        let places = self.rows.iter().flat_map(|row| {
            let slot = row.slot;
            (0..n_heads).map(move |head| ((slot / 16 * n_heads + head) * 16 + slot % 16) as usize)
        });
        for (place, key) in places.zip(keys.chunks_exact(head_dim)) {
            let words = key.as_chunks().0.iter().flat_map(|block| kv_store(self.target.k, block));
            cache[place * head_len..][..head_len].copy_from_slice(&words.collect::<Vec<_>>());
        }
        cache
    }
}
