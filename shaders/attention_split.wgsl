// Attention of one query head of one row over one split of its keys: a task reads K and V through the block table and leaves
// (weighted values, maximum, sum of exponentials) for attention_fold.
// A row sees its own key and those before it, as many as the window holds; splits start at the first key that it sees.
// Order: a score adds quads of q*k from zero in ascending dimension, then (x+y)+(z+w), then times 1/sqrt(head_dim). Keys in tiles of 64
// counted from the split's first key; exponentials relative to the tile's maximum; their sum as softmax_*.wgsl says; values added key
// after key. Tiles fold left to right.
// A key that makes a score infinite or no number makes its weight so too: a cached overflow never passes for a small weight.
// Needs: step, lanes, blocks, exact_exp, attention_shape, Octet, tile_sum (softmax_*.wgsl), KStored, VStored, k_octet, v_octet (kv_read_*.wgsl).
@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<uniform> shape: AttentionShape;
@group(0) @binding(2) var<storage, read> q: array<vec4<f32>>;               // [row, n_heads * head_dim / 4]
@group(0) @binding(3) var<storage, read> k_cache: array<KStored>;           // [cache block, kv head, 16 positions, head_dim]
@group(0) @binding(4) var<storage, read> v_cache: array<VStored>;           // the same
@group(0) @binding(5) var<storage, read> block_table: array<u32>;           // [sequence, max_blocks]
@group(0) @binding(6) var<storage, read_write> parts: array<vec4<f32>>;     // [row, head, split, PART_QUADS]

const OWN_KEYS: u32 = TILE / LANES;                          // keys of a tile whose scores a lane holds: lane, lane + LANES, …
const HEAD_OCTETS: u32 = HEAD_DIM / 8u;
const OWN_OCTETS: u32 = (HEAD_OCTETS + LANES - 1u) / LANES;  // octets of the value sum that a lane holds: lane, lane + LANES, …

// Where a key of a cache block lies, in heads.
fn place_of(block: u32, key: u32, kv_head: u32) -> u32 {
    return (block * shape.n_kv_heads + kv_head) * 16u + key % 16u;
}

// 32 dimensions of the query, for every lane. Loaded anew for every key: eight lanes share one load, and an array of them all would not
// stay in registers everywhere.
fn query_quads(first: u32, lane: u32) -> array<vec4<f32>, 8> {
    var own = array<vec4<f32>, READ_GROUPS>();
    for (var g = 0u; g < READ_GROUPS; g++) {
        own[g] = q[first + g * READ_LANES + lane % READ_LANES];
    }
    return share_quads(own);
}

fn add_octet(dot: vec4<f32>, q0: vec4<f32>, q1: vec4<f32>, k: Octet) -> vec4<f32> {
    let first = dot + q0 * k.first;
    return first + q1 * k.second;
}

fn add_value(values: Octet, weight: f32, v: Octet) -> Octet {
    return Octet(values.first + weight * v.first, values.second + weight * v.second);
}

@compute @workgroup_size(WG_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let lane = thread % LANES;
    let wanted = workgroup.x * TASKS + thread / LANES;
    let head = min(wanted, shape.n_heads - 1u);
    let row = workgroup.y;
    let split = workgroup.z;
    let info = step.rows[row];
    let n_keys = info.position + 1u;
    let keys = split_keys(n_keys, split);
    let begin = keys.begin;
    let end = keys.end;
    if begin >= end {
        return;
    }
    let kv_head = head / (shape.n_heads / shape.n_kv_heads);
    let table = info.sequence * step.max_blocks;
    let query = (row * shape.n_heads + head) * HEAD_QUADS;

    var values = array<Octet, OWN_OCTETS>();
    var maximum = MASKED;
    var total = 0.0;
    var worst = 0u;  // largest magnitude of a score as bits, which order alike, with what is no number above infinity
    for (var tile = begin; tile < end; tile += TILE) {
        let n_eights = (min(end - tile, TILE) + 7u) / 8u;
        var weights = array<f32, OWN_KEYS>();
        var largest = array<f32, GROUPS>();
        for (var g = 0u; g < GROUPS; g++) {
            largest[g] = MASKED;
        }
        for (var i = 0u; i < n_eights; i++) {
            for (var g = 0u; g < GROUPS; g++) {
                let key = tile + i * 8u + g * LANES + lane;
                let there = min(key, end - 1u);
                let place = place_of(block_table[table + there / 16u], there, kv_head);
                var dot = vec4<f32>(0.0);
                for (var c = 0u; c < HEAD_QUADS / 8u; c++) {
                    let quads = query_quads(query + c * 8u, lane);
                    dot = add_octet(dot, quads[0], quads[1], k_octet(place, c * 4u));
                    dot = add_octet(dot, quads[2], quads[3], k_octet(place, c * 4u + 1u));
                    dot = add_octet(dot, quads[4], quads[5], k_octet(place, c * 4u + 2u));
                    dot = add_octet(dot, quads[6], quads[7], k_octet(place, c * 4u + 3u));
                }
                let score = select(MASKED, ((dot.x + dot.y) + (dot.z + dot.w)) * shape.scale, key < end);
                weights[i * GROUPS + g] = score;
                largest[g] = max(largest[g], score);
                worst = max(worst, bitcast<u32>(score) & 0x7FFFFFFFu);
            }
        }
        let m = block_max(largest, thread);

        for (var i = 0u; i < n_eights; i++) {
            for (var g = 0u; g < GROUPS; g++) {
                let score = weights[i * GROUPS + g];
                let weight = select(0.0, exact_exp(score - m), score > MASKED);
                weights[i * GROUPS + g] = weight;
            }
        }
        if worst >= 0x7F800000u {
            weights[0] = bitcast<f32>(worst);
        }
        let tile_total = tile_sum(&weights, n_eights, thread);

        let both = max(maximum, m);
        let a = exact_exp(maximum - both);
        let b = exact_exp(m - both);
        for (var o = 0u; o < OWN_OCTETS; o++) {
            let octet = min(o * LANES + lane, HEAD_OCTETS - 1u);
            var sum = Octet(vec4<f32>(0.0), vec4<f32>(0.0));
            for (var i = 0u; i < n_eights; i++) {
                var own = array<f32, GROUPS>();
                for (var g = 0u; g < GROUPS; g++) {
                    own[g] = weights[i * GROUPS + g];
                }
                let w = share_values(own, thread);
                // Eight keys lie in at most two cache blocks.
                let first = tile + i * 8u;
                let last = min(first + 7u, end - 1u);
                let block_0 = block_table[table + first / 16u];
                let block_1 = block_table[table + last / 16u];
                for (var k = 0u; k < 8u; k++) {
                    let key = min(first + k, last);
                    let block = select(block_1, block_0, key / 16u == first / 16u);
                    sum = add_value(sum, w[k], v_octet(place_of(block, key, kv_head), octet));
                }
            }
            if tile != begin {
                sum = Octet(values[o].first * a + sum.first * b, values[o].second * a + sum.second * b);
            }
            values[o] = sum;
        }
        total = select(total * a + tile_total * b, tile_total, tile == begin);
        maximum = both;
    }

    if wanted == head {
        let part = part_index(row, head, split);
        for (var o = 0u; o < OWN_OCTETS; o++) {
            let octet = o * LANES + lane;
            if octet < HEAD_OCTETS {
                parts[part + octet * 2u] = values[o].first;
                parts[part + octet * 2u + 1u] = values[o].second;
            }
        }
        if lane == 0u {
            parts[part + HEAD_QUADS] = vec4<f32>(maximum, total, 0.0, 0.0);
        }
    }
}
