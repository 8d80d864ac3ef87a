// Matrix product for few rows, one thread walking all of K: a task (LANES threads) computes PANELS panels of 32 output rows for one
// activation row.
// Order, per output: K, or the shard of it that the shape names, in contiguous slices of `blocks_per_slice` blocks of 32; sequential inside
// a slice, slices folded left to right. The order depends on the shape's blocks and slices alone: not on the number of rows or the grid.
// Needs: step, shape, bound, lanes, add_slices, weights, four_rows, read, and one epilogue with first_row, row_count and finish.
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
    let token = workgroup.z;
    let n_blocks = shape.n_blocks;
    let end_block = bound(shape.end_block, workgroup.z);
    let blocks_per_slice = bound(shape.blocks_per_slice, workgroup.z);
    let x_row = (first_row() + token) * n_blocks;
    var totals = array<vec4<f32>, OUT_QUADS>();
    for (var o = 0u; o < OUT_QUADS; o++) {
        let panel_block = (task * PANELS + o / GROUPS) * n_blocks;
        let row = ((o % GROUPS) * LANES + lane) * 4u;
        var total = vec4<f32>(0.0);
        var sum = vec4<f32>(0.0);
        var left = blocks_per_slice;
        for (var b = shape.first_block; b < end_block; b++) {
            sum = add_four(sum, four_rows(panel_block + b, row), load_x(x_row + b, thread));
            left = left - 1u;
            if left == 0u {
                left = blocks_per_slice;
                total = add_slices(total, sum);
                sum = vec4<f32>(0.0);
            }
        }
        totals[o] = total;
    }
    finish(task, token, totals, thread, wanted == task);
}
