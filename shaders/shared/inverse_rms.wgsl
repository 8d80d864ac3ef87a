// The one number per row that RMSNorm needs, from the sums of squares that the writer of the residual stream left beside each block.
// Needs: bound, shape, norm_sum (norm_*.wgsl), exact_inverse_sqrt.
fn inverse_rms(row: u32, thread: u32) -> f32 {
    let sum_of_squares = norm_sum(row, bound(shape.n_blocks, row), thread);
    return exact_inverse_sqrt(sum_of_squares * shape.inverse_dim + shape.norm_eps);
}
