// q2_32 weights in panels: per block of 32 and row two words of quants as quant::q2_32 packs them (four quads each), and one word with
// d (low half) and m (high half), both f16. value = d * q + m.
// Needs: WBlock (weights_minimum.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block, row in panel / 2]
@group(0) @binding(3) var<storage, read> weight_scales: array<vec4<u32>>;  // [panel, block, row in panel / 4]

const QUANT_BITS: u32 = 2u;

// The words' upper halves of each byte become words of their own.
fn block_of(words: vec2<u32>, d_m: u32) -> WBlock {
    return WBlock(vec4<u32>(words, words >> vec2<u32>(4u)), unpack2x16float(d_m));
}

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    let pair = weights[panel_block * 16u + row / 2u];
    return block_of(select(pair.xy, pair.zw, (row & 1u) == 1u), weight_scales[panel_block * 8u + row / 4u][row % 4u]);
}

fn load_four(panel_block: u32, row: u32) -> array<WBlock, 4> {
    let i = panel_block * 16u + row / 2u;
    let first = weights[i];
    let second = weights[i + 1u];
    let scales = weight_scales[panel_block * 8u + row / 4u];
    return array<WBlock, 4>(
        block_of(first.xy, scales.x), block_of(first.zw, scales.y), block_of(second.xy, scales.z), block_of(second.zw, scales.w),
    );
}
