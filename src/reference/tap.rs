//! What is told of a row without reading it back: a hash, and how far it is from another row. Twin of `tap` and of `kv_difference`.

use super::top_k::mix;
use crate::numerics::ulp::{Difference, ulp_distance};

/// 128 bits that depend on every bit and its place, and not on the order in which values are looked at.
pub fn hash(row: &[f32]) -> [u32; 4] {
    [0, 1, 2, 3].map(|lane| {
        let shares = (0_u32..).zip(row).map(|(i, value)| mix(value.to_bits(), i, lane));
        shares.fold(0, u32::wrapping_add)
    })
}

/// How far two rows of one length are apart.
pub fn difference(a: &[f32], b: &[f32]) -> Difference {
    assert_eq!(a.len(), b.len(), "rows of one tensor have one length");
    let mut difference = Difference::default();
    for (i, (a, b)) in (0_u32..).zip(a.iter().zip(b)) {
        if a.to_bits() == b.to_bits() {
            continue;
        }
        let magnitude = if a.is_finite() && b.is_finite() { (a - b).abs() } else { f32::INFINITY };
        difference.n_differing += 1;
        difference.first_index.get_or_insert(i);
        difference.largest_ulp = difference.largest_ulp.max(ulp_distance(*a, *b));
        difference.largest_absolute = difference.largest_absolute.max(magnitude);
    }
    difference
}

/// Sum of the squares of what `b` has more than `a`, and of `a`, value by value from the first.
pub fn squares(a: &[f32], b: &[f32]) -> [f32; 2] {
    assert_eq!(a.len(), b.len(), "rows of one tensor have one length");
    a.iter().zip(b).fold([0.0; 2], |[of_difference, of_first], (a, b)| {
        let apart = b - a;
        [of_difference + apart * apart, of_first + a * a]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::TieRule;
    use crate::reference::test_data::Seeded;
    use crate::reference::top_k::top_k;

    #[test]
    fn the_hash_is_that_of_logits() {
        let row = Seeded::new(3).normals(100);
        assert_eq!(hash(&row), top_k(&row, TieRule::LowestId).hash);
    }

    #[test]
    fn a_row_against_itself_and_against_others() {
        let a = [1.0, 0.0, -2.0, f32::NAN, 5.0];
        assert_eq!(difference(&a, &a), Difference::default());
        let b = [1.0, -0.0, -2.0_f32.next_up(), f32::NAN, 5.5];
        let expected = Difference { n_differing: 3, first_index: Some(1), largest_ulp: 1 << 20, largest_absolute: 0.5 };
        assert_eq!(difference(&a, &b), expected);
        let infinite = difference(&[f32::INFINITY], &[1.0]);
        assert_eq!((infinite.largest_absolute, infinite.n_differing), (f32::INFINITY, 1));
    }
}
