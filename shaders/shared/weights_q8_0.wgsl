// Q8_0 weights in panels: per block of 32 and row two 16-byte units of int8 quants, and a scale. value = d * q.
// Needs: WQuads, WPairs, load_scale, load_four_scales (weights_scale.wgsl), XInt8, XPairs (blocks.wgsl), add_term
// (accumulate_*.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block, unit 0-1, row in panel]

struct WBlock {
    quants: array<vec4<u32>, 2>,
    d: f32,
}

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    let i = panel_block * 64u + row;
    return WBlock(array<vec4<u32>, 2>(weights[i], weights[i + 32u]), load_scale(panel_block, row));
}

fn load_four(panel_block: u32, row: u32) -> array<WBlock, 4> {
    let i = panel_block * 64u + row;
    let d = load_four_scales(panel_block, row);
    return array<WBlock, 4>(
        WBlock(array<vec4<u32>, 2>(weights[i], weights[i + 32u]), d.x),
        WBlock(array<vec4<u32>, 2>(weights[i + 1u], weights[i + 33u]), d.y),
        WBlock(array<vec4<u32>, 2>(weights[i + 2u], weights[i + 34u]), d.z),
        WBlock(array<vec4<u32>, 2>(weights[i + 3u], weights[i + 35u]), d.w),
    );
}

fn quads_of(w: WBlock) -> WQuads {
    let a = w.quants[0];
    let b = w.quants[1];
    return WQuads(array<vec4<f32>, 8>(
        quad_from_int8(a.x), quad_from_int8(a.y), quad_from_int8(a.z), quad_from_int8(a.w),
        quad_from_int8(b.x), quad_from_int8(b.y), quad_from_int8(b.z), quad_from_int8(b.w),
    ), w.d);
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
    return add_term(sum, (w.d * x.scales.x) * f32(i));
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
    return add_term(sum, (w.d * x.scales.x) * f32((i.x + i.y) + (i.z + i.w)));
}

// One row's values of a block, quad j (elements 4j to 4j+3).
fn weight_quad(w: WBlock, j: u32) -> vec4<f32> {
    return w.d * quad_from_int8(w.quants[j / 4u][j % 4u]);
}
