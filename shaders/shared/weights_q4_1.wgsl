// Q4_1 weights in panels: per block of 32 and row one 16-byte unit of quants (low nibbles are elements 0-15, high nibbles 16-31)
// and one word with d (low half) and m (high half), both f16. value = d * q + m.
// Needs: XInt8, XF32 (blocks.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block, row in panel]
@group(0) @binding(3) var<storage, read> weight_scales: array<u32>;  // [panel, block, row in panel]

struct WBlock {
    quants: vec4<u32>,
    d_m: vec2<f32>,
}

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    let i = panel_block * 32u + row;
    return WBlock(weights[i], unpack2x16float(weight_scales[i]));
}

fn nibbles(word: u32) -> vec4<f32> {
    return vec4<f32>(vec4<u32>(word & 15u, (word >> 8u) & 15u, (word >> 16u) & 15u, (word >> 24u) & 15u));
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
    return (sum + (w.d_m.x * x.scale) * f32(i)) + w.d_m.y * x.scaled_sum;
}

// Order: quads added one after another from zero, then (x + y) + (z + w); the quads' own sum likewise;
// (sum + d * dot) + m * (the quads' sum).
fn add_block_f32(sum: f32, w: WBlock, x: XF32) -> f32 {
    var dot = nibbles(w.quants.x) * x.quads[0];
    dot = dot + nibbles(w.quants.y) * x.quads[1];
    dot = dot + nibbles(w.quants.z) * x.quads[2];
    dot = dot + nibbles(w.quants.w) * x.quads[3];
    dot = dot + nibbles(w.quants.x >> 4u) * x.quads[4];
    dot = dot + nibbles(w.quants.y >> 4u) * x.quads[5];
    dot = dot + nibbles(w.quants.z >> 4u) * x.quads[6];
    dot = dot + nibbles(w.quants.w >> 4u) * x.quads[7];
    return (sum + w.d_m.x * sum_quad(dot)) + w.d_m.y * x.sum;
}

// One row's values of a block, quad j (elements 4j to 4j+3).
fn weight_quad(w: WBlock, j: u32) -> vec4<f32> {
    let word = w.quants[j % 4u] >> (4u * (j / 4u));
    return w.d_m.x * nibbles(word) + vec4<f32>(w.d_m.y);
}
