// What F16 and F32 weights share once they are f32 quads.
// Needs: WBlock with quads (weights_f16.wgsl or weights_f32.wgsl), XInt8, XF32, signed quads (blocks.wgsl).

// Order: quads of weight * quant added one after another from zero, then (x + y) + (z + w); sum + dx * dot.
fn add_block_int8(sum: f32, w: WBlock, x: XInt8) -> f32 {
    var dot = w.quads[0] * quad_from_int8(x.words[0].x);
    dot = dot + w.quads[1] * quad_from_int8(x.words[0].y);
    dot = dot + w.quads[2] * quad_from_int8(x.words[0].z);
    dot = dot + w.quads[3] * quad_from_int8(x.words[0].w);
    dot = dot + w.quads[4] * quad_from_int8(x.words[1].x);
    dot = dot + w.quads[5] * quad_from_int8(x.words[1].y);
    dot = dot + w.quads[6] * quad_from_int8(x.words[1].z);
    dot = dot + w.quads[7] * quad_from_int8(x.words[1].w);
    return sum + x.scale * sum_quad(dot);
}

// Order: quads added one after another from zero, then (x + y) + (z + w); sum + dot.
fn add_block_f32(sum: f32, w: WBlock, x: XF32) -> f32 {
    var dot = w.quads[0] * x.quads[0];
    dot = dot + w.quads[1] * x.quads[1];
    dot = dot + w.quads[2] * x.quads[2];
    dot = dot + w.quads[3] * x.quads[3];
    dot = dot + w.quads[4] * x.quads[4];
    dot = dot + w.quads[5] * x.quads[5];
    dot = dot + w.quads[6] * x.quads[6];
    dot = dot + w.quads[7] * x.quads[7];
    return sum + sum_quad(dot);
}

// One row's values of a block, quad j (elements 4j to 4j+3).
fn weight_quad(w: WBlock, j: u32) -> vec4<f32> {
    var quads = w.quads;
    return quads[j];
}
