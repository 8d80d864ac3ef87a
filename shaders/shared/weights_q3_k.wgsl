// Q3_K weights in panels: per block of 32 and row two words of bit pairs, a word of upper bits, and a signed byte of scale for each half,
// which is times what the super-block of 256 has. value = d * (scale * (n - 4)).
// Needs: WBlock, Scale (weights_quants.wgsl), load_scale, load_four_scales (scale_k_halves.wgsl), bit_pairs, bits, with_upper
// (unpack.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block: row in panel / 2 of bit pairs, then row in panel / 4 of upper bits]

const QUANT_ZERO: u32 = 4u;
const QUANTS_SIGNED: bool = false;
const LARGEST_QUANT: u32 = 4u;
const MINIMA: u32 = 0u;
const UNITS: u32 = 24u;  // from one block to the next

fn block_of(pairs: vec2<u32>, upper: u32, scale: Scale) -> WBlock {
    return WBlock(with_upper(bit_pairs(pairs), bits(upper), 2u), scale);
}

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    let first = panel_block * UNITS;
    let pair = weights[first + row / 2u];
    let upper = weights[first + 16u + row / 4u][row % 4u];
    return block_of(select(pair.xy, pair.zw, (row & 1u) == 1u), upper, load_scale(panel_block, row));
}

fn load_four(panel_block: u32, row: u32) -> array<WBlock, 4> {
    let i = panel_block * UNITS + row / 2u;
    let first = weights[i];
    let second = weights[i + 1u];
    let upper = weights[panel_block * UNITS + 16u + row / 4u];
    let scales = load_four_scales(panel_block, row);
    return array<WBlock, 4>(
        block_of(first.xy, upper.x, scales[0]), block_of(first.zw, upper.y, scales[1]),
        block_of(second.xy, upper.z, scales[2]), block_of(second.zw, upper.w, scales[3]),
    );
}
