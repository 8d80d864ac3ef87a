// Writing a block of 32 activations as floats.
// Needs: GROUPS, LANES (lanes_*.wgsl), y_info, store_quad (write_f32.wgsl or write_f16.wgsl), BlockInfo.
fn store_block(row_block: u32, own: array<vec4<f32>, GROUPS>, sum_of_squares: f32, thread: u32, store: bool) {
    let lane = thread % LANES;
    if store {
        for (var g = 0u; g < GROUPS; g++) {
            store_quad(row_block * 8u + g * LANES + lane, own[g]);
        }
        if lane == 0u {
            y_info[row_block] = BlockInfo(vec2<f32>(0.0), sum_of_squares, 0.0);
        }
    }
}
