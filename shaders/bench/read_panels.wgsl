// Read roofline, second pattern: as the matrix products read weights. Eight neighbouring threads walk a panel whose rows are interleaved;
// each takes four neighbouring quads of every UNIT of 32.
// Order: none; exclusive or of everything read, so that no read can be left out.
@group(0) @binding(0) var<storage, read> quads: array<vec4<u32>>;        // [panel, UNITS, 32]
@group(0) @binding(1) var<storage, read_write> result: array<vec4<u32>>; // [panel, 8]

const UNITS: u32 = 256u;

@compute @workgroup_size(WG_SIZE)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let first = (id.x / 8u) * UNITS * 32u + (id.x % 8u) * 4u;
    var a = vec4<u32>(0u);
    var b = vec4<u32>(0u);
    var c = vec4<u32>(0u);
    var d = vec4<u32>(0u);
    for (var i = 0u; i < UNITS; i++) {
        let at = first + i * 32u;
        a ^= quads[at];
        b ^= quads[at + 1u];
        c ^= quads[at + 2u];
        d ^= quads[at + 3u];
    }
    result[id.x] = (a ^ b) ^ (c ^ d);
}
