// Top five, hash and finiteness of one stretch of a row's logits: one thread a stretch of PART_LOGITS.
// Order: comparisons are exact (value descending, then the tie rule); the hash is a sum of wrapping integers and has no order.
// Needs: hash, top, tie, top_shape.
@group(0) @binding(1) var<uniform> shape: TopShape;
@group(0) @binding(2) var<storage, read> logits: array<f32>;         // [output row, n_padded]
@group(0) @binding(3) var<storage, read_write> parts: array<Top>;    // [output row, n_parts]

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= shape.n_parts {
        return;
    }
    let begin = id.x * PART_LOGITS;
    let end = min(begin + PART_LOGITS, shape.n_vocab);
    var top = empty_top();
    for (var i = begin; i < end; i++) {
        let value = logits[id.y * shape.n_padded + i];
        let bits = bitcast<u32>(value);
        for (var lane = 0u; lane < 4u; lane++) {
            top.hash[lane] += mix(bits, i, lane);
        }
        if (bits & 0x7f800000u) == 0x7f800000u {
            top.not_finite = 1u;
        } else if value >= top.values[4] {
            insert(&top, i, value);
        }
    }
    parts[id.y * shape.n_parts + id.x] = top;
}
