// Q4_1 weights in panels: per block of 32 and row one 16-byte unit of quants (low nibbles are elements 0-15, high nibbles 16-31)
// and one word with d (low half) and m (high half), both f16. value = d * q + m.
// Needs: WBlock (weights_minimum.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block, row in panel]
@group(0) @binding(3) var<storage, read> weight_scales: array<vec4<u32>>;  // [panel, block, row in panel / 4]

const QUANT_BITS: u32 = 4u;

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    return WBlock(weights[panel_block * 32u + row], unpack2x16float(weight_scales[panel_block * 8u + row / 4u][row % 4u]));
}

fn load_four(panel_block: u32, row: u32) -> array<WBlock, 4> {
    let i = panel_block * 32u + row;
    let scales = weight_scales[i / 4u];
    return array<WBlock, 4>(
        WBlock(weights[i], unpack2x16float(scales.x)), WBlock(weights[i + 1u], unpack2x16float(scales.y)),
        WBlock(weights[i + 2u], unpack2x16float(scales.z)), WBlock(weights[i + 3u], unpack2x16float(scales.w)),
    );
}
