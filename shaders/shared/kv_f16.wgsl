// The K/V cache in f16: two values to a word, rounded to nearest even by integer arithmetic alone. Written by quads, read by octets.
// Needs: f16_bits_from_f32 (exact_math.wgsl).
alias KvQuad = vec2<u32>;
alias KvOctet = vec4<u32>;

fn kv_encode(v: vec4<f32>) -> KvQuad {
    return vec2<u32>(
        f16_bits_from_f32(v.x) | (f16_bits_from_f32(v.y) << 16u),
        f16_bits_from_f32(v.z) | (f16_bits_from_f32(v.w) << 16u),
    );
}

fn first_quad(o: KvOctet) -> vec4<f32> {
    return vec4<f32>(unpack2x16float(o.x), unpack2x16float(o.y));
}

fn second_quad(o: KvOctet) -> vec4<f32> {
    return vec4<f32>(unpack2x16float(o.z), unpack2x16float(o.w));
}
