//! The operations of the forward pass in f64, as their papers write them.

use std::sync::Mutex;

use crate::architecture::{Activation, RopePairs};

/// Radians per position of each pair: base^(-2 i / rope_dim), over the file's factors where it has them.
pub(super) fn rope_freqs(base: f64, rope_dim: usize, scale: f64, factors: Option<&[f32]>) -> Vec<f64> {
    (0..rope_dim / 2)
        .map(|pair| {
            let exponent = -2.0 * pair as f64 / rope_dim as f64;
            let factor = factors.map_or(1.0, |factors| f64::from(factors[pair]));
            base.powf(exponent) / factor / scale
        })
        .collect()
}

/// Each row divided by its root mean square, times the weight.
pub(super) fn rms_norm(input: &[f64], weight: &[f32], epsilon: f64) -> Vec<f64> {
    input
        .chunks_exact(weight.len())
        .flat_map(|row| {
            let mean_square = row.iter().map(|number| number * number).sum::<f64>() / row.len() as f64;
            let scale = 1.0 / (mean_square + epsilon).sqrt();
            row.iter().zip(weight).map(move |(number, &weight)| number * scale * f64::from(weight))
        })
        .collect()
}

/// Turns pair i of each head by position times frequency i: the numbers (2 i, 2 i + 1), or (i, i + half of all that turn).
pub(super) fn rope(
    rows: &mut [f64],
    n_heads: usize,
    head_dim: usize,
    start_pos: usize,
    freqs: &[f64],
    pairs: RopePairs,
) {
    for (row_index, row) in rows.chunks_exact_mut(n_heads * head_dim).enumerate() {
        let position = (start_pos + row_index) as f64;
        for head in row.chunks_exact_mut(head_dim) {
            for (i, freq) in freqs.iter().enumerate() {
                let (one, other) = match pairs {
                    RopePairs::Neighbours => (2 * i, 2 * i + 1),
                    RopePairs::Halves => (i, i + freqs.len()),
                };
                let (sin, cos) = (position * freq).sin_cos();
                let (first, second) = (head[one], head[other]);
                head[one] = first * cos - second * sin;
                head[other] = first * sin + second * cos;
            }
        }
    }
}

/// How a layer attends.
pub(super) struct Attention {
    pub(super) n_heads: usize,
    pub(super) n_kv_heads: usize,
    pub(super) head_dim: usize,
    /// Keys that a row sees at most: its own and those right before.
    pub(super) window: Option<usize>,
}

/// softmax(q k / sqrt(head_dim)) v over the positions up to the row's own, or the last of those; query heads share key heads in groups.
pub(super) fn attention(
    queries: &[f64],
    keys: &[f64],
    values: &[f64],
    of: &Attention,
    start_pos: usize,
    n_threads: usize,
) -> Vec<f64> {
    let head_dim = of.head_dim;
    let (q_dim, kv_dim) = (of.n_heads * head_dim, of.n_kv_heads * head_dim);
    let mut attended = vec![0.0; queries.len()]; // [n_tokens, n_heads * head_dim]
    for_each_row(&mut attended, q_dim, n_threads, |row, out| {
        let n_keys = start_pos + row + 1;
        let first_key = of.window.map_or(0, |window| n_keys.saturating_sub(window));
        for (head, out) in out.chunks_exact_mut(head_dim).enumerate() {
            let query = &queries[row * q_dim + head * head_dim..][..head_dim];
            let kv_head = head * of.n_kv_heads / of.n_heads * head_dim;
            let mut scores: Vec<f64> = (first_key..n_keys)
                .map(|position| {
                    let key = &keys[position * kv_dim + kv_head..][..head_dim];
                    dot(query, key) / (head_dim as f64).sqrt()
                })
                .collect();
            softmax(&mut scores);
            for (position, weight) in (first_key..).zip(&scores) {
                let value = &values[position * kv_dim + kv_head..][..head_dim];
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

/// activation(gate) * up.
pub(super) fn gated(activation: Activation, gate: &[f64], up: &[f64]) -> Vec<f64> {
    let activate = |x: f64| match activation {
        Activation::Silu => x / (1.0 + (-x).exp()),
        Activation::GeluTanh => {
            0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh())
        }
    };
    gate.iter().zip(up).map(|(gate, up)| activate(*gate) * up).collect()
}

pub(super) fn add<T: Copy + Into<f64>>(sums: &mut [f64], addend: &[T]) {
    sums.iter_mut().zip(addend).for_each(|(sum, addend)| *sum += (*addend).into());
}

/// Input rows times the transposed matrix: out[token][row] = weights[row] . input[token].
pub(super) fn matmul(weights: &[f32], input: &[f64], n_tokens: usize, n_threads: usize) -> Vec<f64> {
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
