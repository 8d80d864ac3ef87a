//! A matrix product at one of its four sites, on seeded data.

use std::ops::Range;

use super::case::{self, Case, Input, Output, POISON, Words};
use super::seeded::Seeded;
use crate::gpu::panel::{self, Panels};
use crate::gpu::select::KernelShape;
use crate::gpu::step::{MAX_BIASES, Shape, StepHeader, StepRow};
use crate::gpu::wgsl::{Epilogue, Target};
use crate::numerics::{KvFormat, shard_blocks};
use crate::quant::TensorType;
use crate::reference::activations::Activations;
use crate::reference::gate_up::gate_up;
use crate::reference::kv_cache::{kv_load, kv_store};
use crate::reference::matmul::Summation;
use crate::reference::output::output;
use crate::reference::partial::partial;
use crate::reference::qkv::{QkvWeights, qkv};
use crate::reference::qkv_raw::{QkvRaw, qkv_raw};
use crate::reference::residual::residual;
use crate::reference::rms_norm::{Norm, NormInput};
use crate::reference::rope_table::{RopeSettings, RopeTable};
use crate::reference::total::total;
use crate::reference::weights::{BLOCK_LEN, Matrix};

/// RMSNorm epsilon of every case.
pub const NORM_EPS: f32 = 1e-5;

/// Positions that the rows of a step are spread over.
const N_POSITIONS: u32 = 61;

/// Rows before the first whose logits are wanted.
const FIRST_OUTPUT_ROW: u32 = 2;

/// Largest squared error over squared value of a matrix product.
const LIMIT: f64 = 1e-6;

/// Sizes of one product.
#[derive(Debug, Clone, Copy)]
pub struct MatmulSize {
    /// Rows of activations.
    pub n_rows: u32,
    /// Length of a row of weights (K), a multiple of 32.
    pub row_len: u32,
    /// Rows of weights; of each of gate and up. A multiple of 32 except for the output head. Unused for Q, K and V.
    pub n_out: u32,
    /// Query heads, Q, K and V only.
    pub n_heads: u32,
    /// Key and value heads, Q, K and V only.
    pub n_kv_heads: u32,
}

/// One matrix product with its inputs, for any number of slices and both kernels.
#[derive(Debug, Clone)]
pub struct MatmulSite {
    /// Which site.
    pub epilogue: Epilogue,
    /// Format of the weights.
    pub weights: TensorType,
    /// What the kernel is compiled for.
    pub target: Target,
    /// Its sizes.
    pub size: MatmulSize,
    /// The site's matrices in the bytes of a file: Q, K and V; gate and up; or one. // [n, row_len]
    pub matrices: Vec<(u32, Vec<u8>)>,
    /// Activations, and what the norm in front of Q, K and V, of gate and up and of the output head needs.
    pub input: NormInput,
    /// Residual stream so far, for the residual site. // [row, n_out]
    pub residual: Vec<f32>,
    /// Weights of the norm that comes next, for the residual site; the last block's are zero. // [n_out]
    pub next_norm: Vec<f32>,
    /// Rotations, for Q, K and V.
    pub rope: RopeTable,
    /// Position and cache slot of every row, for Q, K and V.
    pub rows: Vec<StepRow>,
    /// What is added to Q, K and V, where the architecture has biases.
    pub bias: Option<[Vec<f32>; 3]>,
    /// Cache blocks, for Q, K and V.
    n_cache_blocks: u32,
    /// The only one of the site's matrices that the dispatch multiplies by, where Q, K and V are of different formats.
    only: Option<usize>,
    /// Which shard, and of how many: the first of one where the product is not split.
    shard: (u32, u32),
    /// The panels of the output head that the dispatch multiplies by, where it is in several buffers.
    part: Range<u32>,
    panels: Panels,
}

impl MatmulSite {
    fn norm(&self) -> Norm {
        Norm { epsilon: NORM_EPS, reduction: self.target.norm }
    }

