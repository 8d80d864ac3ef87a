// The one number per row that RMSNorm needs, from the sums of squares that the writer of the residual stream left beside each block.
// Order: blocks added one after another from zero.
// Needs: bound, shape, x_info, exact_inverse_sqrt.
fn inverse_rms(row: u32) -> f32 {
    var sum_of_squares = 0.0;
    let n_blocks = bound(shape.n_blocks, row);
    for (var b = 0u; b < n_blocks; b++) {
        sum_of_squares = sum_of_squares + x_info[row * n_blocks + b].sum_of_squares;
    }
    return exact_inverse_sqrt(sum_of_squares * shape.inverse_dim + shape.norm_eps);
}
