//! How much one share exceeds another, with Newcombe's interval (his method 10: the two Wilson intervals, put together).

use super::wilson_95;

/// `k_a / n_a - k_b / n_b` and the ends of its 95 % interval; none where a share is none.
pub fn newcombe_95(k_a: usize, n_a: usize, k_b: usize, n_b: usize) -> Option<(f64, f64, f64)> {
    let ((lower_a, upper_a), (lower_b, upper_b)) = (wilson_95(k_a, n_a)?, wilson_95(k_b, n_b)?);
    let (a, b) = (k_a as f64 / n_a as f64, k_b as f64 / n_b as f64);
    Some((a - b, a - b - (a - lower_a).hypot(upper_b - b), a - b + (upper_a - a).hypot(b - lower_b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_intervals() {
        // The first two are Newcombe's own (1998, table II: a and e), the third the paper's hidden cache, 37.5 points.
        let cases = [
            ((56, 70, 48, 80), (0.2, 0.0524, 0.3339)),
            ((9, 10, 3, 10), (0.6, 0.1705, 0.8090)),
            ((31, 80, 1, 80), (0.375, 0.2615, 0.4850)),
        ];
        for ((k_a, n_a, k_b, n_b), (difference, lower, upper)) in cases {
            let found = newcombe_95(k_a, n_a, k_b, n_b).expect("two shares");
            for (found, expected) in [(found.0, difference), (found.1, lower), (found.2, upper)] {
                assert!((found - expected).abs() < 5e-5, "{k_a}/{n_a} - {k_b}/{n_b}: {found}, not {expected}");
            }
            let (difference, lower, upper) = newcombe_95(k_b, n_b, k_a, n_a).expect("two shares");
            assert!((difference + found.0).abs() + (lower + found.2).abs() + (upper + found.1).abs() < 1e-12);
        }
        assert_eq!(newcombe_95(1, 2, 0, 0), None);
    }
}
