// Folds the splits of one query head of one row into its attention output and hands it on as a block of activations;
// a task does 32 of the head's dimensions.
// Order: splits left to right: m' = max(m, m_t); a = exp(m - m'); b = exp(m_t - m'); l = l*a + l_t*b; o = o*a + o_t*b; then o * (1/l).
// Needs: step, lanes, exact_exp, exact_reciprocal, attention_shape, store_block.
@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<uniform> shape: AttentionShape;
@group(0) @binding(2) var<storage, read> parts: array<vec4<f32>>;     // [row, head, split, PART_QUADS]

@compute @workgroup_size(WG_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let lane = thread % LANES;
    let blocks_per_head = HEAD_DIM / 32u;
    let n_tasks = shape.n_heads * blocks_per_head;
    let wanted = workgroup.x * TASKS + thread / LANES;
    let task = min(wanted, n_tasks - 1u);
    let head = task / blocks_per_head;
    let first_quad = (task % blocks_per_head) * 8u;
    let row = workgroup.y;
    let n_splits = split_count(step.rows[row].position + 1u);

    var values = array<vec4<f32>, GROUPS>();
    var maximum = MASKED;
    var total = 0.0;
    for (var split = 0u; split < n_splits; split++) {
        let part = part_index(row, head, split);
        let m_l = parts[part + HEAD_QUADS];
        if split == 0u {
            maximum = m_l.x;
            total = m_l.y;
            for (var g = 0u; g < GROUPS; g++) {
                values[g] = parts[part + first_quad + g * LANES + lane];
            }
        } else {
            let both = max(maximum, m_l.x);
            let a = exact_exp(maximum - both);
            let b = exact_exp(m_l.x - both);
            total = total * a + m_l.y * b;
            for (var g = 0u; g < GROUPS; g++) {
                values[g] = values[g] * a + parts[part + first_quad + g * LANES + lane] * b;
            }
            maximum = both;
        }
    }
    let inverse = exact_reciprocal(total);
    for (var g = 0u; g < GROUPS; g++) {
        values[g] = values[g] * inverse;
    }
    store_block(row * n_tasks + task, values, 0.0, thread, wanted == task);
}
