// Norm and rotation of the heads of Q and K that qkv_raw.wgsl left: Q to its buffer, K into the cache at its row's slot. A task does one
// block of 32 values of a head of one row.
// Order: the sums of squares of a head's blocks, of which there are at most eight, one after another from zero, whatever order the norms
// of rows have. A value is (raw * row factor) * weight; a rotated pair is (a*cos - b*sin, a*sin + b*cos). A row's bits depend on nothing
// but the row.
// Needs: step, shape (of which n_blocks, inverse_dim and norm_eps are a head's), lanes, x_f32, norm_sequential, exact_inverse_sqrt, heads,
// KStored, k_store (kv_write_*.wgsl).
@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<uniform> shape: Shape;
@group(0) @binding(8) var<storage, read_write> q: array<vec4<f32>>;     // [row, n_heads * head_dim / 4]
@group(0) @binding(9) var<storage, read_write> k_cache: array<KStored>; // [cache block, kv head, 16 positions, head_dim]
@group(0) @binding(10) var<storage, read> head_norms: array<vec4<f32>>; // [2, head_dim / 4]: weights of Q's heads, of K's
@group(0) @binding(11) var<storage, read> rope: array<vec4<f32>>;       // [position, head_dim / 4]: cos, sin, cos, sin

const HEAD_BLOCKS: u32 = HEAD_DIM / 32u;

@compute @workgroup_size(WG_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let lane = thread % LANES;
    let n_tasks = (shape.q_dim + shape.kv_dim) / 32u;
    let wanted = workgroup.x * TASKS + thread / LANES;
    let task = min(wanted, n_tasks - 1u);
    let store = wanted == task;
    let token = workgroup.y;
    let row = step.rows[token];
    let first = task * 32u;
    let is_q = first < shape.q_dim;
    let head = (token * n_tasks + task) / HEAD_BLOCKS;
    let factor = exact_inverse_sqrt(norm_sum(head, HEAD_BLOCKS, thread) * shape.inverse_dim + shape.norm_eps);
    var own = array<vec4<f32>, GROUPS>();
    for (var g = 0u; g < GROUPS; g++) {
        let j = g * LANES + lane;
        let d = first + j * 4u;
        let quad = (d % HEAD_DIM) / 4u;
        let normed = (x_quad(token * n_tasks + task, j) * factor) * head_norms[quad + select(HEAD_DIM / 4u, 0u, is_q)];
        own[g] = rotate(normed, rope[row.position * (HEAD_DIM / 4u) + quad]);
        if store && is_q {
            q[(token * shape.q_dim + d) / 4u] = own[g];
        }
    }
    let value = first - shape.q_dim;
    k_store(cache_place(row.slot, value), (first % HEAD_DIM) / 32u, own, thread, store && !is_q);
}
