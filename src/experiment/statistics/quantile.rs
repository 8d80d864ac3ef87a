//! Quantiles of measured values.

/// The value below which the share `q` of the values lies, straight lines between neighbours; none of no values.
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let place = q.clamp(0.0, 1.0) * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(below + (above - below) * place.fract())
}

/// The middle value.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let values = [9.0, 1.0, 4.0, 2.0];
        let found = [0.0, 0.5, 0.75, 1.0].map(|q| quantile(&values, q).expect("values"));
        assert_eq!(found, [1.0, 3.0, 5.25, 9.0]);
        assert_eq!((median(&[7.0]), median(&[])), (Some(7.0), None));
    }
}
