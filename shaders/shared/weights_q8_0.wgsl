// Q8_0 weights in panels: per block of 32 and row two 16-byte units of signed bytes, and a scale. value = d * q.
// Needs: WBlock (weights_quants.wgsl), load_scale, load_four_scales (scale_f16.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block, unit 0-1, row in panel]

const QUANT_ZERO: u32 = 0u;
const QUANTS_SIGNED: bool = true;
const LARGEST_QUANT: u32 = 128u;
const MINIMA: u32 = 0u;

fn block_at(i: u32, scale: Scale) -> WBlock {
    return WBlock(array<vec4<u32>, 2>(weights[i], weights[i + 32u]), scale);
}

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    return block_at(panel_block * 64u + row, load_scale(panel_block, row));
}

fn load_four(panel_block: u32, row: u32) -> array<WBlock, 4> {
    let i = panel_block * 64u + row;
    let scales = load_four_scales(panel_block, row);
    return array<WBlock, 4>(
        block_at(i, scales[0]), block_at(i + 1u, scales[1]), block_at(i + 2u, scales[2]), block_at(i + 3u, scales[3]),
    );
}
