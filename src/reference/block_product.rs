//! The product of 32 weights and 32 activations, and how it comes onto a sum in f32.

use super::activations::ActivationBlock;
use super::weights::{BLOCK_LEN, Block, Minima};

/// Adds the four components of a running sum in pairs.
pub fn sum_quad(v: [f32; 4]) -> f32 {
    (v[0] + v[1]) + (v[2] + v[3])
}

/// Four running sums over the eight groups of four products, each from zero on in ascending order, then added in pairs.
fn quad_dot(weights: &[f32; BLOCK_LEN], activations: &[f32; BLOCK_LEN]) -> f32 {
    let [mut a, mut b, mut c, mut d] = [0.0_f32; 4];
    for i in (0..BLOCK_LEN).step_by(4) {
        a += weights[i] * activations[i];
        b += weights[i + 1] * activations[i + 1];
        c += weights[i + 2] * activations[i + 2];
        d += weights[i + 3] * activations[i + 3];
    }
    sum_quad([a, b, c, d])
}

/// The activations alone, in the same order.
fn quad_sum(activations: &[f32]) -> f32 {
    let [mut a, mut b, mut c, mut d] = [0.0_f32; 4];
    for quad in activations.chunks_exact(4) {
        a += quad[0];
        b += quad[1];
        c += quad[2];
        d += quad[3];
    }
    sum_quad([a, b, c, d])
}

/// Quants times the scales of their halves, as f32.
fn scaled_quants(halves: &[i8; 2], quants: &[i8; BLOCK_LEN]) -> [f32; BLOCK_LEN] {
    std::array::from_fn(|i| f32::from(halves[i / 16]) * f32::from(quants[i]))
}

/// The product of those and int8 activations.
pub(super) fn integer_dot(halves: &[i8; 2], quants: &[i8; BLOCK_LEN], activations: &[i8; BLOCK_LEN]) -> f32 {
    let half = |half: usize| -> i32 {
        let pairs = quants[16 * half..][..16].iter().zip(&activations[16 * half..]);
        pairs.map(|(w, x)| i32::from(*w) * i32::from(*x)).sum()
    };
    (i32::from(halves[0]) * half(0) + i32::from(halves[1]) * half(1)) as f32
}

/// `sum` and the product of 32 weights and 32 activations. Where that product has several terms, they are added to the sum one after the
/// other: `(a * b + c * d) + sum` is an expression that Mesa's shader compiler regroups.
pub fn add_block(sum: f32, weights: &Block, activations: ActivationBlock<'_>) -> f32 {
    match (weights, activations) {
        (Block::Quants { d, halves, quants, minima }, ActivationBlock::Float(x)) => {
            let sum = sum + d * quad_dot(&scaled_quants(halves, quants), x);
            match minima {
                Minima::None => sum,
                Minima::Block(m) => sum + m * quad_sum(x),
                Minima::Halves([m, n]) => (sum + m * quad_sum(&x[..16])) + n * quad_sum(&x[16..]),
            }
        }
        (Block::Quants { d, halves, quants, minima }, ActivationBlock::Int8 { quants: x, scale, scaled_sum }) => {
            let sum = sum + (d * scale) * integer_dot(halves, quants, x);
            int8_minima(*minima, x, scale, scaled_sum).fold(sum, |sum, term| sum + term)
        }
        (Block::Floats(values), ActivationBlock::Float(x)) => sum + quad_dot(values, x),
        (Block::Floats(values), ActivationBlock::Int8 { quants: x, scale, .. }) => {
            sum + scale * quad_dot(values, &x.map(f32::from))
        }
    }
}

/// Minima times int8 activations: no term, one, or one for each half.
pub(super) fn int8_minima(
    minima: Minima,
    x: &[i8; BLOCK_LEN],
    scale: f32,
    scaled_sum: f32,
) -> impl Iterator<Item = f32> {
    let half = |half: usize| scale * x[16 * half..][..16].iter().map(|q| i32::from(*q)).sum::<i32>() as f32;
    let terms = match minima {
        Minima::None => [None, None],
        Minima::Block(m) => [Some(m * scaled_sum), None],
        Minima::Halves([m, n]) => [Some(m * half(0)), Some(n * half(1))],
    };
    terms.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::accumulate_f16::add_block_f16;

    fn quants(minima: Minima) -> Block {
        let mut quants = [0; BLOCK_LEN];
        (quants[0], quants[31]) = (3, 5);
        Block::Quants { d: 0.5, halves: [1, 1], quants, minima }
    }

    #[test]
    fn a_block_by_hand() {
        let mut x = [0.0; 32];
        (x[0], x[31]) = (2.0, 1.0);
        let mut values = [0.0; 32];
        (values[0], values[31]) = (3.0, 5.0);
        let int8 = ActivationBlock::Int8 { quants: &x.map(|v| v as i8), scale: 0.25, scaled_sum: 0.75 };
        for (weights, float, integer) in [
            (quants(Minima::None), 5.5, 0.125 * 11.0),
            (quants(Minima::Block(-1.0)), 5.5 - 3.0, 0.125 * 11.0 - 0.75),
            (quants(Minima::Halves([-1.0, -8.0])), 5.5 - 2.0 - 8.0, 0.125 * 11.0 - 0.5 - 2.0),
            (Block::Floats(values), 11.0, 0.25 * 11.0),
        ] {
            assert_eq!(add_block(0.0, &weights, ActivationBlock::Float(&x)), float, "{weights:?}");
            assert_eq!(add_block(0.0, &weights, int8), integer, "{weights:?}");
            assert_eq!(add_block_f16(0.0, &weights, ActivationBlock::Float(&x)), float, "{weights:?}");
            assert_eq!(add_block_f16(0.0, &weights, int8), integer, "{weights:?}");
        }
    }

    #[test]
    fn components_meet_in_pairs() {
        assert_eq!(sum_quad([16_777_216.0, 1.0, 1.0, 0.0]), 16_777_216.0);
        assert_eq!(sum_quad([16_777_216.0, 0.0, 1.0, 1.0]), 16_777_218.0);
    }

    #[test]
    fn the_largest_integers_add_up_exactly() {
        let weights = Block::Quants { d: 1.0, halves: [-128; 2], quants: [32; BLOCK_LEN], minima: Minima::None };
        let x = ActivationBlock::Int8 { quants: &[127; BLOCK_LEN], scale: 1.0, scaled_sum: 0.0 };
        assert_eq!(f64::from(add_block(0.0, &weights, x)), -4096.0 * 127.0 * 32.0);
    }
}
