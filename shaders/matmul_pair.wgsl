// Matrix product for few rows and many output rows, one thread walking all of K: a task (LANES threads) computes two panels of 32 output
// rows for one activation row, whose blocks it loads once for both.
// Order, per output: as matmul_thread.wgsl.
// Needs: step, shape, bound, lanes with one task a workgroup and GROUPS = 1, add_slices, weights, four_rows, read, and one epilogue with first_row,
// row_count and finish.
@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<uniform> shape: Shape;

@compute @workgroup_size(WG_SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) n_workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let n_panels = shape.n_tasks * PANELS;
    let wanted = (workgroup.y * n_workgroups.x + workgroup.x) * 2u;
    let first_panel = min(wanted, n_panels - 1u);
    let second_panel = min(wanted + 1u, n_panels - 1u);
    let token = workgroup.z;
    let n_blocks = shape.n_blocks;
    let end_block = bound(shape.end_block, workgroup.z);
    let blocks_per_slice = bound(shape.blocks_per_slice, workgroup.z);
    let x_row = (first_row() + token) * n_blocks;
    let first_block = first_panel * n_blocks;
    let second_block = second_panel * n_blocks;
    var first_total = vec4<f32>(0.0);
    var second_total = vec4<f32>(0.0);
    var first_sum = vec4<f32>(0.0);
    var second_sum = vec4<f32>(0.0);
    var left = blocks_per_slice;
    for (var b = shape.first_block; b < end_block; b++) {
        let v = load_x(x_row + b, lane);
        first_sum = add_four(first_sum, four_rows(first_block + b, lane * 4u), v);
        second_sum = add_four(second_sum, four_rows(second_block + b, lane * 4u), v);
        left = left - 1u;
        if left == 0u {
            left = blocks_per_slice;
            first_total = add_slices(first_total, first_sum);
            second_total = add_slices(second_total, second_sum);
            first_sum = vec4<f32>(0.0);
            second_sum = vec4<f32>(0.0);
        }
    }
    var out = array<vec4<f32>, OUT_QUADS>();
    if PANELS == 2u {
        out[0] = first_total;
        out[OUT_QUADS - 1u] = second_total;
        finish(first_panel / 2u, token, out, lane, wanted < n_panels);
    } else {
        out[0] = first_total;
        finish(first_panel, token, out, lane, wanted < n_panels);
        out[0] = second_total;
        finish(second_panel, token, out, lane, wanted + 1u < n_panels);
    }
}
