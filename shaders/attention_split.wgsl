// Attention of one query head of one row over one split of its keys: a task reads K and V through the block table and leaves
// (weighted values, maximum, sum of exponentials) for attention_fold.
// Order: a score adds quads of q*k from zero in ascending dimension, then (x+y)+(z+w), then times 1/sqrt(head_dim). Keys in tiles of 64
// counted from the split's first key; exponentials relative to the tile's maximum; their sum: eight lanes, lane i adds keys i, i+8, …
// in ascending order, lanes as the tree of block_sum; values added key after key. Tiles fold left to right.
// Needs: step, lanes, kv, exact_exp, attention_shape.
@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<uniform> shape: AttentionShape;
@group(0) @binding(2) var<storage, read> q: array<vec4<f32>>;               // [row, n_heads * head_dim / 4]
@group(0) @binding(3) var<storage, read> kv: array<KvQuad>;                 // K then V: [cache block, kv head, 16 positions, head_dim / 4]
@group(0) @binding(4) var<storage, read> block_table: array<u32>;           // [sequence, max_blocks]
@group(0) @binding(5) var<storage, read_write> parts: array<vec4<f32>>;     // [row, head, split, PART_QUADS]

const OWN_KEYS: u32 = TILE / LANES;          // keys of a tile whose scores a lane holds: lane, lane + LANES, …
const OWN_QUADS: u32 = HEAD_QUADS / LANES;   // quads of the value sum that a lane holds: lane, lane + LANES, …

@compute @workgroup_size(WG_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let lane = thread % LANES;
    let wanted = workgroup.x * TASKS + thread / LANES;
    let head = min(wanted, shape.n_heads - 1u);
    let row = workgroup.y;
    let split = workgroup.z;
    let info = step.rows[row];
    let n_keys = info.position + 1u;
    let len = split_len(n_keys);
    let begin = split * len;
    if begin >= n_keys {
        return;
    }
    let end = min(begin + len, n_keys);
    let kv_head = head / (shape.n_heads / shape.n_kv_heads);
    let table = info.sequence * step.max_blocks;
    let head_stride = 16u * HEAD_QUADS;
    let block_stride = shape.n_kv_heads * head_stride;

    var query = array<vec4<f32>, HEAD_QUADS>();
    for (var c = 0u; c < HEAD_QUADS / 8u; c++) {
        var own = array<vec4<f32>, READ_GROUPS>();
        for (var g = 0u; g < READ_GROUPS; g++) {
            own[g] = q[(row * shape.n_heads + head) * HEAD_QUADS + c * 8u + g * READ_LANES + lane % READ_LANES];
        }
        let quads = share_quads(own);
        for (var j = 0u; j < 8u; j++) {
            query[c * 8u + j] = quads[j];
        }
    }

    var values = array<vec4<f32>, OWN_QUADS>();
    var maximum = MASKED;
    var total = 0.0;
    for (var tile = begin; tile < end; tile += TILE) {
        var scores = array<f32, OWN_KEYS>();
        var tile_maximum = array<f32, GROUPS>();
        for (var g = 0u; g < GROUPS; g++) {
            tile_maximum[g] = MASKED;
        }
        for (var i = 0u; i < 8u; i++) {
            if tile + i * 8u < end {
                for (var g = 0u; g < GROUPS; g++) {
                    let key = tile + i * 8u + g * LANES + lane;
                    let there = min(key, end - 1u);
                    let at = block_table[table + there / 16u] * block_stride + kv_head * head_stride + (there % 16u) * HEAD_QUADS;
                    var dot = vec4<f32>(0.0);
                    for (var j = 0u; j < HEAD_QUADS; j++) {
                        dot = dot + query[j] * kv_decode(kv[at + j]);
                    }
                    let score = select(MASKED, ((dot.x + dot.y) + (dot.z + dot.w)) * shape.scale, key < end);
                    scores[i * GROUPS + g] = score;
                    tile_maximum[g] = max(tile_maximum[g], score);
                }
            } else {
                for (var g = 0u; g < GROUPS; g++) {
                    scores[i * GROUPS + g] = MASKED;
                }
            }
        }
        let m = block_max(tile_maximum, thread);

        var sums = array<f32, GROUPS>();
        var tile_values = array<vec4<f32>, OWN_QUADS>();
        for (var i = 0u; i < 8u; i++) {
            if tile + i * 8u < end {
                var own = array<f32, GROUPS>();
                for (var g = 0u; g < GROUPS; g++) {
                    let score = scores[i * GROUPS + g];
                    own[g] = select(0.0, exact_exp(score - m), score > MASKED);
                    sums[g] = sums[g] + own[g];
                }
                let weights = share_values(own, thread);
                for (var k = 0u; k < 8u; k++) {
                    let there = min(tile + i * 8u + k, end - 1u);
                    let at = shape.v_offset + block_table[table + there / 16u] * block_stride + kv_head * head_stride
                        + (there % 16u) * HEAD_QUADS;
                    for (var o = 0u; o < OWN_QUADS; o++) {
                        tile_values[o] = tile_values[o] + weights[k] * kv_decode(kv[at + o * LANES + lane]);
                    }
                }
            }
        }
        let tile_total = block_sum(sums, thread);

        if tile == begin {
            maximum = m;
            total = tile_total;
            values = tile_values;
        } else {
            let both = max(maximum, m);
            let a = exact_exp(maximum - both);
            let b = exact_exp(m - both);
            total = total * a + tile_total * b;
            for (var o = 0u; o < OWN_QUADS; o++) {
                values[o] = values[o] * a + tile_values[o] * b;
            }
            maximum = both;
        }
    }

    if wanted == head {
        let part = part_index(row, head, split);
        for (var o = 0u; o < OWN_QUADS; o++) {
            parts[part + o * LANES + lane] = values[o];
        }
        if lane == 0u {
            parts[part + HEAD_QUADS] = vec4<f32>(maximum, total, 0.0, 0.0);
        }
    }
}
