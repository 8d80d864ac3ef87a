// Token ids to rows of the embedding: the residual stream's first value, handed on as the residual epilogue does (residual.wgsl).
// A table beyond the limit of one binding lies in several buffers; each has a dispatch of its own, which sees to its own tokens.
// Order: sum of squares per quad ((x*x + y*y) + z*z) + w*w, quads of a block as the tree of block_sum.
// Needs: step, shape, lanes, weights, embedding_quad (embedding*.wgsl), store_block, block_sum, sum_of_squares.
@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<uniform> shape: Shape;
@group(0) @binding(8) var<storage, read_write> residual: array<vec4<f32>>;  // [row, embedding_dim / 4]
@group(0) @binding(9) var<storage, read> next_norm: array<vec4<f32>>;       // [embedding_dim / 4]

@compute @workgroup_size(WG_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let lane = thread % LANES;
    let wanted = workgroup.x * TASKS + thread / LANES;
    let block = min(wanted, shape.n_blocks - 1u);
    let row = workgroup.y;
    let token = step.rows[row].token;
    let panel = token / 32u - shape.first_task;  // of a token before this buffer's first it wraps to a large number
    let store = wanted == block && panel < shape.n_tasks;
    let w = load_weights(min(panel, shape.n_tasks - 1u) * shape.n_blocks + block, token % 32u);
    var scaled = array<vec4<f32>, GROUPS>();
    var squares = array<f32, GROUPS>();
    for (var g = 0u; g < GROUPS; g++) {
        let j = g * LANES + lane;
        let v = embedding_quad(w, j);
        let quad = block * 8u + j;
        if store {
            residual[row * shape.n_blocks * 8u + quad] = v;
        }
        scaled[g] = v * next_norm[quad];
        squares[g] = sum_of_squares(v);
    }
    store_block(row * shape.n_blocks + block, scaled, block_sum(squares, thread), thread, store);
}
