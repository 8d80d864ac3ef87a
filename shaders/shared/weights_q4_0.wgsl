// Q4_0 weights in panels: per block of 32 and row one 16-byte unit of quants (low nibbles are elements 0-15, high nibbles 16-31), and a
// scale. A nibble n stands for the quant n - 8. value = d * q.
// Needs: WQuads, WPairs, load_scale, load_four_scales (weights_scale.wgsl), XInt8, XPairs (blocks.wgsl), add_term
// (accumulate_*.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block, row in panel]

struct WBlock {
    nibbles: vec4<u32>,
    d: f32,
}

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    return WBlock(weights[panel_block * 32u + row], load_scale(panel_block, row));
}

fn load_four(panel_block: u32, row: u32) -> array<WBlock, 4> {
    let i = panel_block * 32u + row;
    let d = load_four_scales(panel_block, row);
    return array<WBlock, 4>(
        WBlock(weights[i], d.x), WBlock(weights[i + 1u], d.y), WBlock(weights[i + 2u], d.z), WBlock(weights[i + 3u], d.w),
    );
}

// Quants of the low nibbles.
fn quad_of(word: u32) -> vec4<f32> {
    let n = vec4<u32>(word & 15u, (word >> 8u) & 15u, (word >> 16u) & 15u, (word >> 24u) & 15u);
    return vec4<f32>(bitcast<vec4<i32>>(n) - vec4<i32>(8i));
}

fn quads_of(w: WBlock) -> WQuads {
    let high = w.nibbles >> vec4<u32>(4u);
    return WQuads(array<vec4<f32>, 8>(
        quad_of(w.nibbles.x), quad_of(w.nibbles.y), quad_of(w.nibbles.z), quad_of(w.nibbles.w),
        quad_of(high.x), quad_of(high.y), quad_of(high.z), quad_of(high.w),
    ), w.d);
}

fn pairs_of_nibbles(nibbles: vec4<u32>) -> vec4<i32> {
    return bitcast<vec4<i32>>(nibbles & vec4<u32>(0x000f000fu)) - vec4<i32>(0x00080008i);
}

fn pairs_of(w: WBlock) -> WPairs {
    return WPairs(
        array<vec4<i32>, 2>(pairs_of_nibbles(w.nibbles), pairs_of_nibbles(w.nibbles >> vec4<u32>(4u))),
        array<vec4<i32>, 2>(pairs_of_nibbles(w.nibbles >> vec4<u32>(8u)), pairs_of_nibbles(w.nibbles >> vec4<u32>(12u))),
        w.d,
    );
}

// Low nibbles as signed bytes: no byte borrows from its neighbour, and the upper bit comes right at the end.
fn bytes_of_nibbles(nibbles: vec4<u32>) -> vec4<u32> {
    return (((nibbles & vec4<u32>(0x0f0f0f0fu)) | vec4<u32>(0x80808080u)) - vec4<u32>(0x08080808u)) ^ vec4<u32>(0x80808080u);
}

// Order: the integer dot product is exact; sum + (d * dx) * dot.
fn add_block_int8(sum: f32, w: WBlock, x: XInt8) -> f32 {
    let a = bytes_of_nibbles(w.nibbles);
    let b = bytes_of_nibbles(w.nibbles >> vec4<u32>(4u));
    let i = dot4I8Packed(a.x, x.words[0].x) + dot4I8Packed(a.y, x.words[0].y) + dot4I8Packed(a.z, x.words[0].z)
        + dot4I8Packed(a.w, x.words[0].w) + dot4I8Packed(b.x, x.words[1].x) + dot4I8Packed(b.y, x.words[1].y)
        + dot4I8Packed(b.z, x.words[1].z) + dot4I8Packed(b.w, x.words[1].w);
    return add_term(sum, (w.d * x.scales.x) * f32(i));
}

// The same without packed dot products. A pair of weights times a pair of activations, (q0 + 65536 q2) * (x2 + 65536 x0), holds
// q0 x0 + q2 x2 in its upper half: one multiplication for two terms. Sixteen terms of at most 8 * 127 fit into such a half, and the
// lower half, below 32768 in size, is rounded off.
fn add_block_pairs(sum: f32, w: WPairs, x: XPairs) -> f32 {
    let low = w.even[0] * x.even[0] + w.odd[0] * x.odd[0];
    let high = w.even[1] * x.even[1] + w.odd[1] * x.odd[1];
    let i = ((((low.x + low.y) + (low.z + low.w)) + 32768i) >> 16u) + ((((high.x + high.y) + (high.z + high.w)) + 32768i) >> 16u);
    return add_term(sum, (w.d * x.scales.x) * f32(i));
}

// One row's values of a block, quad j (elements 4j to 4j+3).
fn weight_quad(w: WBlock, j: u32) -> vec4<f32> {
    return w.d * quad_of(w.nibbles[j % 4u] >> (4u * (j / 4u)));
}
