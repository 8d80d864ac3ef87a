// The K/V cache in f16: four values in two words, rounded to nearest even by integer arithmetic alone.
// Needs: f16_bits_from_f32 (exact_math.wgsl).
alias KvQuad = vec2<u32>;

fn kv_encode(v: vec4<f32>) -> KvQuad {
    return vec2<u32>(
        f16_bits_from_f32(v.x) | (f16_bits_from_f32(v.y) << 16u),
        f16_bits_from_f32(v.z) | (f16_bits_from_f32(v.w) << 16u),
    );
}

fn kv_decode(q: KvQuad) -> vec4<f32> {
    return vec4<f32>(unpack2x16float(q.x), unpack2x16float(q.y));
}
