// What becomes of a finished dot product of attn_output or ffn_down where a norm follows: it waits for post_norm.wgsl in f32, with its
// block's sum of squares beside it.
// Order: sum of squares per quad ((x*x + y*y) + z*z) + w*w, quads of a block as the tree of block_sum.
// Needs: step, shape, store_block (write_float.wgsl of write_f32.wgsl), block_sum, sum_of_squares.
const PANELS: u32 = 1u;

fn first_row() -> u32 {
    return 0u;
}

fn row_count() -> u32 {
    return step.n_rows;
}

fn finish(task: u32, token: u32, out: array<vec4<f32>, OUT_QUADS>, thread: u32, store: bool) {
    var own = array<vec4<f32>, GROUPS>();
    var squares = array<f32, GROUPS>();
    for (var g = 0u; g < GROUPS; g++) {
        own[g] = out[g];
        squares[g] = sum_of_squares(out[g]);
    }
    store_block(token * shape.n_tasks + task, own, block_sum(squares, thread), thread, store);
}
