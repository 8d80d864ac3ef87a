// Q2_K weights in panels: two words of bit pairs (two_bits.wgsl), and for each half a byte with scale (low nibble) and minimum (high
// nibble), which are times what the super-block of 256 has. value = d * (scale * n) - dmin * minimum.
// Needs: Scale (weights_quants.wgsl), bit_pairs (unpack.wgsl).
const QUANT_ZERO: u32 = 0u;
const QUANTS_SIGNED: bool = false;
const LARGEST_QUANT: u32 = 3u;
const MINIMA: u32 = 2u;

fn scale_of(head: u32, bytes: u32) -> Scale {
    let d = unpack2x16float(head);
    let minima = vec2<f32>(f32((bytes >> 4u) & 15u), f32(bytes >> 12u));
    return Scale(d.x, vec2<i32>(vec2<u32>(bytes & 15u, (bytes >> 8u) & 15u)), -(d.y * minima));
}

fn quants_of(words: vec2<u32>) -> array<vec4<u32>, 2> {
    return bit_pairs(words);
}
