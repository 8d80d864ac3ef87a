// Writing a block of 32 activations as f32.
// Needs: GROUPS, LANES (lanes_*.wgsl), BlockInfo.
@group(0) @binding(6) var<storage, read_write> y: array<vec4<f32>>;        // [row, K / 4]
@group(0) @binding(7) var<storage, read_write> y_info: array<BlockInfo>;   // [row, K / 32]

fn store_block(row_block: u32, own: array<vec4<f32>, GROUPS>, sum_of_squares: f32, thread: u32, store: bool) {
    let lane = thread % LANES;
    if store {
        for (var g = 0u; g < GROUPS; g++) {
            y[row_block * 8u + g * LANES + lane] = own[g];
        }
        if lane == 0u {
            y_info[row_block] = BlockInfo(vec2<f32>(0.0), sum_of_squares, 0.0);
        }
    }
}
