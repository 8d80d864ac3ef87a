//! The splits of a head's keys, folded in ascending order and divided by their common sum.

use super::attention_split::Partial;
use super::exact_math::exact_reciprocal;

/// Attention of one query head from the partials of its splits; `[head_dim]`.
///
/// # Panics
/// If there are no partials: a row attends at least to itself.
pub fn attention_fold(partials: &[Partial]) -> Vec<f32> {
    let (first, rest) = partials.split_first().expect("a row attends at least to itself");
    let mut folded = first.clone();
    for partial in rest {
        folded.fold(partial);
    }
    let inverse_sum = exact_reciprocal(folded.sum);
    folded.values.iter().map(|value| value * inverse_sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::Order;
    use crate::numerics::Reduction;
    use crate::reference::attention_split::{KeysValues, attention_split, attention_truth, splits};
    use crate::reference::test_data::{Seeded, normalised_error};

    const HEAD_DIM: usize = 64;

    fn attend(q: &[f32], keys_values: &KeysValues<'_>, order: Order, n_rows: usize, n_keys: usize) -> Vec<f32> {
        let splits = splits(order, n_rows, n_keys, None).into_iter();
        attention_fold(
            &splits
                .map(|split| attention_split(q, keys_values, 1, split, Reduction::WorkgroupTree))
                .collect::<Vec<_>>(),
        )
    }

    /// Seeded queries, keys and values whose scores spread widely enough for the folds to matter.
    fn with_seeded(n_keys: usize, check: impl Fn(&[f32], &KeysValues<'_>)) {
        let mut seeded = Seeded::new(n_keys as u64);
        let q: Vec<f32> = seeded.normals(HEAD_DIM).iter().map(|v| 3.0 * v).collect();
        let (k, v) = (seeded.normals(n_keys * 2 * HEAD_DIM), seeded.normals(n_keys * 2 * HEAD_DIM));
        check(&q, &KeysValues { k: &k, v: &v, n_kv_heads: 2, head_dim: HEAD_DIM });
    }

    #[test]
    fn twin_is_close_to_the_truth() {
        for n_keys in [1, 2, 31, 63, 64, 65, 130, 513] {
            with_seeded(n_keys, |q, keys_values| {
                let truth = attention_truth(q, keys_values, 1, 0..n_keys);
                for order in [Order::ByShape, Order::Invariant] {
                    for n_rows in [1, 8] {
                        let error = normalised_error(&attend(q, keys_values, order, n_rows, n_keys), &truth);
                        assert!(error <= 1e-11, "{n_keys} keys {order:?}: {error:e}");
                    }
                }
            });
        }
    }

    #[test]
    fn invariant_order_ignores_the_rows_and_by_shape_does_not() {
        with_seeded(130, |q, keys_values| {
            let found = |order, n_rows| attend(q, keys_values, order, n_rows, 130);
            assert_eq!(found(Order::Invariant, 1), found(Order::Invariant, 60));
            assert_ne!(found(Order::ByShape, 1), found(Order::ByShape, 60));
            // With all keys in one split, its tiles are the absolute ones.
            assert_eq!(found(Order::ByShape, 60), found(Order::Invariant, 60));
        });
    }
}
