// What becomes of a finished dot product of the Q, K and V projections: RMSNorm's row factor, rotary position embedding of Q and K
// (adjacent pairs), Q to its buffer, K and V straight into the cache at this row's slot.
// Order: no sums here; a rotated pair is (a*cos - b*sin, a*sin + b*cos).
// Needs: step, shape, inverse_rms, kv_encode, HEAD_DIM.
const PANELS: u32 = 1u;
@group(0) @binding(8) var<storage, read_write> q: array<vec4<f32>>;     // [row, n_heads * head_dim / 4]
@group(0) @binding(9) var<storage, read_write> kv: array<KvQuad>;       // K then V: [cache block, kv head, 16 positions, head_dim / 4]
@group(0) @binding(10) var<storage, read> rope: array<vec4<f32>>;       // [position, head_dim / 4]: cos, sin, cos, sin

fn first_row() -> u32 {
    return 0u;
}

fn row_count() -> u32 {
    return step.n_rows;
}

fn rotate(v: vec4<f32>, r: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(v.x * r.x - v.y * r.y, v.x * r.y + v.y * r.x, v.z * r.z - v.w * r.w, v.z * r.w + v.w * r.z);
}

// Where dimension `d` (a multiple of 4) of K or V lies in the cache, in quads.
fn kv_quad(slot: u32, d: u32) -> u32 {
    let head = d / HEAD_DIM;
    let n_kv_heads = shape.kv_dim / HEAD_DIM;
    return (((slot / 16u) * n_kv_heads + head) * 16u + slot % 16u) * (HEAD_DIM / 4u) + (d % HEAD_DIM) / 4u;
}

fn finish(task: u32, token: u32, out: array<vec4<f32>, OUT_QUADS>, thread: u32, store: bool) {
    let lane = thread % LANES;
    let factor = inverse_rms(token);
    let row = step.rows[token];
    for (var g = 0u; g < GROUPS; g++) {
        let d = (shape.first_task + task) * 32u + (g * LANES + lane) * 4u;
        let v = out[g] * factor;
        let angle = rope[row.position * (HEAD_DIM / 4u) + (d % HEAD_DIM) / 4u];
        if store {
            if d < shape.q_dim {
                q[(token * shape.q_dim + d) / 4u] = rotate(v, angle);
            } else if d < shape.q_dim + shape.kv_dim {
                kv[kv_quad(row.slot, d - shape.q_dim)] = kv_encode(rotate(v, angle));
            } else {
                kv[shape.v_offset + kv_quad(row.slot, d - shape.q_dim - shape.kv_dim)] = kv_encode(v);
            }
        }
    }
}
