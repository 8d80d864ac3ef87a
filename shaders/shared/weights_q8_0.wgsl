// Q8_0 weights in panels: per block of 32 and row two 16-byte units of int8 quants, and one f16 scale d, two rows to a word. value = d * q.
// Needs: XInt8, XF32 (blocks.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block, unit 0-1, row in panel]
@group(0) @binding(3) var<storage, read> weight_scales: array<u32>;  // [panel, block, row in panel / 2]

struct WBlock {
    quants: array<vec4<u32>, 2>,
    d: f32,
}

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    let i = panel_block * 64u + row;
    let pair = unpack2x16float(weight_scales[panel_block * 16u + row / 2u]);
    return WBlock(array<vec4<u32>, 2>(weights[i], weights[i + 32u]), select(pair.x, pair.y, (row & 1u) == 1u));
}

fn signed_bytes(word: u32) -> vec4<f32> {
    let v = bitcast<i32>(word);
    return vec4<f32>(vec4<i32>((v << 24u) >> 24u, (v << 16u) >> 24u, (v << 8u) >> 24u, v >> 24u));
}

// Order: the integer dot product is exact; sum + (d * dx) * dot.
fn add_block_int8(sum: f32, w: WBlock, x: XInt8) -> f32 {
    let a = w.quants[0];
    let b = w.quants[1];
    let i = dot4I8Packed(a.x, x.words[0].x) + dot4I8Packed(a.y, x.words[0].y) + dot4I8Packed(a.z, x.words[0].z)
        + dot4I8Packed(a.w, x.words[0].w) + dot4I8Packed(b.x, x.words[1].x) + dot4I8Packed(b.y, x.words[1].y)
        + dot4I8Packed(b.z, x.words[1].z) + dot4I8Packed(b.w, x.words[1].w);
    return sum + (w.d * x.scale) * f32(i);
}

// Order: quads added one after another from zero, then (x + y) + (z + w); sum + d * dot.
fn add_block_f32(sum: f32, w: WBlock, x: XF32) -> f32 {
    var dot = signed_bytes(w.quants[0].x) * x.quads[0];
    dot = dot + signed_bytes(w.quants[0].y) * x.quads[1];
    dot = dot + signed_bytes(w.quants[0].z) * x.quads[2];
    dot = dot + signed_bytes(w.quants[0].w) * x.quads[3];
    dot = dot + signed_bytes(w.quants[1].x) * x.quads[4];
    dot = dot + signed_bytes(w.quants[1].y) * x.quads[5];
    dot = dot + signed_bytes(w.quants[1].z) * x.quads[6];
    dot = dot + signed_bytes(w.quants[1].w) * x.quads[7];
    return sum + w.d * sum_quad(dot);
}

// One row's values of a block, quad j (elements 4j to 4j+3).
fn weight_quad(w: WBlock, j: u32) -> vec4<f32> {
    return w.d * signed_bytes(w.quants[j / 4u][j % 4u]);
}
