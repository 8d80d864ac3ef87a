// One f16 scale a block, two rows to a word.
// Needs: Scale (weights_quants.wgsl).
@group(0) @binding(3) var<storage, read> weight_scales: array<vec2<u32>>;  // [panel, block, row in panel / 4]

fn scale_of(d: f32) -> Scale {
    return Scale(d, vec2<i32>(1i), vec2<f32>(0.0));
}

fn load_scale(panel_block: u32, row: u32) -> Scale {
    let pair = unpack2x16float(weight_scales[panel_block * 8u + row / 4u][(row / 2u) % 2u]);
    return scale_of(select(pair.x, pair.y, (row & 1u) == 1u));
}

fn load_four_scales(panel_block: u32, row: u32) -> array<Scale, 4> {
    let words = weight_scales[panel_block * 8u + row / 4u];
    let first = unpack2x16float(words.x);
    let second = unpack2x16float(words.y);
    return array<Scale, 4>(scale_of(first.x), scale_of(first.y), scale_of(second.x), scale_of(second.y));
}
