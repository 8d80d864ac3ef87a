// Writing a block of 32 activations as int8: scale = amax / 127, quants rounded to nearest, ties to even.
// Needs: block_max, block_sum (lanes_*.wgsl), exact_reciprocal, BlockInfo.
@group(0) @binding(6) var<storage, read_write> y: array<u32>;              // [row, K / 4]
@group(0) @binding(7) var<storage, read_write> y_info: array<BlockInfo>;   // [row, K / 32]

const ONE_127TH: f32 = 0.007874015748;  // bits 0x3C010204
const SMALLEST_AMAX: f32 = 1e-30;

// Every lane of the task calls this with the quads it owns; `store` is false for a task that only keeps others company.
fn store_block(row_block: u32, own: array<vec4<f32>, GROUPS>, sum_of_squares: f32, thread: u32, store: bool) {
    let lane = thread % LANES;
    var largest = array<f32, GROUPS>();
    for (var g = 0u; g < GROUPS; g++) {
        let a = abs(own[g]);
        largest[g] = max(max(a.x, a.y), max(a.z, a.w));
    }
    let amax = block_max(largest, thread);
    var scale = 0.0;
    var inverse = 0.0;
    if amax >= SMALLEST_AMAX {
        scale = amax * ONE_127TH;
        inverse = exact_reciprocal(scale);
    }
    var words = array<u32, GROUPS>();
    var sums = array<f32, GROUPS>();
    for (var g = 0u; g < GROUPS; g++) {
        let q = vec4<i32>(clamp(round(own[g] * inverse), vec4<f32>(-127.0), vec4<f32>(127.0)));
        sums[g] = f32(q.x + q.y + q.z + q.w);
        let b = vec4<u32>(q) & vec4<u32>(255u);
        words[g] = b.x | (b.y << 8u) | (b.z << 16u) | (b.w << 24u);
    }
    let sum = block_sum(sums, thread);
    if store {
        for (var g = 0u; g < GROUPS; g++) {
            y[row_block * 8u + g * LANES + lane] = words[g];
        }
        if lane == 0u {
            y_info[row_block] = BlockInfo(vec2<f32>(scale, scale * sum), sum_of_squares, 0.0);
        }
    }
}
