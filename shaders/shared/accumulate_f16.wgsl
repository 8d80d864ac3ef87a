// Adding in f16, as some engines do in matrix products: a term is rounded to f16, added, and the sum is rounded to f16, to nearest even,
// at every level: inside a block (read_rounded.wgsl), from block to block, from slice to slice. Beyond the range of f16 a sum is infinite.
// Order: as with f32. The integer dot product of int8 activations and quants is exact; its product with the scales is a term.
// The one way to round is by integers, on every device: f16 arithmetic of the device's own is not used.

// Four values to the nearest f16, ties to even: f16_bits_from_f32 (exact_math.wgsl) and back, in fewer steps. A normal f16 keeps 11 bits
// of significand, so the lower 13 are rounded off; a smaller one is a whole number of 2^-24, which is the last bit of a sum with 0.5.
fn round_f16_quad(v: vec4<f32>) -> vec4<f32> {
    let bits = bitcast<vec4<u32>>(v);
    let magnitude = bits & vec4<u32>(0x7FFFFFFFu);
    let odd = (magnitude >> vec4<u32>(13u)) & vec4<u32>(1u);
    let kept = (magnitude + vec4<u32>(0xFFFu) + odd) & vec4<u32>(0xFFFFE000u);
    let normal = select(kept, max(magnitude, vec4<u32>(0x7F800000u)), kept >= vec4<u32>(0x47800000u));
    let steps = bitcast<vec4<u32>>(abs(v) + vec4<f32>(0.5)) - vec4<u32>(0x3F000000u);
    let small = bitcast<vec4<u32>>(vec4<f32>(steps) * vec4<f32>(5.9604644775390625e-8));
    let rounded = select(normal, small, magnitude < vec4<u32>(0x38800000u));
    return bitcast<vec4<f32>>((bits & vec4<u32>(0x80000000u)) | rounded);
}

fn round_f16(v: f32) -> f32 {
    return round_f16_quad(vec4<f32>(v)).x;
}

// One more term of a dot product.
fn add_term(sum: f32, term: f32) -> f32 {
    return round_f16(sum + round_f16(term));
}

// One more slice of four dot products.
fn add_slices(total: vec4<f32>, sums: vec4<f32>) -> vec4<f32> {
    return round_f16_quad(total + sums);
}
