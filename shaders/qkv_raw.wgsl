// What becomes of a finished dot product of the Q, K and V projections where heads of Q and K have norms: RMSNorm's row factor and, of
// some models, a bias. V goes into the cache at this row's slot; Q and K wait for head_norm.wgsl in f32, with each block's sum of squares.
// Order: no sums but that of product and bias; sum of squares per quad ((x*x + y*y) + z*z) + w*w, quads of a block as the tree of
// block_sum.
// Needs: step, shape, inverse_rms, HEAD_DIM, projected (projection*.wgsl), heads, store_block (write_float.wgsl of write_f32.wgsl),
// block_sum, sum_of_squares, VStored, v_store (kv_write_*.wgsl).
const PANELS: u32 = 1u;
@group(0) @binding(10) var<storage, read_write> v_cache: array<VStored>; // [cache block, kv head, 16 positions, head_dim]

fn first_row() -> u32 {
    return 0u;
}

fn row_count() -> u32 {
    return step.n_rows;
}

// A task's 32 outputs are one block of one head of Q, K or V.
fn finish(task: u32, token: u32, out: array<vec4<f32>, OUT_QUADS>, thread: u32, store: bool) {
    let lane = thread % LANES;
    let factor = inverse_rms(token, thread);
    let n_raw = (shape.q_dim + shape.kv_dim) / 32u;
    let block = shape.first_task + task;
    let is_v = block >= n_raw;
    var own = array<vec4<f32>, GROUPS>();
    var squares = array<f32, GROUPS>();
    for (var g = 0u; g < GROUPS; g++) {
        own[g] = projected(out[g], factor, block * 32u + (g * LANES + lane) * 4u);
        squares[g] = sum_of_squares(own[g]);
    }
    store_block(token * n_raw + block, own, block_sum(squares, thread), thread, store && !is_v);
    let value = (block - n_raw) * 32u;
    v_store(cache_place(step.rows[token].slot, value), (value % HEAD_DIM) / 32u, own, thread, store && is_v);
}
