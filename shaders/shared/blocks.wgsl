// Blocks of 32 activations as a thread sees them, and what was noted about a block when it was written.

// int8: value = scale * quant.
struct XInt8 {
    words: array<vec4<u32>, 2>,  // 32 quants, four to a word
    scale: f32,                  // dx
    scaled_sum: f32,             // dx * (sum of the quants)
}

struct XF32 {
    quads: array<vec4<f32>, 8>,
    sum: f32,                    // of all 32, in the order of sum_quad over the quads' running sum
}

// Beside every activation row: one per block. scale and scaled_sum belong to int8 activations; sum_of_squares to rows that carry
// the residual stream on to a norm.
struct BlockInfo {
    scale: f32,
    scaled_sum: f32,
    sum_of_squares: f32,
    unused: f32,
}

fn sum_quad(v: vec4<f32>) -> f32 {
    return (v.x + v.y) + (v.z + v.w);
}

fn quad_from_int8(word: u32) -> vec4<f32> {
    let v = bitcast<i32>(word);
    return vec4<f32>(vec4<i32>((v << 24u) >> 24u, (v << 16u) >> 24u, (v << 8u) >> 24u, v >> 24u));
}
