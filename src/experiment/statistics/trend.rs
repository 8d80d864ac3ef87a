//! Cochran-Armitage: does a share rise (or fall) along groups that have an order?

use crate::compare::normal_tail::upper_tail;

/// What the test found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Positive where the share rises; standard normal if there were no trend.
    pub z: f64,
    /// Two-sided.
    pub p: f64,
}

/// Tests `(k, n)` of each group for a trend, groups at equal distances; none where all or no trial said yes, or with one group.
pub fn cochran_armitage(groups: &[(usize, usize)]) -> Option<Trend> {
    let sum = |of: &dyn Fn(f64, f64, f64) -> f64| -> f64 {
        (0..).zip(groups).map(|(i, (k, n))| of(f64::from(i), *k as f64, *n as f64)).sum()
    };
    let n = sum(&|_, _, n| n);
    let share = sum(&|_, k, _| k) / n;
    let above = sum(&|place, k, n| place * (k - n * share));
    let places = sum(&|place, _, n| n * place * place) - sum(&|place, _, n| n * place).powi(2) / n;
    let variance = share * (1.0 - share) * places;
    if variance.is_nan() || variance <= 0.0 {
        return None;
    }
    let z = above / variance.sqrt();
    Some(Trend { z, p: 2.0 * upper_tail(z.abs()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_trend_and_none() {
        // Of arXiv 2609.04748: F16, Q8_0, Q4_K_M, Q3_K_M of 80 each.
        let trend = cochran_armitage(&[(29, 80), (49, 80), (60, 80), (62, 80)]).expect("a trend");
        assert!((trend.z - 5.68).abs() < 0.005 && 1e-8 < trend.p && trend.p < 2e-8, "{trend:?}");
        let falling = cochran_armitage(&[(62, 80), (60, 80), (49, 80), (29, 80)]).expect("a trend");
        assert!((falling.z + trend.z).abs() < 1e-12);
        let flat = cochran_armitage(&[(10, 40), (20, 80), (5, 20)]).expect("groups");
        assert!(flat.z.abs() < 1e-12 && (flat.p - 1.0).abs() < 1e-12, "{flat:?}");
        for nothing in [&[][..], &[(1, 2)], &[(0, 9), (0, 9)], &[(9, 9), (9, 9)], &[(0, 0), (0, 0)]] {
            assert_eq!(cochran_armitage(nothing), None, "{nothing:?}");
        }
    }
}
