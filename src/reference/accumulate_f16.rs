//! Adding in f16: a term is rounded to f16, added, and the sum is rounded to f16, at every level of a dot product.

use super::activations::ActivationBlock;
use super::block_product::{int8_minima, integer_dot};
use super::exact_math::round_f16;
use super::weights::{BLOCK_LEN, Block};

/// `total` and one more slice's, or shard's, sum.
pub(super) fn add_slices_f16(total: f32, sum: f32) -> f32 {
    round_f16(total + sum)
}

/// `sum` and one more term, in f16: the term and then the sum are rounded.
fn add_term_f16(sum: f32, term: f32) -> f32 {
    round_f16(sum + round_f16(term))
}

/// The dot product of two blocks in f16, as `quad_dot` adds it in f32: weights, activations, every product and every sum are rounded to nearest even.
fn quad_dot_f16(weights: &[f32; BLOCK_LEN], activations: &[f32; BLOCK_LEN]) -> f32 {
    let product = |i: usize| round_f16(round_f16(weights[i]) * round_f16(activations[i]));
    let [x, y, z, w]: [f32; 4] =
        std::array::from_fn(|i| (i + 4..BLOCK_LEN).step_by(4).fold(product(i), |sum, j| round_f16(sum + product(j))));
    round_f16(round_f16(x + y) + round_f16(z + w))
}

/// [`add_block`](super::block_product::add_block) in f16. Where weights or activations are floats, both are rounded to f16 first; the product of integers is exact.
pub(super) fn add_block_f16(sum: f32, weights: &Block, activations: ActivationBlock<'_>) -> f32 {
    match (weights, activations) {
        (Block::Quants { d, halves, quants, minima }, ActivationBlock::Int8 { quants: x, scale, scaled_sum }) => {
            let sum = add_term_f16(sum, (d * scale) * integer_dot(halves, quants, x));
            int8_minima(*minima, x, scale, scaled_sum).fold(sum, add_term_f16)
        }
        (Block::Floats(values), ActivationBlock::Int8 { quants: x, scale, .. }) => {
            add_term_f16(sum, scale * quad_dot_f16(values, &x.map(f32::from)))
        }
        (weights, ActivationBlock::Float(x)) => add_term_f16(sum, quad_dot_f16(&weights.values(), x)),
    }
}
