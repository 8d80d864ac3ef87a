// Blocks of 32 activations as a thread sees them, and what was noted about a block when it was written.

// int8: value = scale * quant. Three forms of one block, for three ways to the same exact integer dot product.
// For packed dot products.
struct XInt8 {
    words: array<vec4<u32>, 2>,  // 32 quants, four to a word
    scales: vec2<f32>,           // dx, dx * (sum of the quants)
}

// For weights of four bits without packed dot products (see add_block_pairs): two quants to a word, the later one plus 65536 times
// the earlier one. Quads 0-3 of the block, then quads 4-7.
struct XPairs {
    even: array<vec4<i32>, 2>,   // first and third quant of each quad
    odd: array<vec4<i32>, 2>,    // second and fourth
    scales: vec2<f32>,
}

// For weights that are floats, or bytes without packed dot products: floats hold such sums exactly.
struct XQuads {
    quads: array<vec4<f32>, 8>,
    scales: vec2<f32>,
}

struct XF32 {
    quads: array<vec4<f32>, 8>,
    sum: f32,                    // of all 32, in the order of sum_quad over the quads' running sum
}

// Beside every activation row: one per block. scales belong to int8 activations; sum_of_squares to rows that carry the residual
// stream on to a norm.
struct BlockInfo {
    scales: vec2<f32>,           // dx, dx * (sum of the quants)
    sum_of_squares: f32,
    unused: f32,
}

fn sum_of_squares(v: vec4<f32>) -> f32 {
    return ((v.x * v.x + v.y * v.y) + v.z * v.z) + v.w * v.w;
}

fn sum_quad(v: vec4<f32>) -> f32 {
    return (v.x + v.y) + (v.z + v.w);
}

fn quad_from_int8(word: u32) -> vec4<f32> {
    let v = bitcast<i32>(word);
    return vec4<f32>(vec4<i32>((v << 24u) >> 24u, (v << 16u) >> 24u, (v << 8u) >> 24u, v >> 24u));
}

// Order: quads of w * x added one after another.
fn dot_quads(w: array<vec4<f32>, 8>, x: array<vec4<f32>, 8>) -> vec4<f32> {
    var dot = w[0] * x[0];
    dot = dot + w[1] * x[1];
    dot = dot + w[2] * x[2];
    dot = dot + w[3] * x[3];
    dot = dot + w[4] * x[4];
    dot = dot + w[5] * x[5];
    dot = dot + w[6] * x[6];
    return dot + w[7] * x[7];
}
