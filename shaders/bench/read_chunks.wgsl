// Read roofline, first pattern: every thread reads CHUNK quads that follow each other.
// Order: none; exclusive or of everything read, so that no read can be left out.
@group(0) @binding(0) var<storage, read> quads: array<vec4<u32>>;        // [thread, CHUNK]
@group(0) @binding(1) var<storage, read_write> result: array<vec4<u32>>; // [thread]

const CHUNK: u32 = 1024u;

@compute @workgroup_size(WG_SIZE)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let first = id.x * CHUNK;
    var a = vec4<u32>(0u);
    var b = vec4<u32>(0u);
    var c = vec4<u32>(0u);
    var d = vec4<u32>(0u);
    for (var i = 0u; i < CHUNK; i += 4u) {
        a ^= quads[first + i];
        b ^= quads[first + i + 1u];
        c ^= quads[first + i + 2u];
        d ^= quads[first + i + 3u];
    }
    result[id.x] = (a ^ b) ^ (c ^ d);
}
