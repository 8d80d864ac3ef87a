// Matrix product for many rows: a task (LANES threads) computes PANELS panels of 32 output rows for eight activation rows, each thread
// walking all of K. Twice matmul_tiled.wgsl, for devices that have the registers and the compile time.
// Order, per output: as matmul_thread.wgsl. One slice is the plain sequential sum of order by-shape.
// Needs: step, shape, bound, lanes, weights, four_rows, read, tile, quartet, and one epilogue with first_row, row_count and finish.
@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<uniform> shape: Shape;

const TOKENS: u32 = 8u;

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
    let more_rows = tile_rows(first_token + 4u, last_token, n_blocks, thread);
    var totals = array<array<vec4<f32>, OUT_QUADS>, TOKENS>();
    for (var o = 0u; o < OUT_QUADS; o++) {
        let panel_block = (task * PANELS + o / GROUPS) * n_blocks;
        let row = ((o % GROUPS) * LANES + lane) * 4u;
        var total = no_sums();
        var more_total = no_sums();
        var sum = no_sums();
        var more_sum = no_sums();
        var left = blocks_per_slice;
        for (var b = shape.first_block; b < end_block; b++) {
            let w = four_rows(panel_block + b, row);
            sum = add_tile(sum, w, load_tile(rows, b, thread));
            more_sum = add_tile(more_sum, w, load_tile(more_rows, b, thread));
            left = left - 1u;
            if left == 0u {
                left = blocks_per_slice;
                total = add_sums(total, sum);
                sum = no_sums();
                more_total = add_sums(more_total, more_sum);
                more_sum = no_sums();
            }
        }
        totals[0][o] = total.a;
        totals[1][o] = total.b;
        totals[2][o] = total.c;
        totals[3][o] = total.d;
        totals[4][o] = more_total.a;
        totals[5][o] = more_total.b;
        totals[6][o] = more_total.c;
        totals[7][o] = more_total.d;
    }
    for (var t = 0u; t < TOKENS; t++) {
        if first_token + t <= last_token {
            finish(task, first_token + t, totals[t], thread, wanted == task);
        }
    }
}
