//! The whole llama forward pass in f64: the truth that the twins and the shaders are measured against.
//!
//! Weights are the file's numbers as f32, every operation and every sum is f64, and nothing is done for speed but
//! running many rows at once. It reads like the paper; it knows nothing of formats, kernels or orders.

use std::sync::Mutex;

/// Sizes and constants of a llama.
#[derive(Clone, Debug, PartialEq)]
pub struct LlamaShape {
    /// Transformer blocks.
    pub n_blocks: usize,
    /// Query heads.
    pub n_heads: usize,
    /// Heads of keys and values; divides `n_heads`.
    pub n_kv_heads: usize,
    /// Numbers in a head.
    pub head_dim: usize,
    /// Numbers in the residual stream of one token.
    pub embedding_dim: usize,
    /// Numbers in the hidden layer of the feed-forward part.
    pub feed_forward_dim: usize,
    /// Tokens in the vocabulary.
    pub vocab_size: usize,
    /// Leading numbers of a head that are rotated, in neighbouring pairs.
    pub rope_dim: usize,
    /// Base of the rotary angles.
    pub rope_freq_base: f64,
    /// Positions are divided by it before they are turned into angles; 1 without scaling.
    pub rope_scale: f64,
    /// Added to the mean square before the root.
    pub norm_epsilon: f64,
}

/// A tensor that the forward pass needs is missing or has another number of elements.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tensor {name} must have {expected} numbers, but has {found:?}")]
pub struct TensorMismatch {
    /// The tensor, under its GGUF name.
    pub name: String,
    /// Numbers it must have.
    pub expected: usize,
    /// Numbers it has; `None` when it is missing.
    pub found: Option<usize>,
}

/// Weights of one transformer block, each matrix row after row.
struct BlockWeights {
    attn_norm: Vec<f32>,   // [embedding_dim]
    attn_q: Vec<f32>,      // [n_heads * head_dim, embedding_dim]
    attn_k: Vec<f32>,      // [n_kv_heads * head_dim, embedding_dim]
    attn_v: Vec<f32>,      // [n_kv_heads * head_dim, embedding_dim]
    attn_output: Vec<f32>, // [embedding_dim, n_heads * head_dim]
    ffn_norm: Vec<f32>,    // [embedding_dim]
    ffn_gate: Vec<f32>,    // [feed_forward_dim, embedding_dim]
    ffn_up: Vec<f32>,      // [feed_forward_dim, embedding_dim]
    ffn_down: Vec<f32>,    // [embedding_dim, feed_forward_dim]
}

/// Keys and values of one transformer block, a row a position.
#[derive(Default)]
struct BlockCache {
    keys: Vec<f64>,   // [n_positions, n_kv_heads * head_dim], rotated
    values: Vec<f64>, // [n_positions, n_kv_heads * head_dim]
}

/// A llama in f64 with the keys and values of one sequence.
pub struct LlamaF64 {
    shape: LlamaShape,
    token_embd: Vec<f32>, // [vocab_size, embedding_dim]
    blocks: Vec<BlockWeights>,
    output_norm: Vec<f32>,    // [embedding_dim]
    output: Option<Vec<f32>>, // [vocab_size, embedding_dim]; the token embedding when absent
    rope_freqs: Vec<f64>,     // [rope_dim / 2], radians per position
    cache: Vec<BlockCache>,
    n_positions: usize,
    n_threads: usize,
}

impl LlamaF64 {
    /// Takes each tensor by its GGUF name; `tensor` gives its numbers as f32, or `None` when there is no such tensor.
    ///
    /// # Errors
    /// [`TensorMismatch`] for the first tensor that is missing or of another size.
    pub fn from_tensors(
        shape: LlamaShape,
        n_threads: usize,
        mut tensor: impl FnMut(&str) -> Option<Vec<f32>>,
    ) -> Result<LlamaF64, TensorMismatch> {
        let optional = &mut |name: &str, expected: usize| match tensor(name) {
            Some(numbers) if numbers.len() != expected => {
                Err(TensorMismatch { name: name.to_owned(), expected, found: Some(numbers.len()) })
            }
            found => Ok(found),
        };
        let embedding_dim = shape.embedding_dim;
        let factors = optional("rope_freqs.weight", shape.rope_dim / 2)?;
        let output = optional("output.weight", shape.vocab_size * embedding_dim)?;

        let mut needed = |name: &str, expected: usize| {
            optional(name, expected)?.ok_or_else(|| TensorMismatch { name: name.to_owned(), expected, found: None })
        };
        let q_dim = shape.n_heads * shape.head_dim;
        let kv_dim = shape.n_kv_heads * shape.head_dim;
        let ffn_dim = shape.feed_forward_dim;
        let mut blocks = Vec::new();
        for block in 0..shape.n_blocks {
            let mut part = |name: &str, expected| needed(&format!("blk.{block}.{name}.weight"), expected);
            blocks.push(BlockWeights {
                attn_norm: part("attn_norm", embedding_dim)?,
                attn_q: part("attn_q", q_dim * embedding_dim)?,
                attn_k: part("attn_k", kv_dim * embedding_dim)?,
                attn_v: part("attn_v", kv_dim * embedding_dim)?,
                attn_output: part("attn_output", embedding_dim * q_dim)?,
                ffn_norm: part("ffn_norm", embedding_dim)?,
                ffn_gate: part("ffn_gate", ffn_dim * embedding_dim)?,
                ffn_up: part("ffn_up", ffn_dim * embedding_dim)?,
                ffn_down: part("ffn_down", embedding_dim * ffn_dim)?,
            });
        }
        let token_embd = needed("token_embd.weight", shape.vocab_size * embedding_dim)?;
        let output_norm = needed("output_norm.weight", embedding_dim)?;
        let rope_freqs = rope_freqs(&shape, factors.as_deref());
        let cache = blocks.iter().map(|_| BlockCache::default()).collect();
        Ok(LlamaF64 { shape, token_embd, blocks, output_norm, output, rope_freqs, cache, n_positions: 0, n_threads })
    }

