//! The norm between a layer's output, of attention or of the feed-forward, and the residual stream.

use super::residual::onto_stream;
use super::rms_norm::{Norm, NormInput, block_sum_of_squares, inverse_rms};
use crate::numerics::ActivationFormat;

/// Weights of the norm in front of the residual stream and of the one behind it; each `[embedding_dim]`.
#[derive(Clone, Copy, Debug)]
pub struct StreamNorms<'a> {
    /// In front.
    pub post: &'a [f32],
    /// Behind: that of the layer that comes next.
    pub next: &'a [f32],
}

/// x + norm(totals), weighed for the norm that comes next, in `format`.
///
/// `totals` and the residual stream so far, `x`, are `[row, embedding_dim]`.
pub fn post_norm(totals: &[f32], norm: Norm, norms: StreamNorms<'_>, x: &[f32], format: ActivationFormat) -> NormInput {
    let normed: Vec<f32> = totals
        .chunks_exact(norms.post.len())
        .flat_map(|row| {
            let sums: Vec<f32> = row.as_chunks().0.iter().map(block_sum_of_squares).collect();
            let factor = inverse_rms(&sums, norm);
            row.iter().zip(norms.post).map(move |(total, weight)| (total * factor) * weight)
        })
        .collect();
    onto_stream(format, x, &normed, norms.next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::Reduction;
    use crate::reference::rms_norm::rms_norm_truth;
    use crate::reference::test_data::{Seeded, normalised_error};

    #[test]
    fn twin_is_close_to_the_truth() {
        let mut seeded = Seeded::new(61);
        let (totals, x) = (seeded.normals(2 * 96), seeded.normals(2 * 96));
        let (post, next) = (seeded.normals(96), seeded.normals(96));
        let norm = Norm { epsilon: 1e-6, reduction: Reduction::Pairwise };
        let norms = StreamNorms { post: &post, next: &next };
        let found = post_norm(&totals, norm, norms, &x, ActivationFormat::F32);
        let normed = totals.chunks(96).flat_map(|row| rms_norm_truth(row, &post, 1e-6));
        let truth: Vec<f64> = normed.zip(&x).map(|(normed, x)| normed + f64::from(*x)).collect();
        let error = normalised_error(&found.x, &truth);
        assert!(error <= 1e-12, "{error:e}");
    }
}
