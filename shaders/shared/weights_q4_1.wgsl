// Q4_1 weights in panels: per block of 32 and row one 16-byte unit of quants (low nibbles are elements 0-15, high nibbles 16-31)
// and one word with d (low half) and m (high half), both f16. value = d * q + m.
// Needs: XInt8, XPairs, XQuads, XF32 (blocks.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block, row in panel]
@group(0) @binding(3) var<storage, read> weight_scales: array<vec4<u32>>;  // [panel, block, row in panel / 4]

struct WBlock {
    quants: vec4<u32>,
    d_m: vec2<f32>,
}

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    return WBlock(weights[panel_block * 32u + row], unpack2x16float(weight_scales[panel_block * 8u + row / 4u][row % 4u]));
}

fn load_four(panel_block: u32, row: u32) -> array<WBlock, 4> {
    let i = panel_block * 32u + row;
    let scales = weight_scales[i / 4u];
    return array<WBlock, 4>(
        WBlock(weights[i], unpack2x16float(scales.x)), WBlock(weights[i + 1u], unpack2x16float(scales.y)),
        WBlock(weights[i + 2u], unpack2x16float(scales.z)), WBlock(weights[i + 3u], unpack2x16float(scales.w)),
    );
}

fn nibbles(word: u32) -> vec4<f32> {
    return vec4<f32>(vec4<u32>(word & 15u, (word >> 8u) & 15u, (word >> 16u) & 15u, (word >> 24u) & 15u));
}

// Quants as floats.
struct WQuads {
    quads: array<vec4<f32>, 8>,
    d_m: vec2<f32>,
}

fn quads_of(w: WBlock) -> WQuads {
    return WQuads(array<vec4<f32>, 8>(
        nibbles(w.quants.x), nibbles(w.quants.y), nibbles(w.quants.z), nibbles(w.quants.w),
        nibbles(w.quants.x >> 4u), nibbles(w.quants.y >> 4u), nibbles(w.quants.z >> 4u), nibbles(w.quants.w >> 4u),
    ), w.d_m);
}

// Two quants to a word, 16 bits apart: of quads 0-3 the first and third, the second and fourth, then of quads 4-7.
struct WPairs {
    even: array<vec4<i32>, 2>,
    odd: array<vec4<i32>, 2>,
    d_m: vec2<f32>,
}

fn pairs_of(w: WBlock) -> WPairs {
    let mask = vec4<u32>(0x000f000fu);
    return WPairs(
        array<vec4<i32>, 2>(bitcast<vec4<i32>>(w.quants & mask), bitcast<vec4<i32>>((w.quants >> vec4<u32>(4u)) & mask)),
        array<vec4<i32>, 2>(
            bitcast<vec4<i32>>((w.quants >> vec4<u32>(8u)) & mask),
            bitcast<vec4<i32>>((w.quants >> vec4<u32>(12u)) & mask),
        ),
        w.d_m,
    );
}

// The sum so far and one block's product, added as two terms one after the other. An expression `(a * b + c * d) + sum` would not keep
// its order: Mesa regroups it into `(a * b + sum) + c * d` (bound.wgsl tells of another habit). What stands here is out of its reach.
// Order: the integer dot product is exact; (sum + (d * dx) * dot) + m * (dx * sum of the activations' quants).
fn add_block_int8(sum: f32, w: WBlock, x: XInt8) -> f32 {
    let low = w.quants & vec4<u32>(0x0f0f0f0fu);
    let high = (w.quants >> vec4<u32>(4u)) & vec4<u32>(0x0f0f0f0fu);
    let i = dot4I8Packed(low.x, x.words[0].x) + dot4I8Packed(low.y, x.words[0].y) + dot4I8Packed(low.z, x.words[0].z)
        + dot4I8Packed(low.w, x.words[0].w) + dot4I8Packed(high.x, x.words[1].x) + dot4I8Packed(high.y, x.words[1].y)
        + dot4I8Packed(high.z, x.words[1].z) + dot4I8Packed(high.w, x.words[1].w);
    return (sum + (w.d_m.x * x.scales.x) * f32(i)) + w.d_m.y * x.scales.y;
}

// The same without packed dot products. A pair of weights times a pair of activations, (q0 + 65536 q2) * (x2 + 65536 x0), holds
// q0 x0 + q2 x2 in its upper half: one multiplication for two terms. Sixteen terms of at most 15 * 127 fit into such a half, and the
// lower half, below 32768 in size, is rounded off.
fn add_block_pairs(sum: f32, w: WPairs, x: XPairs) -> f32 {
    let low = w.even[0] * x.even[0] + w.odd[0] * x.odd[0];
    let high = w.even[1] * x.even[1] + w.odd[1] * x.odd[1];
    let i = ((((low.x + low.y) + (low.z + low.w)) + 32768i) >> 16u) + ((((high.x + high.y) + (high.z + high.w)) + 32768i) >> 16u);
    return (sum + (w.d_m.x * x.scales.x) * f32(i)) + w.d_m.y * x.scales.y;
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
    let word = w.quants[j % 4u] >> (4u * (j / 4u));
    return w.d_m.x * nibbles(word) + vec4<f32>(w.d_m.y);
}
