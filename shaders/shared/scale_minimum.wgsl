// One word a block: scale d (low half) and minimum m (high half), both f16.
// Needs: Scale (weights_quants.wgsl).
@group(0) @binding(3) var<storage, read> weight_scales: array<vec4<u32>>;  // [panel, block, row in panel / 4]

fn scale_of(d_m: u32) -> Scale {
    let d = unpack2x16float(d_m);
    return Scale(d.x, vec2<i32>(1i), vec2<f32>(d.y, 0.0));
}

fn load_scale(panel_block: u32, row: u32) -> Scale {
    return scale_of(weight_scales[panel_block * 8u + row / 4u][row % 4u]);
}

fn load_four_scales(panel_block: u32, row: u32) -> array<Scale, 4> {
    let words = weight_scales[panel_block * 8u + row / 4u];
    return array<Scale, 4>(scale_of(words.x), scale_of(words.y), scale_of(words.z), scale_of(words.w));
}
