//! The normal distribution's tail.

/// The share of a standard normal distribution above `x`, to about 14 digits.
pub fn upper_tail(x: f64) -> f64 {
    if x < 0.0 {
        return 1.0 - upper_tail(-x);
    }
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x < 2.5 {
        // 0.5 + density * (x + x^3 / 3 + x^5 / (3 * 5) + ...) lies below x.
        let (mut term, mut sum, mut odd) = (x, x, 1.0);
        while sum + term != sum {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        return 0.5 - density * sum;
    }
    // density / (x + 1 / (x + 2 / (x + 3 / ...))), from far inside; the further out x, the sooner it settles.
    let fraction = (1..=120).rev().fold(x, |inner, n| x + f64::from(n) / inner);
    density / fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let cases = [
            (0.0, 0.5),
            (1.0, 0.158_655_253_931_457_05),
            (1.959_963_984_540_054, 0.025),
            (2.499, 0.006_227_215_551_988_517),
            (2.5, 0.006_209_665_325_776),
            (5.0, 2.866_515_718_791_939e-7),
            (10.0, 7.619_853_024_160_527e-24),
            (-1.0, 0.841_344_746_068_543),
        ];
        for (x, expected) in cases {
            let found = upper_tail(x);
            assert!((found / expected - 1.0).abs() < 1e-9, "{x}: {found}, not {expected}");
        }
    }
}
