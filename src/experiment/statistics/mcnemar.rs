//! Exact McNemar: do paired yes-or-no answers lean one way?

/// Two-sided p that `only_a` pairs said yes under A alone and `only_b` under B alone, if either were as likely as the other.
pub fn mcnemar_exact(only_a: usize, only_b: usize) -> f64 {
    let n = only_a + only_b;
    // Logarithms: a half to the power of n is no f64 for large n.
    let mut ln_term = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = 0.0;
    for k in 0..=only_a.min(only_b) {
        tail += ln_term.exp();
        ln_term += ((n - k) as f64 / (k + 1) as f64).ln();
    }
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // Of arXiv 2609.04748: 13 items right only warm, 7 only cold.
        assert!((mcnemar_exact(13, 7) - 0.2632).abs() < 5e-5, "{}", mcnemar_exact(13, 7));
        assert_eq!(mcnemar_exact(7, 13), mcnemar_exact(13, 7));
        assert_eq!((mcnemar_exact(0, 0), mcnemar_exact(4, 4)), (1.0, 1.0));
        assert!((mcnemar_exact(0, 5) - 2.0 / 32.0).abs() < 1e-15);
        assert!(mcnemar_exact(900, 1100) < 1e-4 && mcnemar_exact(990, 1010) > 0.5);
    }
}
