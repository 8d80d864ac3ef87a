// The sum over a row's blocks that a norm needs, by the device's own sum over a subgroup. All threads of a subgroup ask for one row.
// Order: lane i of a subgroup of n adds blocks i, i + n, … from zero; subgroupAdd adds the lanes in an order of its own.
// Needs: x_info, WG_SIZE, SUBGROUP_SIZE.
fn norm_sum(row: u32, n_blocks: u32, thread: u32) -> f32 {
    let n_lanes = min(SUBGROUP_SIZE, WG_SIZE);
    var sum = 0.0;
    for (var b = thread % n_lanes; b < n_blocks; b += n_lanes) {
        sum = sum + x_info[row * n_blocks + b].sum_of_squares;
    }
    return subgroupAdd(sum);
}