    /// Positions whose keys and values are kept.
    pub fn n_positions(&self) -> usize {
        self.n_positions
    }

    /// Forgets the sequence.
    pub fn clear(&mut self) {
        self.cache.fill_with(BlockCache::default);
        self.n_positions = 0;
    }

    /// Appends `tokens` to the sequence; gives the normed residual stream, a row of `embedding_dim` a token.
    ///
    /// # Panics
    /// When a token is outside the vocabulary.
    pub fn forward(&mut self, tokens: &[u32]) -> Vec<f64> {
        let shape = self.shape.clone();
        let n_threads = self.n_threads;
        let start_pos = self.n_positions;
        let matmul = |weights: &[f32], input: &[f64]| matmul(weights, input, tokens.len(), n_threads);

        let mut residual: Vec<f64> = tokens.iter().flat_map(|&token| self.embedding_of(token)).collect();
        for (block, cache) in self.blocks.iter().zip(&mut self.cache) {
            let normed = rms_norm(&residual, &block.attn_norm, shape.norm_epsilon);
            let mut queries = matmul(&block.attn_q, &normed);
            let mut keys = matmul(&block.attn_k, &normed);
            let values = matmul(&block.attn_v, &normed);
            rope(&mut queries, shape.n_heads, shape.head_dim, start_pos, &self.rope_freqs);
            rope(&mut keys, shape.n_kv_heads, shape.head_dim, start_pos, &self.rope_freqs);
            cache.keys.extend_from_slice(&keys);
            cache.values.extend_from_slice(&values);
            let attended = attention(&queries, cache, &shape, start_pos, n_threads);
            add(&mut residual, &matmul(&block.attn_output, &attended));

            let normed = rms_norm(&residual, &block.ffn_norm, shape.norm_epsilon);
            let gate = matmul(&block.ffn_gate, &normed);
            let up = matmul(&block.ffn_up, &normed);
            add(&mut residual, &matmul(&block.ffn_down, &swiglu(&gate, &up)));
        }
        self.n_positions += tokens.len();
        rms_norm(&residual, &self.output_norm, shape.norm_epsilon)
    }

    /// Logits of some rows of [`LlamaF64::forward`]'s result: `vocab_size` a row.
    pub fn logits(&self, normed: &[f64]) -> Vec<f64> {
        let head = self.output.as_ref().unwrap_or(&self.token_embd);
        matmul(head, normed, normed.len() / self.shape.embedding_dim, self.n_threads)
    }

    fn embedding_of(&self, token: u32) -> impl Iterator<Item = f64> {
        let start = token as usize * self.shape.embedding_dim;
        self.token_embd[start..start + self.shape.embedding_dim].iter().map(|&number| f64::from(number))
    }
}

/// Radians per position of each pair: base^(-2 i / rope_dim), over the file's factors where it has them.
fn rope_freqs(shape: &LlamaShape, factors: Option<&[f32]>) -> Vec<f64> {
    (0..shape.rope_dim / 2)
        .map(|pair| {
            let exponent = -2.0 * pair as f64 / shape.rope_dim as f64;
            let factor = factors.map_or(1.0, |factors| f64::from(factors[pair]));
            shape.rope_freq_base.powf(exponent) / factor / shape.rope_scale
        })
        .collect()
}

/// Each row divided by its root mean square, times the weight.
fn rms_norm(input: &[f64], weight: &[f32], epsilon: f64) -> Vec<f64> {
    input
        .chunks_exact(weight.len())
        .flat_map(|row| {
            let mean_square = row.iter().map(|number| number * number).sum::<f64>() / row.len() as f64;
            let scale = 1.0 / (mean_square + epsilon).sqrt();
            row.iter().zip(weight).map(move |(number, &weight)| number * scale * f64::from(weight))
        })
        .collect()
}

