//! Attention of a step's rows over the cached keys of several sequences, on seeded data.

use std::ops::Range;

use super::case::{self, Case, Input, Output, POISON, Words};
use super::seeded::Seeded;
use crate::gpu::select::{attention_splits, n_splits};
use crate::gpu::step::{AttentionShape, NO_WINDOW, StepHeader, StepRow};
use crate::gpu::wgsl::Target;
use crate::numerics::{KvFormat, Order};
use crate::reference::activations::Activations;
use crate::reference::attention_fold::attention_fold;
use crate::reference::attention_split::{KeysValues, Partial, attention_split, score_scale, splits};
use crate::reference::kv_cache::{cached, kv_store};
use crate::reference::weights::BLOCK_LEN;

/// Largest squared error over squared value of attention.
const LIMIT: f64 = 1e-6;

/// Keys and values of one sequence as the cache returns them. // each: [position, n_kv_heads * head_dim]
#[derive(Debug, Clone)]
pub struct CachedSequence {
    /// Keys.
    pub k: Vec<f32>,
    /// Values.
    pub v: Vec<f32>,
}

/// Queries of a step and the cache that they look into.
#[derive(Debug, Clone)]
pub struct AttentionStep {
    /// What the kernels are compiled for.
    pub target: Target,
    /// Query heads.
    pub n_heads: u32,
    /// Key and value heads.
    pub n_kv_heads: u32,
    /// Sequence and position of every row; a row at position p sees p + 1 keys.
    pub rows: Vec<(u32, u32)>,
    /// Queries. // [row, n_heads * head_dim]
    pub q: Vec<f32>,
    /// What is cached.
    pub sequences: Vec<CachedSequence>,
    /// Keys that a row sees at most; none where it sees all.
    pub window: Option<u32>,
    /// Cache block of every 16 positions. // [sequence, max_blocks]
    block_table: Vec<u32>,
    max_blocks: u32,
    n_cache_blocks: u32,
}

impl AttentionStep {
    /// Seeded data in which the scores spread widely enough for the folds to matter, and neighbours in a sequence lie apart in the
    /// cache.
    pub fn seeded(target: Target, n_heads: u32, n_kv_heads: u32, rows: &[(u32, u32)], seed: u64) -> Self {
        let mut seeded = Seeded::new(seed);
        let n_sequences = rows.iter().map(|row| row.0 + 1).max().unwrap_or(0);
        let longest = rows.iter().map(|row| row.1 + 1).max().unwrap_or(0);
        let max_blocks = longest.div_ceil(16) + 1;
        let n_cache_blocks = n_sequences * max_blocks + 3;
        let mut block_table: Vec<u32> = (0..n_cache_blocks).collect();
        for i in (1..block_table.len()).rev() {
            block_table.swap(i, seeded.below(i as u32 + 1) as usize);
        }
        block_table.truncate((n_sequences * max_blocks) as usize);
        let kv_dim = (n_kv_heads * target.head_dim) as usize;
        let sequences = (0..n_sequences)
            .map(|sequence| {
                let in_sequence = rows.iter().filter(|row| row.0 == sequence);
                let n_keys = in_sequence.map(|row| row.1 as usize + 1).max().unwrap_or(0);
                let mut stored = |format| cached(format, &seeded.normals(n_keys * kv_dim));
                CachedSequence { k: stored(target.k), v: stored(target.v) }
            })
            .collect();
        let q_len = rows.len() * (n_heads * target.head_dim) as usize;
        let q = seeded.normals(q_len).iter().map(|v| 3.0 * v).collect();
        Self {
            target,
            n_heads,
            n_kv_heads,
            rows: rows.to_vec(),
            q,
            sequences,
            window: None,
            block_table,
            max_blocks,
            n_cache_blocks,
        }
    }

    /// The same step with a sliding window of so many keys.
    pub fn with_window(self, len: u32) -> Self {
        Self { window: Some(len), ..self }
    }

