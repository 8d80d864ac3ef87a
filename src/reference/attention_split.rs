//! Attention of one query head over a stretch of keys, in tiles of 64 folded one after another.
//!
//! Each tile is taken relative to its own largest score; tiles, and later the stretches, meet in [`Partial::fold`], whose
//! order is ascending. Which stretches the keys of a row are cut into is the only choice ([`splits`]).

use std::ops::Range;

use super::block_product::sum_quad;
use super::exact_math::exact_exp;
use super::matmul::MAX_VECTOR_ROWS;
use super::reduction::reduce;
use crate::numerics::{Order, Reduction};

/// Keys per tile; in the invariant order tile t holds the positions 64t to 64t + 63.
pub const TILE_LEN: usize = 64;

/// Most splits of the by-shape order.
const MAX_SPLITS: usize = 8;
/// The by-shape order starts a new split per this many keys.
const KEYS_PER_SPLIT: usize = 32;

/// The splits of the keys that a row of `n_keys` keys sees, which are the last `window`, in a step of `n_rows` rows, ascending.
///
/// Invariant: one split per tile of 64 keys at absolute positions, of the first tile only the keys that the row sees. By shape, up to four
/// rows have up to 8 equal splits, more the more keys there are; above, there is one split. The forced orders are those two for any number
/// of rows.
pub fn splits(order: Order, n_rows: usize, n_keys: usize, window: Option<usize>) -> Vec<Range<usize>> {
    let n_seen = window.map_or(n_keys, |window| n_keys.min(window));
    let first_key = n_keys - n_seen;
    let split_len = match order {
        Order::Invariant => TILE_LEN,
        Order::Tiled => n_seen,
        Order::ByShape if n_rows > MAX_VECTOR_ROWS => n_seen,
        Order::ByShape | Order::Vector => n_seen.div_ceil(n_seen.div_ceil(KEYS_PER_SPLIT).min(MAX_SPLITS)),
    };
    let first_split = if order == Order::Invariant { first_key / TILE_LEN * TILE_LEN } else { first_key };
    let splits = (first_split..n_keys).step_by(split_len);
    splits.map(|begin| begin.max(first_key)..(begin + split_len).min(n_keys)).collect()
}

/// Keys and values of one sequence in one layer, as the cache returns them.
#[derive(Clone, Copy, Debug)]
pub struct KeysValues<'a> {
    /// Keys; `[position, n_kv_heads * head_dim]`.
    pub k: &'a [f32],
    /// Values; `[position, n_kv_heads * head_dim]`.
    pub v: &'a [f32],
    /// Heads that share a position's row.
    pub n_kv_heads: usize,
    /// Values of one head, a multiple of 4.
    pub head_dim: usize,
}

impl<'a> KeysValues<'a> {
    fn key(&self, position: usize, kv_head: usize) -> &'a [f32] {
        &self.k[(position * self.n_kv_heads + kv_head) * self.head_dim..][..self.head_dim]
    }

    fn value(&self, position: usize, kv_head: usize) -> &'a [f32] {
        &self.v[(position * self.n_kv_heads + kv_head) * self.head_dim..][..self.head_dim]
    }
}

/// Attention over some of the keys: the softmax's parts, relative to the largest score among them.
#[derive(Clone, Debug, PartialEq)]
pub struct Partial {
    /// Largest score (m).
    pub max: f32,
    /// Sum of the exponentials (l).
    pub sum: f32,
    /// Values weighed by their exponentials (o); `[head_dim]`.
    pub values: Vec<f32>,
}

impl Partial {
    /// Takes in the keys of `next`, which come after those of `self`.
    pub fn fold(&mut self, next: &Partial) {
        let max = self.max.max(next.max);
        let a = exact_exp(self.max - max);
        let b = exact_exp(next.max - max);
        self.max = max;
        self.sum = self.sum * a + next.sum * b;
        for (value, next) in self.values.iter_mut().zip(&next.values) {
            *value = *value * a + next * b;
        }
    }
}

/// Factor of the scores: 1 / sqrt(head_dim), both operations in f32 on the CPU.
pub fn score_scale(head_dim: usize) -> f32 {
    1.0 / (head_dim as f32).sqrt()
}

/// Attention of one query head over the keys of `split`, tile after tile from its first key on.
///
/// # Panics
/// If the split is empty.
pub fn attention_split(
    q: &[f32],
    keys_values: &KeysValues<'_>,
    kv_head: usize,
    split: Range<usize>,
    softmax: Reduction,
) -> Partial {
    let end = split.end;
    let mut tiles = split
        .step_by(TILE_LEN)
        .map(|begin| attend_tile(q, keys_values, kv_head, begin..(begin + TILE_LEN).min(end), softmax));
    let mut partial = tiles.next().expect("a split has at least one key");
    for tile in tiles {
        partial.fold(&tile);
    }
    partial
}

fn attend_tile(
    q: &[f32],
    keys_values: &KeysValues<'_>,
    kv_head: usize,
    tile: Range<usize>,
    softmax: Reduction,
) -> Partial {
    let scale = score_scale(keys_values.head_dim);
    let scores: Vec<f32> = tile.clone().map(|key| quad_dot(q, keys_values.key(key, kv_head)) * scale).collect();
    let max = scores.iter().copied().fold(scores[0], f32::max);
    let mut p: Vec<f32> = scores.iter().map(|score| exact_exp(score - max)).collect();
    // A key that overflowed in the cache must not pass for one of small weight.
    if let Some(worst) = scores.iter().find(|score| !score.is_finite()) {
        p[0] = worst.abs();
    }
    let mut values = vec![0.0_f32; keys_values.head_dim];
    for (key, p) in tile.zip(&p) {
        for (sum, value) in values.iter_mut().zip(keys_values.value(key, kv_head)) {
            *sum += p * value;
        }
    }
    Partial { max, sum: reduce(softmax, &p), values }
}

