// Numeric fingerprint: the packed integer dot product, which must be exact.
// Order: none, the sums are of integers.
@group(0) @binding(0) var<storage, read> pairs: array<vec2<u32>>; // [1024], four signed bytes each
@group(0) @binding(1) var<storage, read_write> results: array<u32>; // [1024]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let pair = pairs[id.x];
    results[id.x] = bitcast<u32>(dot4I8Packed(pair.x, pair.y));
}