    /// The keys that a row sees.
    pub fn keys(&self, row: usize) -> Range<usize> {
        let n_keys = self.rows[row].1 as usize + 1;
        n_keys - self.window.map_or(n_keys, |window| n_keys.min(window as usize))..n_keys
    }

    /// The same cache, asked by only those rows that `keep` says.
    pub fn with_rows(&self, keep: impl Fn(usize) -> bool) -> Self {
        let kept: Vec<usize> = (0..self.rows.len()).filter(|row| keep(*row)).collect();
        let q_dim = (self.n_heads * self.target.head_dim) as usize;
        Self {
            rows: kept.iter().map(|&row| self.rows[row]).collect(),
            q: kept.iter().flat_map(|&row| self.q[row * q_dim..][..q_dim].to_vec()).collect(),
            ..self.clone()
        }
    }

    /// Cached keys and values of one row's sequence.
    pub fn keys_values(&self, row: usize) -> KeysValues<'_> {
        let sequence = &self.sequences[self.rows[row].0 as usize];
        let (n_kv_heads, head_dim) = (self.n_kv_heads as usize, self.target.head_dim as usize);
        KeysValues { k: &sequence.k, v: &sequence.v, n_kv_heads, head_dim }
    }

    /// Query of one head of one row.
    pub fn query(&self, row: usize, head: usize) -> &[f32] {
        let head_dim = self.target.head_dim as usize;
        &self.q[(row * self.n_heads as usize + head) * head_dim..][..head_dim]
    }

    /// The key and value head of a query head.
    pub fn kv_head(&self, head: usize) -> usize {
        head / (self.n_heads / self.n_kv_heads) as usize
    }

    /// Splits of every row and head by the twin. // [row, head, split]
    pub fn partials(&self, order: Order) -> Vec<Vec<Vec<Partial>>> {
        let n_rows = self.rows.len();
        let of_head = |row: usize, head: usize| {
            let keys_values = self.keys_values(row);
            let window = self.window.map(|window| window as usize);
            let cuts = splits(order, n_rows, self.rows[row].1 as usize + 1, window).into_iter();
            cuts.map(|cut| {
                attention_split(self.query(row, head), &keys_values, self.kv_head(head), cut, self.target.softmax)
            })
            .collect()
        };
        (0..n_rows).map(|row| (0..self.n_heads as usize).map(|head| of_head(row, head)).collect()).collect()
    }

    /// Most splits of a row, as the grid needs them.
    fn most_splits(&self, order: Order) -> u32 {
        let (fixed, most) = attention_splits(order, self.rows.len() as u32);
        self.rows.iter().map(|row| n_splits(fixed, most, row.1 + 1, self.window)).max().unwrap_or(0)
    }

    /// Workgroups of attention_split.
    pub fn split_grid(&self, order: Order) -> (u32, u32, u32) {
        (self.n_heads.div_ceil(self.target.lanes.tasks()), self.rows.len() as u32, self.most_splits(order))
    }

    /// Workgroups of attention_fold.
    pub fn fold_grid(&self) -> (u32, u32, u32) {
        let n_tasks = self.n_heads * self.target.head_dim / 32;
        (n_tasks.div_ceil(self.target.lanes.tasks()), self.rows.len() as u32, 1)
    }

    /// attention_split's dispatch and what the twin makes of it.
    pub fn split_case(&self, order: Order, partials: &[Vec<Vec<Partial>>]) -> Case {
        let mut inputs = self.uniforms(order);
        inputs.push(Input::storage(2, bytemuck::cast_slice(&self.q)));
        inputs.push(Input::storage(3, bytemuck::cast_slice(&self.cache(self.target.k, |cached| &cached.k))));
        inputs.push(Input::storage(4, bytemuck::cast_slice(&self.cache(self.target.v, |cached| &cached.v))));
        inputs.push(Input::storage(5, bytemuck::cast_slice(&self.block_table)));
        Case {
            inputs,
            outputs: vec![Output::filled(6, "parts", Words::F32, self.parts(order, partials))],
            limit: LIMIT,
        }
    }

    /// attention_fold's dispatch on the twin's splits and what the twin makes of them.
    pub fn fold_case(&self, order: Order, partials: &[Vec<Vec<Partial>>]) -> Case {
        let mut inputs = self.uniforms(order);
        inputs.push(Input::storage(2, bytemuck::cast_slice(&self.parts(order, partials))));
        let q_dim = (self.n_heads * self.target.head_dim) as usize;
        let mut attended = Activations::new(self.target.arithmetic.activations, q_dim);
        for heads in partials {
            attended.push_row(&heads.iter().flat_map(|splits| attention_fold(splits)).collect::<Vec<_>>());
        }
        Case { inputs, outputs: case::activation_outputs(&attended, None).into(), limit: LIMIT }
    }

    fn uniforms(&self, order: Order) -> Vec<Input> {
        let (fixed, most) = attention_splits(order, self.rows.len() as u32);
        let header = StepHeader {
            n_rows: self.rows.len() as u32,
            fixed_splits: u32::from(fixed),
            max_splits: most,
            max_blocks: self.max_blocks,
            ..bytemuck::Zeroable::zeroed()
        };
        let row = |&(sequence, position): &(u32, u32)| StepRow { sequence, position, ..StepRow::default() };
        let shape = AttentionShape {
            n_heads: self.n_heads,
            n_kv_heads: self.n_kv_heads,
            part_splits: self.part_splits(order),
            scale: score_scale(self.target.head_dim as usize),
            window: self.window.unwrap_or(NO_WINDOW),
            unused: [0; 3],
        };
        let rows: Vec<StepRow> = self.rows.iter().map(row).collect();
        vec![case::step_input(header, &rows), Input::uniform(1, bytemuck::bytes_of(&shape))]
    }

    /// One more than a row can have, so that there is room to write where nothing belongs.
    fn part_splits(&self, order: Order) -> u32 {
        self.most_splits(order) + 1
    }

    /// The splits' results in the kernels' layout, poison between them. // [row, head, part_splits, head_dim + 4]
    fn parts(&self, order: Order, partials: &[Vec<Vec<Partial>>]) -> Vec<u32> {
        let head_dim = self.target.head_dim as usize;
        let (part_len, part_splits) = (head_dim + 4, self.part_splits(order) as usize);
        let mut parts = vec![POISON; self.rows.len() * self.n_heads as usize * part_splits * part_len];
        for (row, heads) in partials.iter().enumerate() {
            for (head, splits) in heads.iter().enumerate() {
                for (split, partial) in splits.iter().enumerate() {
                    let at = ((row * self.n_heads as usize + head) * part_splits + split) * part_len;
                    parts[at..at + head_dim].copy_from_slice(&case::bits(&partial.values));
                    let tail = [partial.max, partial.sum, 0.0, 0.0];
                    parts[at + head_dim..at + part_len].copy_from_slice(&case::bits(&tail));
                }
            }
        }
        parts
    }

    /// One side of the cache, poison wherever no key of any sequence lies. // [cache block, kv head, 16 positions, head_dim]
    fn cache(&self, format: KvFormat, side: impl Fn(&CachedSequence) -> &[f32]) -> Vec<u32> {
        let (head_dim, n_kv_heads) = (self.target.head_dim as usize, self.n_kv_heads as usize);
        let head_len = head_dim / BLOCK_LEN * format.block_words();
        let mut cache = vec![POISON; self.n_cache_blocks as usize * 16 * n_kv_heads * head_len];
        for (sequence, cached) in self.sequences.iter().enumerate() {
            for (i, values) in side(cached).chunks_exact(head_dim).enumerate() {
                let (position, kv_head) = (i / n_kv_heads, i % n_kv_heads);
                let block = self.block_table[sequence * self.max_blocks as usize + position / 16] as usize;
                let place = (block * n_kv_heads + kv_head) * 16 + position % 16;
                let words = values.as_chunks().0.iter().flat_map(|block| kv_store(format, block));
                cache[place * head_len..][..head_len].copy_from_slice(&words.collect::<Vec<_>>());
            }
        }
        cache
    }
}
