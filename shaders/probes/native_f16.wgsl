enable f16;
// Numeric fingerprint: additions and products in the device's own f16.
// Order: one operation each.
@group(0) @binding(0) var<storage, read> pairs: array<u32>; // [1024], two f16 each
@group(0) @binding(1) var<storage, read_write> results: array<vec2<u32>>; // [1024], sum and product as f32

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let pair = vec2<f16>(unpack2x16float(pairs[id.x]));
    results[id.x] = vec2<u32>(bitcast<u32>(f32(pair.x + pair.y)), bitcast<u32>(f32(pair.x * pair.y)));
}
