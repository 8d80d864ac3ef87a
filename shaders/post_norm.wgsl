// The norm between a finished product of attn_output or ffn_down (total.wgsl) and the residual stream, and what residual.wgsl makes of
// what comes out of it. A task does one block of 32 values of one row.
// Order: the sums of squares of the row's blocks as norm_*.wgsl says; a value is (total * row factor) * weight, and then added to the
// stream.
// Needs: step, shape, lanes, x_f32, inverse_rms, finish (residual.wgsl).
@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<uniform> shape: Shape;
@group(0) @binding(10) var<storage, read> post_norm: array<vec4<f32>>;  // [embedding_dim / 4]

@compute @workgroup_size(WG_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let lane = thread % LANES;
    let wanted = workgroup.x * TASKS + thread / LANES;
    let task = min(wanted, shape.n_tasks - 1u);
    let token = workgroup.y;
    let factor = inverse_rms(token, thread);
    var out = array<vec4<f32>, OUT_QUADS>();
    for (var g = 0u; g < GROUPS; g++) {
        let j = g * LANES + lane;
        out[g] = (x_quad(token * shape.n_tasks + task, j) * factor) * post_norm[task * 8u + j];
    }
    finish(task, token, out, thread, wanted == task);
}
