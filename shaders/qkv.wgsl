// What becomes of a finished dot product of the Q, K and V projections: RMSNorm's row factor and, of some models, a bias; rotary position
// embedding of Q and K (adjacent pairs), Q to its buffer, K and V straight into the cache at this row's slot.
// Order: no sums but that of product and bias; a rotated pair is (a*cos - b*sin, a*sin + b*cos).
// Needs: step, shape, inverse_rms, HEAD_DIM, projected (projection*.wgsl), heads, KStored, VStored, k_store, v_store (kv_write_*.wgsl).
const PANELS: u32 = 1u;
@group(0) @binding(8) var<storage, read_write> q: array<vec4<f32>>;     // [row, n_heads * head_dim / 4]
@group(0) @binding(9) var<storage, read_write> k_cache: array<KStored>; // [cache block, kv head, 16 positions, head_dim]
@group(0) @binding(10) var<storage, read_write> v_cache: array<VStored>; // the same
@group(0) @binding(11) var<storage, read> rope: array<vec4<f32>>;       // [position, head_dim / 4]: cos, sin, cos, sin

fn first_row() -> u32 {
    return 0u;
}

fn row_count() -> u32 {
    return step.n_rows;
}

// A task's 32 outputs are one block of one head of Q, K or V. Every task goes through both stores, whose exchanges want uniform control
// flow, and at most one of them keeps anything.
fn finish(task: u32, token: u32, out: array<vec4<f32>, OUT_QUADS>, thread: u32, store: bool) {
    let lane = thread % LANES;
    let factor = inverse_rms(token, thread);
    let row = step.rows[token];
    let first = (shape.first_task + task) * 32u;
    let is_q = first < shape.q_dim;
    let is_v = first >= shape.q_dim + shape.kv_dim;
    var own = array<vec4<f32>, GROUPS>();
    for (var g = 0u; g < GROUPS; g++) {
        let d = first + (g * LANES + lane) * 4u;
        let v = projected(out[g], factor, d);
        let angle = rope[row.position * (HEAD_DIM / 4u) + (d % HEAD_DIM) / 4u];
        own[g] = select(rotate(v, angle), v, is_v);
        if store && is_q {
            q[(token * shape.q_dim + d) / 4u] = own[g];
        }
    }
    let place = cache_place(row.slot, first - shape.q_dim - select(0u, shape.kv_dim, is_v));
    let block = (first % HEAD_DIM) / 32u;
    k_store(place, block, own, thread, store && !is_q && !is_v);
    v_store(place, block, own, thread, store && is_v);
}