    /// Seeded data for a site.
    pub fn seeded(epilogue: Epilogue, weights: TensorType, target: Target, size: MatmulSize, seed: u64) -> Self {
        let mut seeded = Seeded::new(seed);
        let row_len = size.row_len as usize;
        let (q_dim, kv_dim) = (size.n_heads * target.head_dim, size.n_kv_heads * target.head_dim);
        let heights = match epilogue {
            Epilogue::Qkv | Epilogue::QkvRaw => vec![q_dim, kv_dim, kv_dim],
            Epilogue::GateUp => vec![size.n_out; 2],
            Epilogue::Residual | Epilogue::Partial | Epilogue::Total | Epilogue::Output => vec![size.n_out],
        };
        let matrices: Vec<(u32, Vec<u8>)> =
            heights.iter().map(|&n| (n, seeded.weight_bytes(weights, n as usize * row_len))).collect();
        let mut all = matrices.iter().map(|(_, bytes)| panel::from_rows(weights, row_len, bytes));
        let first = all.next().expect("a site has a matrix");
        let panels = match epilogue {
            Epilogue::GateUp => all.fold(first, |gate, up| gate.interleave(&up)),
            _ => all.fold(first, |above, below| above.stack(&below)),
        };

        // Gate and up get an eightfold spread, so that the SiLU bends.
        let spread = if epilogue == Epilogue::GateUp { 8.0 } else { 1.0 };
        let norm_weight: Vec<f32> = (0..row_len).map(|_| spread * (1.0 + 0.5 * seeded.normal())).collect();
        let mut input = NormInput::new(target.arithmetic.activations, row_len);
        let before = if epilogue == Epilogue::Output { FIRST_OUTPUT_ROW } else { 0 };
        for _ in 0..before + size.n_rows {
            input.push_row(&seeded.normals(row_len), &norm_weight);
        }

        let mut next_norm = seeded.normals(size.n_out as usize);
        if size.n_out > 32 {
            // A block whose every activation is zero has no scale to divide by.
            next_norm[size.n_out as usize - 32..].fill(0.0);
        }
        let n_cache_blocks = size.n_rows.div_ceil(16) + 2;
        let rows = (0..size.n_rows)
            .map(|row| StepRow {
                position: (row * 7 + 5) % N_POSITIONS,
                slot: (row * 11 + 3) % (16 * n_cache_blocks),
                ..StepRow::default()
            })
            .collect();
        let head_dim = target.head_dim as usize;
        let settings =
            RopeSettings { base: 1e4, head_dim, rope_dim: head_dim, linear_factor: 1.0, frequency_factors: None };
        let rope = RopeTable::new(&settings, N_POSITIONS as usize);
        let residual = seeded.normals((size.n_rows * size.n_out) as usize);
        let bias = (target.architecture.qkv_bias && heights.len() == 3)
            .then(|| [q_dim, kv_dim, kv_dim].map(|n| seeded.normals(n as usize)));
        Self {
            epilogue,
            weights,
            target,
            size,
            matrices,
            input,
            residual,
            next_norm,
            rope,
            rows,
            bias,
            n_cache_blocks,
            only: None,
            shard: (0, 1),
            part: 0..panels.n_panels() as u32,
            panels,
        }
    }

    /// The same site of Q, K and V, of which the dispatch computes only one.
    pub fn only(mut self, matrix: usize) -> Self {
        self.panels = panel::from_rows(self.weights, self.size.row_len as usize, &self.matrices[matrix].1);
        self.only = Some(matrix);
        self
    }

    /// The same output head, of whose panels the dispatch computes only some.
    pub fn part(mut self, panels: Range<u32>) -> Self {
        let (n_rows, bytes) = &self.matrices[0];
        let row_bytes = bytes.len() / *n_rows as usize;
        let rows = panels.start as usize * 32..(panels.end * 32).min(*n_rows) as usize;
        let bytes = &bytes[rows.start * row_bytes..rows.end * row_bytes];
        self.panels = panel::from_rows(self.weights, self.size.row_len as usize, bytes);
        self.part = panels;
        self
    }

    /// One shard of the same product, of `n_shards`.
    pub fn shard(self, shard: u32, n_shards: u32) -> Self {
        Self { shard: (shard, n_shards), ..self }
    }

    /// The blocks of K that the dispatch adds.
    pub fn blocks(&self) -> Range<u32> {
        let (shard, n_shards) = self.shard;
        shard_blocks(self.size.row_len / 32, n_shards, shard)
    }

    /// Terms of a product in the dispatch.
    pub fn n_terms(&self) -> u32 {
        self.blocks().len() as u32 * 32
    }

    /// Words in front of the shard's part, which belong to those before it.
    pub fn words_before(&self) -> usize {
        (self.shard.0 * self.size.n_rows * self.size.n_out) as usize
    }

    fn computes(&self, matrix: usize) -> bool {
        self.only.is_none_or(|only| only == matrix)
    }

    /// Tasks of the whole site: groups of the epilogue's panels.
    pub fn n_tasks(&self) -> u32 {
        self.panels.n_panels() as u32 / self.epilogue.panels()
    }

    /// Workgroups that the kernel of `shape` needs.
    pub fn grid(&self, shape: KernelShape) -> (u32, u32, u32) {
        self.target.matmul_grid(self.epilogue, shape, self.n_tasks(), self.size.n_rows)
    }

