// What becomes of a finished dot product of attn_output and ffn_down: it is added to the residual stream, and the new stream times the
// next norm's weights is handed on as a block of activations, with the block's sum of squares beside it.
// Order: residual + total; sum of squares per quad ((x*x + y*y) + z*z) + w*w, quads of a block as the tree of block_sum.
// Needs: step, shape, store_block, block_sum, sum_of_squares.
const PANELS: u32 = 1u;
@group(0) @binding(8) var<storage, read_write> residual: array<vec4<f32>>;  // [row, embedding_dim / 4]
@group(0) @binding(9) var<storage, read> next_norm: array<vec4<f32>>;       // [embedding_dim / 4]

fn first_row() -> u32 {
    return 0u;
}

fn row_count() -> u32 {
    return step.n_rows;
}

fn finish(task: u32, token: u32, out: array<vec4<f32>, OUT_QUADS>, thread: u32, store: bool) {
    let lane = thread % LANES;
    var scaled = array<vec4<f32>, GROUPS>();
    var squares = array<f32, GROUPS>();
    for (var g = 0u; g < GROUPS; g++) {
        let quad = task * 8u + g * LANES + lane;
        let at = token * shape.n_tasks * 8u + quad;
        let sum = residual[at] + out[g];
        if store {
            residual[at] = sum;
        }
        scaled[g] = sum * next_norm[quad];
        squares[g] = sum_of_squares(sum);
    }
    store_block(token * shape.n_tasks + task, scaled, block_sum(squares, thread), thread, store);
}
