// The sum over a row's blocks that a norm needs.
// Order: blocks added one after another from zero.
// Needs: x_info.
fn norm_sum(row: u32, n_blocks: u32, thread: u32) -> f32 {
    var sum = 0.0;
    for (var b = 0u; b < n_blocks; b++) {
        sum = sum + x_info[row * n_blocks + b].sum_of_squares;
    }
    return sum;
}
