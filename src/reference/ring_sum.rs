//! The shards' parts of a matmul added up as a ring of devices does it, then onto the residual stream: attn_output and ffn_down.
//!
//! A ring of N devices cuts every output row into N chunks. The sum of chunk c sets out from device c + 1, each device on the way adds its
//! own part, and device c adds the last. So chunks of one row are added in different orders, each of them fixed.

use super::accumulate_f16::add_slices_f16;
use super::residual::onto_stream;
use super::rms_norm::NormInput;
use crate::numerics::{Accumulation, ActivationFormat};

/// x + the sum of `partials`, weighed by `norm_weight`, the weight of the norm that comes next, in `format`.
///
/// `partials` holds for every shard `[row, embedding_dim]`; `x` is the residual stream so far, `[row, embedding_dim]`.
pub fn ring_sum(
    partials: &[Vec<f32>],
    accumulation: Accumulation,
    format: ActivationFormat,
    x: &[f32],
    norm_weight: &[f32],
) -> NormInput {
    onto_stream(format, x, &ring_total(partials, accumulation, norm_weight.len()), norm_weight)
}

/// The sum of `partials` alone, whose rows are of `row_len` values; `[row, embedding_dim]`.
pub fn ring_total(partials: &[Vec<f32>], accumulation: Accumulation, row_len: usize) -> Vec<f32> {
    let n_shards = partials.len();
    (0..partials[0].len())
        .map(|i| {
            let chunk = i % row_len * n_shards / row_len;
            let mut round = (1..=n_shards).map(|step| partials[(chunk + step) % n_shards][i]);
            let first = round.next().expect("there are shards");
            round.fold(first, |total, part| match accumulation {
                Accumulation::F32 => total + part,
                Accumulation::F16 => add_slices_f16(total, part),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const F32: ActivationFormat = ActivationFormat::F32;

    #[test]
    fn each_chunk_is_added_from_the_shard_behind_its_own_on() {
        // 1 + 1 + 2^24 keeps the ones, 2^24 + 1 + 1 loses them, and 1 + 2^24 + 1 too.
        let large = 16_777_216.0;
        let partials: Vec<Vec<f32>> = [large, 1.0, 1.0, 0.0].map(|part| vec![part; 32]).into();
        let sums = ring_sum(&partials, Accumulation::F32, F32, &[0.0; 32], &[1.0; 32]);
        // Chunk 0: 1, 1, 0, large. Chunk 1: 1, 0, large, 1. Chunk 2: 0, large, 1, 1. Chunk 3: large, 1, 1, 0.
        let expected = [large + 2.0, large, large, large];
        for (chunk, expected) in expected.into_iter().enumerate() {
            assert_eq!(sums.x[chunk * 8..][..8], [expected; 8], "chunk {chunk}");
        }
    }

    #[test]
    fn one_shard_is_a_product_that_is_not_split() {
        let part = vec![0.1_f32; 64];
        let sums = ring_sum(std::slice::from_ref(&part), Accumulation::F16, F32, &[1.0; 64], &[2.0; 64]);
        assert_eq!(sums.x, vec![1.1_f32; 64]);
    }

    #[test]
    fn sums_in_f16_are_rounded_on_the_way() {
        // 2048 + 1 + 1 in f16: each one is lost; 1 + 1 + 2048 keeps both.
        let partials: Vec<Vec<f32>> = [1.0, 1.0, 2048.0, 0.0].map(|part| vec![part; 32]).into();
        let sums = ring_sum(&partials, Accumulation::F16, F32, &[0.0; 32], &[1.0; 32]);
        assert_eq!([0, 8, 16, 24].map(|i| sums.x[i]), [2048.0, 2048.0, 2050.0, 2050.0]);
    }
}
