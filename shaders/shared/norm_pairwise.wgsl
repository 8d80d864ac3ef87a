// The sum over a row's blocks that a norm needs.
// Order: neighbouring blocks first, then neighbouring sums, and so on; what is left over joins from the right.
// Needs: x_info.
const NORM_LEVELS: u32 = 16u;

fn norm_sum(row: u32, n_blocks: u32, thread: u32) -> f32 {
    var sums = array<f32, NORM_LEVELS>();  // [level]: of 2^level blocks that wait for their neighbours
    for (var b = 0u; b < n_blocks; b++) {
        var sum = x_info[row * n_blocks + b].sum_of_squares;
        var level = 0u;
        for (; ((b >> level) & 1u) == 1u; level++) {
            sum = sums[level] + sum;
        }
        sums[level] = sum;
    }
    var total = 0.0;
    for (var level = 0u; level < NORM_LEVELS; level++) {
        if ((n_blocks >> level) & 1u) == 1u {
            total = sums[level] + total;
        }
    }
    return total;
}
