// What becomes of one shard's part of a dot product of attn_output or ffn_down: it waits for the other shards' (ring_sum.wgsl).
// Order: no sums here.
// Needs: step, shape.
const PANELS: u32 = 1u;
@group(0) @binding(8) var<storage, read_write> partials: array<vec4<f32>>;  // [shard, row, embedding_dim / 4]

fn first_row() -> u32 {
    return 0u;
}

fn row_count() -> u32 {
    return step.n_rows;
}

fn finish(task: u32, token: u32, out: array<vec4<f32>, OUT_QUADS>, thread: u32, store: bool) {
    let lane = thread % LANES;
    let first_quad = ((shape.shard * step.n_rows + token) * shape.n_tasks + task) * 8u;
    if store {
        for (var g = 0u; g < GROUPS; g++) {
            partials[first_quad + g * LANES + lane] = out[g];
        }
    }
}
