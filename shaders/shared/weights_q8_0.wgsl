// Q8_0 weights in panels: per block of 32 and row two 16-byte units of int8 quants, and one f16 scale d, two rows to a word. value = d * q.
// Needs: XInt8, XQuads, XF32 (blocks.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block, unit 0-1, row in panel]
@group(0) @binding(3) var<storage, read> weight_scales: array<vec2<u32>>;  // [panel, block, row in panel / 4]

struct WBlock {
    quants: array<vec4<u32>, 2>,
    d: f32,
}

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    let i = panel_block * 64u + row;
    let pair = unpack2x16float(weight_scales[panel_block * 8u + row / 4u][(row / 2u) % 2u]);
    return WBlock(array<vec4<u32>, 2>(weights[i], weights[i + 32u]), select(pair.x, pair.y, (row & 1u) == 1u));
}

fn load_four(panel_block: u32, row: u32) -> array<WBlock, 4> {
    let i = panel_block * 64u + row;
    let scales = weight_scales[panel_block * 8u + row / 4u];
    let d01 = unpack2x16float(scales.x);
    let d23 = unpack2x16float(scales.y);
    return array<WBlock, 4>(
        WBlock(array<vec4<u32>, 2>(weights[i], weights[i + 32u]), d01.x),
        WBlock(array<vec4<u32>, 2>(weights[i + 1u], weights[i + 33u]), d01.y),
        WBlock(array<vec4<u32>, 2>(weights[i + 2u], weights[i + 34u]), d23.x),
        WBlock(array<vec4<u32>, 2>(weights[i + 3u], weights[i + 35u]), d23.y),
    );
}

// Quants as floats.
struct WQuads {
    quads: array<vec4<f32>, 8>,
    d: f32,
}

fn quads_of(w: WBlock) -> WQuads {
    let a = w.quants[0];
    let b = w.quants[1];
    return WQuads(array<vec4<f32>, 8>(
        signed_bytes(a.x), signed_bytes(a.y), signed_bytes(a.z), signed_bytes(a.w),
        signed_bytes(b.x), signed_bytes(b.y), signed_bytes(b.z), signed_bytes(b.w),
    ), w.d);
}

fn signed_bytes(word: u32) -> vec4<f32> {
    let v = bitcast<i32>(word);
    return vec4<f32>(vec4<i32>((v << 24u) >> 24u, (v << 16u) >> 24u, (v << 8u) >> 24u, v >> 24u));
}

// Two quants to a word, 16 bits apart, signs carried over: of quads 0-3 the first and third, the second and fourth, then of quads 4-7.
struct WPairs {
    even: array<vec4<i32>, 2>,
    odd: array<vec4<i32>, 2>,
    d: f32,
}

fn pairs_of_bytes(bytes: vec4<u32>) -> vec4<i32> {
    return bitcast<vec4<i32>>((bytes & vec4<u32>(0x00ff00ffu)) ^ vec4<u32>(0x00800080u)) - vec4<i32>(0x00800080i);
}

fn pairs_of(w: WBlock) -> WPairs {
    let a = w.quants[0];
    let b = w.quants[1];
    return WPairs(
        array<vec4<i32>, 2>(pairs_of_bytes(a), pairs_of_bytes(b)),
        array<vec4<i32>, 2>(pairs_of_bytes(a >> vec4<u32>(8u)), pairs_of_bytes(b >> vec4<u32>(8u))),
        w.d,
    );
}

// Order: the integer dot product is exact; sum + (d * dx) * dot.
fn add_block_int8(sum: f32, w: WBlock, x: XInt8) -> f32 {
    let a = w.quants[0];
    let b = w.quants[1];
    let i = dot4I8Packed(a.x, x.words[0].x) + dot4I8Packed(a.y, x.words[0].y) + dot4I8Packed(a.z, x.words[0].z)
        + dot4I8Packed(a.w, x.words[0].w) + dot4I8Packed(b.x, x.words[1].x) + dot4I8Packed(b.y, x.words[1].y)
        + dot4I8Packed(b.z, x.words[1].z) + dot4I8Packed(b.w, x.words[1].w);
    return sum + (w.d * x.scales.x) * f32(i);
}

// The same without packed dot products. A pair of weights times a pair of activations, (q0 + 65536 q2) * (x2 + 65536 x0), holds
// q0 x0 + q2 x2 in its upper half: one multiplication for two terms. Two terms of at most 128 * 127 fit into such a half, and the
// lower half, below 32768 in size, is rounded off.
fn upper_halves(v: vec4<i32>) -> vec4<i32> {
    return (v + vec4<i32>(32768i)) >> vec4<u32>(16u);
}

fn add_block_pairs(sum: f32, w: WPairs, x: XPairs) -> f32 {
    let low = upper_halves(w.even[0] * x.even[0]) + upper_halves(w.odd[0] * x.odd[0]);
    let high = upper_halves(w.even[1] * x.even[1]) + upper_halves(w.odd[1] * x.odd[1]);
    let i = low + high;
    return sum + (w.d * x.scales.x) * f32((i.x + i.y) + (i.z + i.w));
}

// The same with quants as floats, whose sum of products is below 2^24 and so exact in any order.
fn add_block_quads(sum: f32, w: WQuads, x: XQuads) -> f32 {
    return sum + (w.d * x.scales.x) * sum_quad(dot_quads(w.quads, x.quads));
}

// Order: quads added one after another from zero, then (x + y) + (z + w); sum + d * dot.
fn add_block_f32(sum: f32, w: WQuads, x: XF32) -> f32 {
    return sum + w.d * sum_quad(dot_quads(w.quads, x.quads));
}

// One row's values of a block, quad j (elements 4j to 4j+3).
fn weight_quad(w: WBlock, j: u32) -> vec4<f32> {
    return w.d * signed_bytes(w.quants[j / 4u][j % 4u]);
}
