// The sum over a row's blocks that a norm needs, as eight lanes of a workgroup add them.
// Order: lane i adds blocks i, i + 8, … from zero; then ((s0+s1)+(s2+s3))+((s4+s5)+(s6+s7)).
// Needs: x_info.
fn norm_sum(row: u32, n_blocks: u32, thread: u32) -> f32 {
    var s = array<f32, 8>();
    for (var b = 0u; b < n_blocks; b++) {
        s[b % 8u] = s[b % 8u] + x_info[row * n_blocks + b].sum_of_squares;
    }
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}
