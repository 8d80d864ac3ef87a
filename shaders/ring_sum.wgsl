// The shards' parts of a product of attn_output or ffn_down added up as a ring of devices does it, and what residual.wgsl makes of a
// finished product.
// Order, per output: the output row is cut into as many chunks as there are shards; the sum of chunk c sets out with shard c + 1 and goes
// round the ring to shard c, which adds its own part last. With sums in f16 every sum is rounded, with a single shard nothing is added.
// Needs: step, shape, bound, lanes, add_slices, finish (residual.wgsl).
@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<uniform> shape: Shape;
@group(0) @binding(10) var<storage, read> partials: array<vec4<f32>>;  // [shard, row, embedding_dim / 4]

@compute @workgroup_size(WG_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let lane = thread % LANES;
    let wanted = workgroup.x * TASKS + thread / LANES;
    let task = min(wanted, shape.n_tasks - 1u);
    let token = workgroup.y;
    let n_shards = bound(shape.n_shards, workgroup.z);
    let n_quads = shape.n_tasks * 8u;
    var out = array<vec4<f32>, OUT_QUADS>();
    for (var g = 0u; g < GROUPS; g++) {
        let quad = task * 8u + g * LANES + lane;
        // A quad lies in one chunk: a row is a multiple of 32 values, and there are at most 8 chunks.
        let chunk = quad * n_shards / n_quads;
        var total = partials[((chunk + 1u) % n_shards * step.n_rows + token) * n_quads + quad];
        for (var i = 2u; i <= n_shards; i++) {
            total = add_slices(total, partials[((chunk + i) % n_shards * step.n_rows + token) * n_quads + quad]);
        }
        out[g] = total;
    }
    finish(task, token, out, thread, wanted == task);
}
