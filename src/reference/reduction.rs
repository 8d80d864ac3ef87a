//! Sums of a row's terms in the order of a [`Reduction`]: the block sums of a norm, the exponentials of a tile of keys.

use crate::numerics::Reduction;

/// Lanes of [`Reduction::WorkgroupTree`].
const LANES: usize = 8;

/// The sum of `terms`. No twin knows the order of a device's own subgroupAdd: it is added pairwise here, and equal bits are luck.
pub fn reduce(reduction: Reduction, terms: &[f32]) -> f32 {
    match reduction {
        Reduction::Sequential => terms.iter().fold(0.0, |sum, term| sum + term),
        Reduction::Pairwise | Reduction::Subgroup => pairwise(terms),
        Reduction::WorkgroupTree => {
            let mut s = [0.0_f32; LANES];
            for (i, term) in terms.iter().enumerate() {
                s[i % LANES] += term;
            }
            ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))
        }
    }
}

/// Neighbours first: the largest power of two of terms on the left, what is left over on the right.
fn pairwise(terms: &[f32]) -> f32 {
    match terms {
        [] => 0.0,
        [term] => *term,
        _ => {
            let (left, right) = terms.split_at(terms.len().div_ceil(2).next_power_of_two());
            pairwise(left) + pairwise(right)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::test_data::Seeded;

    #[test]
    fn orders_by_hand() {
        // 2^24 swallows a single 1 that is added to it, but not 2.
        let big = 16_777_216.0_f32;
        let sum = |reduction, terms: &[f32]| reduce(reduction, terms) - big;
        assert_eq!(sum(Reduction::Sequential, &[big, 1.0, 1.0, 1.0]), 0.0);
        assert_eq!(sum(Reduction::Pairwise, &[big, 1.0, 1.0, 1.0]), 2.0);
        assert_eq!(sum(Reduction::Pairwise, &[big, 0.0, 0.0, 0.0, 1.0, 1.0]), 2.0);
        let mut nine = [0.0; 9];
        (nine[0], nine[7], nine[8]) = (big, 1.0, 1.0);
        assert_eq!(sum(Reduction::WorkgroupTree, &nine), 0.0, "term 8 is added to lane 0, lane 7 after lane 6");
        (nine[6], nine[8]) = (1.0, 0.0);
        assert_eq!(sum(Reduction::WorkgroupTree, &nine), 2.0);
    }

    #[test]
    fn orders_differ_in_bits_and_agree_in_value() {
        let terms: Vec<f32> = Seeded::new(9).normals(50).iter().map(|v| v * v).collect();
        let truth: f64 = terms.iter().map(|v| f64::from(*v)).sum();
        let sums = [Reduction::Sequential, Reduction::Pairwise, Reduction::WorkgroupTree].map(|r| reduce(r, &terms));
        assert!(sums.iter().all(|sum| (f64::from(*sum) / truth - 1.0).abs() < 1e-6), "{sums:?}");
        assert!(sums[0] != sums[1] && sums[1] != sums[2], "{sums:?}");
    }
}
