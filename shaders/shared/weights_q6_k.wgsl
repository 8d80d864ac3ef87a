// Q6_K weights in panels: per block of 32 and row one 16-byte unit of nibbles, two words of upper bit pairs, and a signed byte of scale
// for each half, which is times what the super-block of 256 has. value = d * (scale * (n - 32)).
// Needs: WBlock, Scale (weights_quants.wgsl), load_scale, load_four_scales (scale_k_halves.wgsl), nibbles, bit_pairs, with_upper
// (unpack.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block: row in panel of nibbles, then row in panel / 2 of upper bits]

const QUANT_ZERO: u32 = 32u;
const QUANTS_SIGNED: bool = false;
const LARGEST_QUANT: u32 = 32u;
const MINIMA: u32 = 0u;
const UNITS: u32 = 48u;  // from one block to the next

fn block_of(unit: vec4<u32>, upper: vec2<u32>, scale: Scale) -> WBlock {
    return WBlock(with_upper(nibbles(unit), bit_pairs(upper), 4u), scale);
}

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    let first = panel_block * UNITS;
    let pair = weights[first + 32u + row / 2u];
    return block_of(weights[first + row], select(pair.xy, pair.zw, (row & 1u) == 1u), load_scale(panel_block, row));
}

fn load_four(panel_block: u32, row: u32) -> array<WBlock, 4> {
    let i = panel_block * UNITS + row;
    let upper = panel_block * UNITS + 32u + row / 2u;
    let first = weights[upper];
    let second = weights[upper + 1u];
    let scales = load_four_scales(panel_block, row);
    return array<WBlock, 4>(
        block_of(weights[i], first.xy, scales[0]), block_of(weights[i + 1u], first.zw, scales[1]),
        block_of(weights[i + 2u], second.xy, scales[2]), block_of(weights[i + 3u], second.zw, scales[3]),
    );
}