/// Products of two heads: four running sums over the groups of four in ascending order from zero, then added in pairs.
fn quad_dot(q: &[f32], k: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 4];
    for (q, k) in q.as_chunks::<4>().0.iter().zip(k.as_chunks::<4>().0) {
        for (sum, (q, k)) in sums.iter_mut().zip(q.iter().zip(k)) {
            *sum += q * k;
        }
    }
    sum_quad(sums)
}

/// Attention of one query head over some keys in f64; `[head_dim]`.
pub fn attention_truth(q: &[f32], keys_values: &KeysValues<'_>, kv_head: usize, keys: Range<usize>) -> Vec<f64> {
    let dot = |k: &[f32]| -> f64 { q.iter().zip(k).map(|(q, k)| f64::from(*q) * f64::from(*k)).sum() };
    let scale = 1.0 / (keys_values.head_dim as f64).sqrt();
    let scores: Vec<f64> = keys.clone().map(|key| dot(keys_values.key(key, kv_head)) * scale).collect();
    let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let p: Vec<f64> = scores.iter().map(|score| (score - max).exp()).collect();
    let sum: f64 = p.iter().sum();
    let value = |key: usize, d: usize| f64::from(keys_values.value(key, kv_head)[d]);
    (0..keys_values.head_dim)
        .map(|d| keys.clone().zip(&p).map(|(key, p)| p * value(key, d)).sum::<f64>() / sum)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_by_hand() {
        let ends = |order, n_rows, n_keys| -> Vec<(usize, usize)> {
            splits(order, n_rows, n_keys, None).into_iter().map(|split| (split.start, split.end)).collect()
        };
        assert_eq!(ends(Order::ByShape, 1, 1), [(0, 1)]);
        assert_eq!(ends(Order::ByShape, 1, 32), [(0, 32)]);
        assert_eq!(ends(Order::ByShape, 4, 33), [(0, 17), (17, 33)]);
        assert_eq!(ends(Order::ByShape, 1, 257).len(), 8);
        assert_eq!(ends(Order::ByShape, 1, 257)[7], (231, 257));
        assert_eq!(ends(Order::ByShape, 5, 257), [(0, 257)]);
        assert_eq!(ends(Order::Invariant, 1, 130), [(0, 64), (64, 128), (128, 130)]);
        assert_eq!(ends(Order::Invariant, 60, 64), [(0, 64)]);
    }

    #[test]
    fn splits_cover_every_key_once() {
        for order in [Order::ByShape, Order::Invariant] {
            for n_rows in [1, 4, 5] {
                for (n_keys, window) in (1..600).flat_map(|n| [None, Some(100), Some(1)].map(|window| (n, window))) {
                    let splits = splits(order, n_rows, n_keys, window);
                    let n_seen = n_keys.min(window.unwrap_or(n_keys));
                    assert!(splits.iter().all(|split| !split.is_empty()));
                    assert!(splits.windows(2).all(|pair| pair[0].end == pair[1].start));
                    assert_eq!((splits[0].start, splits[splits.len() - 1].end), (n_keys - n_seen, n_keys));
                    assert!(order == Order::Invariant || splits.len() <= n_seen.div_ceil(32).min(8));
                    let inner_ends = splits.iter().rev().skip(1).map(|split| split.end);
                    assert!(order != Order::Invariant || inner_ends.into_iter().all(|end| end % TILE_LEN == 0));
                }
            }
        }
    }

    #[test]
    fn two_keys_by_hand() {
        // Scores 0 and ln 2 after the scale of 1/2: weights 1 and 2 before the division.
        let ln_2 = std::f32::consts::LN_2;
        let k = [0.0, 0.0, 0.0, 0.0, 2.0 * ln_2, 0.0, 0.0, 0.0];
        let v = [3.0, 0.0, 0.0, 0.0, 0.0, 6.0, 0.0, 0.0];
        let keys_values = KeysValues { k: &k, v: &v, n_kv_heads: 1, head_dim: 4 };
        let partial = attention_split(&[1.0, 0.0, 0.0, 0.0], &keys_values, 0, 0..2, Reduction::WorkgroupTree);
        assert_eq!(partial.max, ln_2);
        assert_eq!(partial.sum, 1.5);
        assert_eq!(partial.values, [1.5, 6.0, 0.0, 0.0]);
    }

    #[test]
    fn a_key_that_overflowed_leaves_no_finite_sum() {
        for bad in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            let k = [0.0, 0.0, 0.0, 0.0, bad, 0.0, 0.0, 0.0];
            let keys_values = KeysValues { k: &k, v: &[1.0; 8], n_kv_heads: 1, head_dim: 4 };
            assert!(
                !attention_split(&[1.0, 0.0, 0.0, 0.0], &keys_values, 0, 0..2, Reduction::WorkgroupTree)
                    .sum
                    .is_finite()
            );
        }
    }

    #[test]
    fn a_fold_keeps_the_larger_maximum() {
        let small = Partial { max: 0.0, sum: 2.0, values: vec![4.0] };
        let large = Partial { max: 100.0, sum: 1.0, values: vec![8.0] };
        for (first, second) in [(&small, &large), (&large, &small)] {
            let mut folded = first.clone();
            folded.fold(second);
            assert_eq!(folded, large, "e^-100 is far below the last bit");
        }
    }
}
