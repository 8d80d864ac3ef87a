// What weights with a scale d and a minimum m share (value = d * q + m), once a block's quants lie in four words: byte i of word j holds
// component i of quad j in its lowest QUANT_BITS bits and of quad 4 + j in the QUANT_BITS above. Bits beyond do not matter.
// Needs: QUANT_BITS (weights_q4_1.wgsl, weights_q3_32.wgsl or weights_q2_32.wgsl), XInt8, XPairs, XQuads, XF32
// (blocks.wgsl), add_term (accumulate_*.wgsl). What reads quads or floats adds in f32 alone; for sums in f16 see read_rounded.wgsl.
struct WBlock {
    quants: vec4<u32>,
    d_m: vec2<f32>,
}

const QUANT_MASK: u32 = (1u << QUANT_BITS) - 1u;
const HIGH: vec4<u32> = vec4<u32>(QUANT_BITS);            // shift to the second group of quads
const EACH_BYTE: vec4<u32> = vec4<u32>(QUANT_MASK * 0x01010101u);
const EVERY_OTHER_BYTE: vec4<u32> = vec4<u32>(QUANT_MASK * 0x00010001u);

fn quad_of(word: u32) -> vec4<f32> {
    return vec4<f32>(vec4<u32>(
        word & QUANT_MASK, (word >> 8u) & QUANT_MASK, (word >> 16u) & QUANT_MASK, (word >> 24u) & QUANT_MASK,
    ));
}

// Quants as floats.
struct WQuads {
    quads: array<vec4<f32>, 8>,
    d_m: vec2<f32>,
}

fn quads_of(w: WBlock) -> WQuads {
    let high = w.quants >> HIGH;
    return WQuads(array<vec4<f32>, 8>(
        quad_of(w.quants.x), quad_of(w.quants.y), quad_of(w.quants.z), quad_of(w.quants.w),
        quad_of(high.x), quad_of(high.y), quad_of(high.z), quad_of(high.w),
    ), w.d_m);
}

// Two quants to a word, 16 bits apart: of quads 0-3 the first and third, the second and fourth, then of quads 4-7.
struct WPairs {
    even: array<vec4<i32>, 2>,
    odd: array<vec4<i32>, 2>,
    d_m: vec2<f32>,
}

fn pairs_of(w: WBlock) -> WPairs {
    let odd = w.quants >> vec4<u32>(8u);
    return WPairs(
        array<vec4<i32>, 2>(
            bitcast<vec4<i32>>(w.quants & EVERY_OTHER_BYTE),
            bitcast<vec4<i32>>((w.quants >> HIGH) & EVERY_OTHER_BYTE),
        ),
        array<vec4<i32>, 2>(bitcast<vec4<i32>>(odd & EVERY_OTHER_BYTE), bitcast<vec4<i32>>((odd >> HIGH) & EVERY_OTHER_BYTE)),
        w.d_m,
    );
}

// The sum so far and one block's product, added as two terms one after the other. An expression `(a * b + c * d) + sum` would not keep
// its order: Mesa regroups it into `(a * b + sum) + c * d` (bound.wgsl tells of another habit). What stands here is out of its reach.
// Order: the integer dot product is exact; (sum + (d * dx) * dot) + m * (dx * sum of the activations' quants).
fn add_block_int8(sum: f32, w: WBlock, x: XInt8) -> f32 {
    let low = w.quants & EACH_BYTE;
    let high = (w.quants >> HIGH) & EACH_BYTE;
    let i = dot4I8Packed(low.x, x.words[0].x) + dot4I8Packed(low.y, x.words[0].y) + dot4I8Packed(low.z, x.words[0].z)
        + dot4I8Packed(low.w, x.words[0].w) + dot4I8Packed(high.x, x.words[1].x) + dot4I8Packed(high.y, x.words[1].y)
        + dot4I8Packed(high.z, x.words[1].z) + dot4I8Packed(high.w, x.words[1].w);
    return add_term(add_term(sum, (w.d_m.x * x.scales.x) * f32(i)), w.d_m.y * x.scales.y);
}

// The same without packed dot products. A pair of weights times a pair of activations, (q0 + 65536 q2) * (x2 + 65536 x0), holds
// q0 x0 + q2 x2 in its upper half: one multiplication for two terms. Sixteen terms of at most 15 * 127 fit into such a half, and the
// lower half, below 32768 in size, is rounded off.
fn add_block_pairs(sum: f32, w: WPairs, x: XPairs) -> f32 {
    let low = w.even[0] * x.even[0] + w.odd[0] * x.odd[0];
    let high = w.even[1] * x.even[1] + w.odd[1] * x.odd[1];
    let i = ((((low.x + low.y) + (low.z + low.w)) + 32768i) >> 16u) + ((((high.x + high.y) + (high.z + high.w)) + 32768i) >> 16u);
    return add_term(add_term(sum, (w.d_m.x * x.scales.x) * f32(i)), w.d_m.y * x.scales.y);
}

// The same with quants as floats, whose sum of products is a small integer and so exact in any order.
fn add_block_quads(sum: f32, w: WQuads, x: XQuads) -> f32 {
    return (sum + (w.d_m.x * x.scales.x) * sum_quad(dot_quads(w.quads, x.quads))) + w.d_m.y * x.scales.y;
}

// Order: quads added one after another from zero, then (x + y) + (z + w); the quads' own sum likewise;
// (sum + d * dot) + m * (the quads' sum).
fn add_block_f32(sum: f32, w: WQuads, x: XF32) -> f32 {
    return (sum + w.d_m.x * sum_quad(dot_quads(w.quads, x.quads))) + w.d_m.y * x.sum;
}

// One row's values of a block, quad j (elements 4j to 4j+3).
fn weight_quad(w: WBlock, j: u32) -> vec4<f32> {
    let word = w.quants[j % 4u] >> (QUANT_BITS * (j / 4u));
    return w.d_m.x * quad_of(word) + vec4<f32>(w.d_m.y);
}
