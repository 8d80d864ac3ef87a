//! The Wilson interval of a share: where the true rate lies, with 95 % confidence, when `k` of `n` trials said yes.

use super::Z_95 as Z;

/// Lower and upper end for `k` of `n`; none where `n` is 0 or `k` exceeds it.
pub fn wilson_95(k: usize, n: usize) -> Option<(f64, f64)> {
    if n == 0 || k > n {
        return None;
    }
    let (k, n) = (k as f64, n as f64);
    let share = k / n;
    let centre = share + Z * Z / (2.0 * n);
    let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    Some((((centre - spread) / scale).max(0.0), ((centre + spread) / scale).min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_intervals() {
        let cases = [
            (18, 40, 0.3071, 0.6017),
            (22, 40, 0.3983, 0.6929),
            // Of arXiv 2609.04748: no divergence of 800, by weight format of 80, its reset control of 40.
            (0, 800, 0.0, 0.0048),
            (29, 80, 0.2657, 0.4719),
            (49, 80, 0.5029, 0.7118),
            (60, 80, 0.6452, 0.8319),
            (62, 80, 0.6721, 0.8527),
            (40, 40, 0.9124, 1.0),
            (14, 40, 0.2213, 0.5049),
            (1, 80, 0.0022, 0.0675),
            (227, 500, 0.4109, 0.4978),
        ];
        for (k, n, lower, upper) in cases {
            let (found_lower, found_upper) = wilson_95(k, n).expect("a share");
            assert!((found_lower - lower).abs() < 5e-5, "{k} of {n}: {found_lower}");
            assert!((found_upper - upper).abs() < 5e-5, "{k} of {n}: {found_upper}");
        }
        assert_eq!((wilson_95(0, 0), wilson_95(3, 2)), (None, None));
    }

    #[test]
    fn mirrored_counts_have_mirrored_intervals() {
        for n in 1..30 {
            for k in 0..=n {
                let (lower, upper) = wilson_95(k, n).expect("a share");
                let (mirrored_lower, mirrored_upper) = wilson_95(n - k, n).expect("a share");
                assert!(
                    (lower - (1.0 - mirrored_upper)).abs() < 1e-12 && (upper - (1.0 - mirrored_lower)).abs() < 1e-12
                );
                let share = k as f64 / n as f64;
                assert!(lower <= share + 1e-12 && share <= upper + 1e-12, "{k} of {n}: {lower} to {upper}");
            }
        }
    }
}