    /// One of the site's matrices as the twin reads it.
    pub fn matrix(&self, i: usize) -> Matrix<'_> {
        let (n_rows, bytes) = &self.matrices[i];
        Matrix { tensor_type: self.weights, n_rows: *n_rows as usize, row_len: self.size.row_len as usize, bytes }
    }

    /// The rows whose products are wanted.
    pub fn wanted_input(&self) -> NormInput {
        let first = self.input.n_rows() - self.size.n_rows as usize;
        self.input.select_rows(first..self.input.n_rows())
    }

    /// The dispatch with K, or the shard's part of it, cut into `n_slices`, and what the twin makes of it.
    pub fn case(&self, n_slices: u32) -> Case {
        let accumulation = self.target.arithmetic.accumulation;
        let slices = Summation { n_slices: n_slices as usize, accumulation };
        let input = self.wanted_input();
        let mut inputs = self.inputs(n_slices);
        let outputs = match self.epilogue {
            Epilogue::Qkv => {
                let weights = self.qkv_weights();
                let positions: Vec<usize> = self.rows.iter().map(|row| row.position as usize).collect();
                let formats = (self.target.k, self.target.v);
                let twin = qkv(&weights, &input, slices, self.norm(), &self.rope, &positions, formats);
                inputs.push(Input::storage(11, bytemuck::cast_slice(&self.rope.cos_sin)));
                let k = Output::filled(9, "k_cache", Words::Kv(formats.0), self.cache(1, formats.0, &twin.k));
                let v = Output::filled(10, "v_cache", Words::Kv(formats.1), self.cache(2, formats.1, &twin.v));
                let q = if self.computes(0) { case::bits(&twin.q) } else { vec![POISON; twin.q.len()] };
                vec![Output::filled(8, "q", Words::F32, q), k, v]
            }
            Epilogue::QkvRaw => {
                let v_format = self.target.v;
                let QkvRaw { q, k, v } = qkv_raw(&self.qkv_weights(), &input, slices, self.norm(), v_format);
                let (q_dim, kv_dim) = (self.matrix(0).n_rows, self.matrix(1).n_rows);
                let heads = q.chunks(q_dim).zip(k.chunks(kv_dim)).flat_map(|(q, k)| [q, k].concat());
                let mut outputs = case::f32_outputs(q_dim + kv_dim, &heads.collect::<Vec<_>>()).to_vec();
                for (matrix, values) in [(0, 0..q_dim), (1, q_dim..q_dim + kv_dim)] {
                    for row in (0..self.size.n_rows as usize).filter(|_| !self.computes(matrix)) {
                        let at = row * (q_dim + kv_dim);
                        let words =
                            [at + values.start..at + values.end, (at + values.start) / 8..(at + values.end) / 8];
                        outputs =
                            outputs.into_iter().zip(words).map(|(output, words)| output.untouched(words)).collect();
                    }
                }
                outputs.push(Output::filled(10, "v_cache", Words::Kv(v_format), self.cache(2, v_format, &v)));
                outputs
            }
            Epilogue::Total => {
                let twin = total(&self.matrix(0), &input.weighted, slices);
                case::f32_outputs(self.size.n_out as usize, &twin).into()
            }
            Epilogue::Residual => {
                let twin = residual(&self.matrix(0), &input.weighted, slices, &self.residual, &self.next_norm);
                inputs.push(Input::storage(9, bytemuck::cast_slice(&self.next_norm)));
                let [y, y_info] = case::activation_outputs(&twin.weighted, Some(&twin.sums_of_squares));
                let stream = Output::filled(8, "residual", Words::F32, case::bits(&twin.x));
                vec![y, y_info, stream.over(&case::bits(&self.residual))]
            }
            Epilogue::Partial => {
                let blocks = self.blocks();
                let blocks = blocks.start as usize..blocks.end as usize;
                let twin = partial(&self.matrix(0), &input.weighted, blocks, slices);
                let mut partials = vec![POISON; self.words_before()];
                partials.extend(case::bits(&twin));
                vec![Output::filled(8, "partials", Words::F32, partials)]
            }
            Epilogue::GateUp => {
                let twin = self.gate_up(&input, slices);
                case::activation_outputs(&twin, None).into()
            }
            Epilogue::Output => {
                let n_out = self.size.n_out as usize;
                let n_padded = n_out.next_multiple_of(32);
                let mut logits = vec![0.0_f32; self.size.n_rows as usize * n_padded];
                let twin = output(&self.matrix(0), &input, slices, self.norm());
                for (to, from) in logits.chunks_exact_mut(n_padded).zip(twin.chunks_exact(n_out)) {
                    to[..n_out].copy_from_slice(from);
                }
                let mut output = Output::filled(8, "logits", Words::F32, case::bits(&logits));
                for row in 0..self.size.n_rows as usize {
                    let at = |panel: u32| row * n_padded + panel as usize * 32;
                    output = output.untouched(at(0)..at(self.part.start));
                    output = output.untouched(at(self.part.end)..at(n_padded as u32 / 32));
                }
                vec![output]
            }
        };
        Case { inputs, outputs, limit: LIMIT }
    }

    fn qkv_weights(&self) -> QkvWeights<'_> {
        QkvWeights { q: self.matrix(0), k: self.matrix(1), v: self.matrix(2), bias: self.bias.clone() }
    }

    fn gate_up(&self, input: &NormInput, slices: Summation) -> Activations {
        gate_up(&self.matrix(0), &self.matrix(1), input, slices, self.norm(), self.target.architecture.activation)
    }

    fn inputs(&self, n_slices: u32) -> Vec<Input> {
        let n_blocks = self.size.row_len / 32;
        let normed = self.epilogue.is_normed();
        let first_output_row = self.input.n_rows() as u32 - self.size.n_rows;
        let header = StepHeader {
            n_rows: self.input.n_rows() as u32,
            first_output_row,
            n_output_rows: self.size.n_rows,
            ..bytemuck::Zeroable::zeroed()
        };
        let shape = Shape {
            n_blocks,
            n_tasks: self.n_tasks(),
            q_dim: self.size.n_heads * self.target.head_dim,
            kv_dim: self.size.n_kv_heads * self.target.head_dim,
            inverse_dim: 1.0 / self.size.row_len as f32,
            norm_eps: NORM_EPS,
            first_task: self.matrices.iter().take(self.only.unwrap_or(0)).map(|(n_rows, _)| n_rows / 32).sum::<u32>()
                + if self.epilogue == Epilogue::Output { self.part.start } else { 0 },
            shard: self.shard.0,
            row_tasks: self.size.n_out.div_ceil(32),
            ..Shape::default()
        }
        .adding(&self.blocks(), n_slices);
        let sums = normed.then_some(&self.input.sums_of_squares[..]);
        let mut inputs = vec![
            case::step_input(header, if self.is_qkv() { &self.rows } else { &[] }),
            Input::uniform(1, bytemuck::bytes_of(&shape)),
            Input::storage(2, &self.panels.weights),
        ];
        if !self.panels.scales.is_empty() {
            inputs.push(Input::storage(3, &self.panels.scales));
        }
        inputs.extend(case::activation_inputs(&self.input.weighted, sums));
        if let Some(bias) = &self.bias {
            let mut biases = bias.concat();
            biases.resize(MAX_BIASES as usize, 0.0);
            inputs.push(Input::uniform(12, bytemuck::cast_slice(&biases)));
        }
        inputs
    }

    fn is_qkv(&self) -> bool {
        matches!(self.epilogue, Epilogue::Qkv | Epilogue::QkvRaw)
    }

    /// K (matrix 1) or V (matrix 2) in the cache after the step: poison where no row was stored.
    /// // [cache block, kv head, 16 positions, head_dim]
    fn cache(&self, matrix: usize, format: KvFormat, values: &[f32]) -> Vec<u32> {
        let head_len = self.target.head_dim as usize / BLOCK_LEN * format.block_words();
        let n_heads = (self.n_cache_blocks * 16 * self.size.n_kv_heads) as usize;
        let mut cache = vec![POISON; n_heads * head_len];
        if self.computes(matrix) {
            for (place, values) in self.places().zip(values.chunks_exact(self.target.head_dim as usize)) {
                let words = values.as_chunks().0.iter().flat_map(|block| kv_store(format, block));
                cache[place * head_len..][..head_len].copy_from_slice(&words.collect::<Vec<_>>());
            }
        }
        cache
    }

    /// Values of the step's rows as a cache that holds these words returns them. // [row, n_kv_heads * head_dim]
    pub fn cached(&self, format: KvFormat, cache: &[u32]) -> Vec<f32> {
        let head_len = self.target.head_dim as usize / BLOCK_LEN * format.block_words();
        let words = self.places().flat_map(|place| cache[place * head_len..][..head_len].chunks(format.block_words()));
        words.flat_map(|block| kv_load(format, block)).collect()
    }

    /// Where every row and head of K or V lies in the cache, in heads. // [row, n_kv_heads]
    fn places(&self) -> impl Iterator<Item = usize> {
        let n_kv_heads = self.size.n_kv_heads;
        let place = move |slot: u32, head: u32| (slot / 16 * n_kv_heads + head) * 16 + slot % 16;
        self.rows.iter().flat_map(move |row| (0..n_kv_heads).map(move |head| place(row.slot, head) as usize))
    }
}
