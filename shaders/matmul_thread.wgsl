// Matrix product, one thread walking all of K: a task (LANES threads) computes PANELS panels of 32 output rows for TOKENS activation rows.
// Order, per output: K in contiguous slices of `blocks_per_slice` blocks of 32; sequential inside a slice, slices folded left to right.
// One slice is the tiled kernel's plain sequential sum. The order depends on K and on the shape's slices alone: not on the number of
// rows, not on TOKENS, not on the grid. TOKENS = 1 is the vector kernel, more is the tiled kernel.
// Needs: step, bound, lanes, weights, read, and one epilogue with first_row, row_count and finish.
@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<uniform> shape: Shape;

@compute @workgroup_size(WG_SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) n_workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let lane = thread % LANES;
    let wanted = (workgroup.y * n_workgroups.x + workgroup.x) * TASKS + thread / LANES;
    let task = min(wanted, shape.n_tasks - 1u);
    let first_token = workgroup.z * TOKENS;
    let last_token = row_count() - 1u;
    let n_blocks = bound(shape.n_blocks, workgroup.z);
    let blocks_per_slice = bound(shape.blocks_per_slice, workgroup.z);
    var totals = array<array<vec4<f32>, OUT_QUADS>, TOKENS>();
    for (var o = 0u; o < OUT_QUADS; o++) {
        let panel_block = (task * PANELS + o / GROUPS) * n_blocks;
        let row = ((o % GROUPS) * LANES + lane) * 4u;
        var total = array<vec4<f32>, TOKENS>();
        for (var begin = 0u; begin < n_blocks; begin += blocks_per_slice) {
            var sum = array<vec4<f32>, TOKENS>();
            for (var b = begin; b < begin + blocks_per_slice; b++) {
                let w0 = load_weights(panel_block + b, row);
                let w1 = load_weights(panel_block + b, row + 1u);
                let w2 = load_weights(panel_block + b, row + 2u);
                let w3 = load_weights(panel_block + b, row + 3u);
                for (var t = 0u; t < TOKENS; t++) {
                    let token = first_row() + min(first_token + t, last_token);
                    let v = load_x(token * n_blocks + b, thread);
                    let s = sum[t];
                    sum[t] = vec4<f32>(add_block(s.x, w0, v), add_block(s.y, w1, v), add_block(s.z, w2, v), add_block(s.w, w3, v));
                }
            }
            for (var t = 0u; t < TOKENS; t++) {
                total[t] = total[t] + sum[t];
            }
        }
        for (var t = 0u; t < TOKENS; t++) {
            totals[t][o] = total[t];
        }
    }
    for (var t = 0u; t < TOKENS; t++) {
        if first_token + t <= last_token {
            finish(task, first_token + t, totals[t], thread, wanted == task);
        }
    }
}
