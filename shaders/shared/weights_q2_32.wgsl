// q2_32 weights in panels: two words of quants as quant::q2_32 packs them (two_bits.wgsl), four quads each, and scale and minimum.
// value = d * n + m.
const QUANT_ZERO: u32 = 0u;
const QUANTS_SIGNED: bool = false;
const LARGEST_QUANT: u32 = 3u;
const MINIMA: u32 = 1u;

fn quants_of(words: vec2<u32>) -> array<vec4<u32>, 2> {
    let each = vec4<u32>(0x03030303u);
    let four = vec4<u32>(words, words >> vec2<u32>(4u));
    return array<vec4<u32>, 2>(four & each, (four >> vec4<u32>(2u)) & each);
}
