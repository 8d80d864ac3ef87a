// What Q8_0 and Q4_0 share: one f16 scale d a block, two rows to a word, and signed quants. value = d * q.
// Needs: XPairs, XQuads, XF32, sum_quad, dot_quads (blocks.wgsl). What reads quads or floats adds in f32 alone; for sums in f16 see
// read_rounded.wgsl.
@group(0) @binding(3) var<storage, read> weight_scales: array<vec2<u32>>;  // [panel, block, row in panel / 4]

fn load_scale(panel_block: u32, row: u32) -> f32 {
    let pair = unpack2x16float(weight_scales[panel_block * 8u + row / 4u][(row / 2u) % 2u]);
    return select(pair.x, pair.y, (row & 1u) == 1u);
}

fn load_four_scales(panel_block: u32, row: u32) -> vec4<f32> {
    let words = weight_scales[panel_block * 8u + row / 4u];
    return vec4<f32>(unpack2x16float(words.x), unpack2x16float(words.y));
}

// Quants as floats.
struct WQuads {
    quads: array<vec4<f32>, 8>,
    d: f32,
}

// Two quants to a word, 16 bits apart, signs carried over: of quads 0-3 the first and third, the second and fourth, then of quads 4-7.
struct WPairs {
    even: array<vec4<i32>, 2>,
    odd: array<vec4<i32>, 2>,
    d: f32,
}

// Quants as floats, whose sum of products is below 2^24 and so exact in any order.
// Order: sum + (d * dx) * dot, as add_block_int8 and add_block_pairs.
fn add_block_quads(sum: f32, w: WQuads, x: XQuads) -> f32 {
    return sum + (w.d * x.scales.x) * sum_quad(dot_quads(w.quads, x.quads));
}

// Order: quads added one after another from zero, then (x + y) + (z + w); sum + d * dot.
fn add_block_f32(sum: f32, w: WQuads, x: XF32) -> f32 {
    return sum + w.d * sum_quad(dot_quads(w.quads, x.quads));
}
