// Weights of two bits in panels: per block of 32 and row two words.
// Needs: WBlock (weights_quants.wgsl), load_scale, load_four_scales (scale_*.wgsl), quants_of (weights_*.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block, row in panel / 2]

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    let pair = weights[panel_block * 16u + row / 2u];
    return WBlock(quants_of(select(pair.xy, pair.zw, (row & 1u) == 1u)), load_scale(panel_block, row));
}

fn load_four(panel_block: u32, row: u32) -> array<WBlock, 4> {
    let i = panel_block * 16u + row / 2u;
    let first = weights[i];
    let second = weights[i + 1u];
    let scales = load_four_scales(panel_block, row);
    return array<WBlock, 4>(
        WBlock(quants_of(first.xy), scales[0]), WBlock(quants_of(first.zw), scales[1]),
        WBlock(quants_of(second.xy), scales[2]), WBlock(quants_of(second.zw), scales[3]),
    );
}
