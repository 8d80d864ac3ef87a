// What F16 and F32 weights share once they are f32 quads.
// Needs: WBlock with quads (weights_f16.wgsl or weights_f32.wgsl), XInt8, XQuads, XF32, quad_from_int8, dot_quads (blocks.wgsl).

fn load_four(panel_block: u32, row: u32) -> array<WBlock, 4> {
    return array<WBlock, 4>(
        load_weights(panel_block, row), load_weights(panel_block, row + 1u),
        load_weights(panel_block, row + 2u), load_weights(panel_block, row + 3u),
    );
}

alias WQuads = WBlock;

fn quads_of(w: WBlock) -> WQuads {
    return w;
}

// Order: quads of weight * quant added one after another from zero, then (x + y) + (z + w); sum + dx * dot.
fn add_block_quads(sum: f32, w: WQuads, x: XQuads) -> f32 {
    return sum + x.scales.x * sum_quad(dot_quads(w.quads, x.quads));
}

// The same, quants unpacked here.
fn add_block_int8(sum: f32, w: WBlock, x: XInt8) -> f32 {
    let quads = array<vec4<f32>, 8>(
        quad_from_int8(x.words[0].x), quad_from_int8(x.words[0].y), quad_from_int8(x.words[0].z), quad_from_int8(x.words[0].w),
        quad_from_int8(x.words[1].x), quad_from_int8(x.words[1].y), quad_from_int8(x.words[1].z), quad_from_int8(x.words[1].w),
    );
    return add_block_quads(sum, w, XQuads(quads, x.scales));
}

// Order: quads added one after another from zero, then (x + y) + (z + w); sum + dot.
fn add_block_f32(sum: f32, w: WQuads, x: XF32) -> f32 {
    return sum + sum_quad(dot_quads(w.quads, x.quads));
}

// One row's values of a block, quad j (elements 4j to 4j+3).
fn weight_quad(w: WBlock, j: u32) -> vec4<f32> {
    var quads = w.quads;
    return quads[j];
}
