// Matrix product for many rows: a task (LANES threads) computes PANELS panels of 32 output rows for four activation rows, each thread
// walking all of K. Written out row by row: not every compiler keeps an array of sums in registers.
// Order, per output: as matmul_thread.wgsl. One slice is the plain sequential sum of order by-shape.
// Needs: step, shape, bound, lanes, weights, four_rows, read, tile, quartet, and one epilogue with first_row, row_count and finish.
@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<uniform> shape: Shape;

const TOKENS: u32 = 4u;

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
    let n_blocks = shape.n_blocks;
    let end_block = bound(shape.end_block, workgroup.z);
    let blocks_per_slice = bound(shape.blocks_per_slice, workgroup.z);
    let rows = tile_rows(first_token, last_token, n_blocks, thread);
    var totals = array<array<vec4<f32>, OUT_QUADS>, TOKENS>();
    for (var o = 0u; o < OUT_QUADS; o++) {
        let panel_block = (task * PANELS + o / GROUPS) * n_blocks;
        let row = ((o % GROUPS) * LANES + lane) * 4u;
        var total = no_sums();
        var sum = no_sums();
        var left = blocks_per_slice;
        for (var b = shape.first_block; b < end_block; b++) {
            let w = four_rows(panel_block + b, row);
            sum = add_tile(sum, w, load_tile(rows, b, thread));
            left = left - 1u;
            if left == 0u {
                left = blocks_per_slice;
                total = add_sums(total, sum);
                sum = no_sums();
            }
        }
        totals[0][o] = total.a;
        totals[1][o] = total.b;
        totals[2][o] = total.c;
        totals[3][o] = total.d;
    }
    for (var t = 0u; t < TOKENS; t++) {
        if first_token + t <= last_token {
            finish(task, first_token + t, totals[t], thread, wanted == task);
        }
    }
}
