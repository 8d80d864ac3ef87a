// Weights of four bits in panels: per block of 32 and row one 16-byte unit of nibbles.
// Needs: WBlock (weights_quants.wgsl), load_scale, load_four_scales (scale_*.wgsl), quants_of (weights_*.wgsl or table.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block, row in panel]

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    return WBlock(quants_of(weights[panel_block * 32u + row]), load_scale(panel_block, row));
}

fn load_four(panel_block: u32, row: u32) -> array<WBlock, 4> {
    let i = panel_block * 32u + row;
    let scales = load_four_scales(panel_block, row);
    return array<WBlock, 4>(
        WBlock(quants_of(weights[i]), scales[0]), WBlock(quants_of(weights[i + 1u]), scales[1]),
        WBlock(quants_of(weights[i + 2u]), scales[2]), WBlock(quants_of(weights[i + 3u]), scales[3]),
    );
}
