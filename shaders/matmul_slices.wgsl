// Matrix product for few rows on hardware GPUs: a workgroup computes PANELS panels of 32 output rows for one activation row; eight
// threads (four output rows each) walk one slice of K, up to eight slices side by side.
// Order, per output: as matmul_thread.wgsl: K in contiguous slices of `blocks_per_slice` blocks, sequential inside a slice, slices
// folded left to right.
// Needs: step, shape, bound, lanes with 64 threads, add_slices, weights, four_rows, read, and one epilogue with first_row, row_count and finish.
@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<uniform> shape: Shape;

var<workgroup> slice_sums: array<array<vec4<f32>, OUT_QUADS>, WG_SIZE>;  // [slice * 8 + lane]

@compute @workgroup_size(WG_SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) n_workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let lane = thread % LANES;
    let wanted = workgroup.y * n_workgroups.x + workgroup.x;
    let task = min(wanted, shape.n_tasks - 1u);
    let token = workgroup.z;
    let x_row = (first_row() + token) * shape.n_blocks;
    let blocks_per_slice = bound(shape.blocks_per_slice, workgroup.z);
    let n_slices = (shape.end_block - shape.first_block) / blocks_per_slice;
    let begin = shape.first_block + min(thread / LANES, n_slices - 1u) * blocks_per_slice;
    for (var o = 0u; o < OUT_QUADS; o++) {
        let panel_block = (task * PANELS + o) * shape.n_blocks;
        var sum = vec4<f32>(0.0);
        for (var b = begin; b < begin + blocks_per_slice; b++) {
            sum = add_four(sum, four_rows(panel_block + b, lane * 4u), load_x(x_row + b, thread));
        }
        slice_sums[thread][o] = sum;
    }
    workgroupBarrier();
    var total = array<vec4<f32>, OUT_QUADS>();
    for (var s = 0u; s < n_slices; s++) {
        for (var o = 0u; o < OUT_QUADS; o++) {
            total[o] = add_slices(total[o], slice_sums[s * LANES + lane][o]);
        }
    }
    // All threads go through the epilogue, whose exchanges want uniform control flow; the first eight store.
    finish(task, token, total, thread, wanted == task && thread < LANES);
}
