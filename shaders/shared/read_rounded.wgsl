// Weights and activations as f16, for sums in f16 (accumulate_f16.wgsl), wherever one of the two is a float.
// Order: quads of round(weight * activation) added one after another, each sum rounded; round(round(x + y) + round(z + w)); times the
// block's scale, which is 1 for activations that are floats; onto the sum so far. A weight is the f16 nearest to its f32 value, an
// activation the f16 nearest to it, or its quant.
// Needs: READ_GROUPS, READ_LANES, share_quads (lanes_*.wgsl), x_quad, x_scale (x_*.wgsl), weight_quad (weights_*.wgsl), round_f16_quad,
// round_f16, add_term (accumulate_f16.wgsl).
struct XBlock {
    quads: array<vec4<f32>, 8>,
    scale: f32,
}

struct Ready {
    quads: array<vec4<f32>, 8>,
}

fn load_x(row_block: u32, thread: u32) -> XBlock {
    let lane = thread % READ_LANES;
    var own = array<vec4<f32>, READ_GROUPS>();
    for (var g = 0u; g < READ_GROUPS; g++) {
        own[g] = round_f16_quad(x_quad(row_block, g * READ_LANES + lane));
    }
    return XBlock(share_quads(own), x_scale(row_block));
}

fn ready(w: WBlock) -> Ready {
    return Ready(array<vec4<f32>, 8>(
        round_f16_quad(weight_quad(w, 0u)), round_f16_quad(weight_quad(w, 1u)), round_f16_quad(weight_quad(w, 2u)), round_f16_quad(weight_quad(w, 3u)),
        round_f16_quad(weight_quad(w, 4u)), round_f16_quad(weight_quad(w, 5u)), round_f16_quad(weight_quad(w, 6u)), round_f16_quad(weight_quad(w, 7u)),
    ));
}

fn add_block(sum: f32, w: Ready, v: XBlock) -> f32 {
    var dot = round_f16_quad(w.quads[0] * v.quads[0]);
    dot = round_f16_quad(dot + round_f16_quad(w.quads[1] * v.quads[1]));
    dot = round_f16_quad(dot + round_f16_quad(w.quads[2] * v.quads[2]));
    dot = round_f16_quad(dot + round_f16_quad(w.quads[3] * v.quads[3]));
    dot = round_f16_quad(dot + round_f16_quad(w.quads[4] * v.quads[4]));
    dot = round_f16_quad(dot + round_f16_quad(w.quads[5] * v.quads[5]));
    dot = round_f16_quad(dot + round_f16_quad(w.quads[6] * v.quads[6]));
    dot = round_f16_quad(dot + round_f16_quad(w.quads[7] * v.quads[7]));
    return add_term(sum, v.scale * round_f16(round_f16(dot.x + dot.y) + round_f16(dot.z + dot.w)));
}
