// Arithmetic roofline: eight independent chains of vec4 multiply-adds per thread, ROUNDS long: 64 * ROUNDS operations.
// Order: each chain x * a + b, one after another; the chains are added at the end so that none can be left out.
@group(0) @binding(0) var<storage, read_write> result: array<vec4<f32>>; // [thread]

const ROUNDS: u32 = 2048u;

@compute @workgroup_size(WG_SIZE)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let a = vec4<f32>(0.999, 0.998, 0.997, 0.996);
    let b = vec4<f32>(0.25, 0.5, 0.75, 1.0);
    var x0 = vec4<f32>(f32(id.x));
    var x1 = x0 + 1.0;
    var x2 = x0 + 2.0;
    var x3 = x0 + 3.0;
    var x4 = x0 + 4.0;
    var x5 = x0 + 5.0;
    var x6 = x0 + 6.0;
    var x7 = x0 + 7.0;
    for (var i = 0u; i < ROUNDS; i++) {
        x0 = x0 * a + b;
        x1 = x1 * a + b;
        x2 = x2 * a + b;
        x3 = x3 * a + b;
        x4 = x4 * a + b;
        x5 = x5 * a + b;
        x6 = x6 * a + b;
        x7 = x7 * a + b;
    }
    result[id.x] = ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7));
}
