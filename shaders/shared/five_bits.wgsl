// Weights of five bits in panels: per block of 32 and row one 16-byte unit of nibbles, and a word of upper bits.
// Needs: WBlock, Scale (weights_quants.wgsl), load_scale, load_four_scales (scale_*.wgsl), nibbles, bits, with_upper (unpack.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block: row in panel of nibbles, then row in panel / 4 of upper bits]

const UNITS: u32 = 40u;  // from one block to the next

fn block_of(unit: vec4<u32>, upper: u32, scale: Scale) -> WBlock {
    return WBlock(with_upper(nibbles(unit), bits(upper), 4u), scale);
}

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    let first = panel_block * UNITS;
    return block_of(weights[first + row], weights[first + 32u + row / 4u][row % 4u], load_scale(panel_block, row));
}

fn load_four(panel_block: u32, row: u32) -> array<WBlock, 4> {
    let i = panel_block * UNITS + row;
    let upper = weights[panel_block * UNITS + 32u + row / 4u];
    let scales = load_four_scales(panel_block, row);
    return array<WBlock, 4>(
        block_of(weights[i], upper.x, scales[0]), block_of(weights[i + 1u], upper.y, scales[1]),
        block_of(weights[i + 2u], upper.z, scales[2]), block_of(weights[i + 3u], upper.w, scales[3]),
    );
}