/// Turns each pair (2 i, 2 i + 1) of each head by position times frequency i.
fn rope(rows: &mut [f64], n_heads: usize, head_dim: usize, start_pos: usize, freqs: &[f64]) {
    for (row_index, row) in rows.chunks_exact_mut(n_heads * head_dim).enumerate() {
        let position = (start_pos + row_index) as f64;
        for head in row.chunks_exact_mut(head_dim) {
            for (pair, freq) in head.chunks_exact_mut(2).zip(freqs) {
                let (sin, cos) = (position * freq).sin_cos();
                let (first, second) = (pair[0], pair[1]);
                pair[0] = first * cos - second * sin;
                pair[1] = first * sin + second * cos;
            }
        }
    }
}

/// softmax(q k / sqrt(head_dim)) v over all positions up to the row's own; query heads share key heads in groups.
fn attention(queries: &[f64], cache: &BlockCache, shape: &LlamaShape, start_pos: usize, n_threads: usize) -> Vec<f64> {
    let head_dim = shape.head_dim;
    let (q_dim, kv_dim) = (shape.n_heads * head_dim, shape.n_kv_heads * head_dim);
    let mut attended = vec![0.0; queries.len()]; // [n_tokens, n_heads * head_dim]
    for_each_row(&mut attended, q_dim, n_threads, |row, out| {
        let n_keys = start_pos + row + 1;
        for (head, out) in out.chunks_exact_mut(head_dim).enumerate() {
            let query = &queries[row * q_dim + head * head_dim..][..head_dim];
            let kv_head = head * shape.n_kv_heads / shape.n_heads * head_dim;
            let of_position = |rows: &'_ [f64], position: usize| position * kv_dim + kv_head..rows.len();
            let mut scores: Vec<f64> = (0..n_keys)
                .map(|position| {
                    let key = &cache.keys[of_position(&cache.keys, position)][..head_dim];
                    dot(query, key) / (head_dim as f64).sqrt()
                })
                .collect();
            softmax(&mut scores);
            for (position, weight) in scores.iter().enumerate() {
                let value = &cache.values[of_position(&cache.values, position)][..head_dim];
                for (out, value) in out.iter_mut().zip(value) {
                    *out += weight * value;
                }
            }
        }
    });
    attended
}

fn softmax(scores: &mut [f64]) {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|score| *score = (*score - largest).exp());
    let sum: f64 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
}

/// silu(gate) * up.
fn swiglu(gate: &[f64], up: &[f64]) -> Vec<f64> {
    gate.iter().zip(up).map(|(gate, up)| gate / (1.0 + (-gate).exp()) * up).collect()
}

fn add(residual: &mut [f64], addend: &[f64]) {
    residual.iter_mut().zip(addend).for_each(|(sum, addend)| *sum += addend);
}

/// Input rows times the transposed matrix: out[token][row] = weights[row] . input[token].
fn matmul(weights: &[f32], input: &[f64], n_tokens: usize, n_threads: usize) -> Vec<f64> {
    let row_len = input.len() / n_tokens.max(1);
    let n_rows = weights.len() / row_len.max(1);
    let mut transposed = vec![0.0; n_rows * n_tokens]; // [n_rows, n_tokens]
    for_each_row(&mut transposed, n_tokens, n_threads, |row, out| {
        let weights: Vec<f64> = weights[row * row_len..][..row_len].iter().map(|&weight| f64::from(weight)).collect();
        for (out, token) in out.iter_mut().zip(input.chunks_exact(row_len)) {
            *out = dot(&weights, token);
        }
    });
    let mut out = vec![0.0; n_tokens * n_rows];
    for (token, out) in out.chunks_exact_mut(n_rows.max(1)).enumerate() {
        for (row, out) in out.iter_mut().enumerate() {
            *out = transposed[row * n_tokens + token];
        }
    }
    out
}

/// Eight partial sums, so that the compiler may use wide registers.
fn dot(left: &[f64], right: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (left_lanes, left_rest) = left.as_chunks::<LANES>();
    let (right_lanes, right_rest) = right.as_chunks::<LANES>();
    for (left, right) in left_lanes.iter().zip(right_lanes) {
        for lane in 0..LANES {
            sums[lane] += left[lane] * right[lane];
        }
    }
    let rest: f64 = left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum();
    sums.iter().sum::<f64>() + rest
}

/// Calls `fill(index, row)` for every row of `out`, on several threads; each row is computed by one of them.
fn for_each_row(out: &mut [f64], row_len: usize, n_threads: usize, fill: impl Fn(usize, &mut [f64]) + Sync) {
    const ROWS_AT_ONCE: usize = 16;
    if n_threads <= 1 {
        out.chunks_exact_mut(row_len).enumerate().for_each(|(index, row)| fill(index, row));
        return;
    }
    let queue = Mutex::new(out.chunks_mut(ROWS_AT_ONCE * row_len).enumerate());
    std::thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().expect("no thread panics while it holds the lock").next();
                    let Some((group, rows)) = next else { return };
                    for (index, row) in rows.chunks_exact_mut(row_len).enumerate() {
                        fill(group * ROWS_AT_ONCE + index, row);
                    }
                }
            });
        }
    });
}
