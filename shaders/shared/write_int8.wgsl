// Writing a block of 32 activations as int8, with the scaled sum of its quants, which formats with a minimum need.
// Needs: GROUPS, LANES, block_sum (lanes_*.wgsl), quantise_int8, word_of_bytes, BlockInfo.
@group(0) @binding(6) var<storage, read_write> y: array<u32>;              // [row, K / 4]
@group(0) @binding(7) var<storage, read_write> y_info: array<BlockInfo>;   // [row, K / 32]

// Every lane of the task calls this with the quads it owns; `store` is false for a task that only keeps others company.
fn store_block(row_block: u32, own: array<vec4<f32>, GROUPS>, sum_of_squares: f32, thread: u32, store: bool) {
    let lane = thread % LANES;
    let block = quantise_int8(own, thread);
    var sums = array<f32, GROUPS>();
    for (var g = 0u; g < GROUPS; g++) {
        let q = block.quants[g];
        sums[g] = f32(q.x + q.y + q.z + q.w);
    }
    let sum = block_sum(sums, thread);
    if store {
        for (var g = 0u; g < GROUPS; g++) {
            y[row_block * 8u + g * LANES + lane] = word_of_bytes(block.quants[g]);
        }
        if lane == 0u {
            y_info[row_block] = BlockInfo(vec2<f32>(block.scale, block.scale * sum), sum_of_squares, 0.0);
        }
    }
}
