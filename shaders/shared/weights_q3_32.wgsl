// q3_32 weights in panels: per block of 32 and row one 16-byte unit, of which the first word holds d (low half) and m (high half), both
// f16, and the others the quants as quant::q3_32 packs them: two whole quads each, and in the spare bits 6 and 7 of every byte what makes
// a fourth word. value = d * q + m.
// Needs: WBlock (weights_minimum.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block, row in panel]

const QUANT_BITS: u32 = 3u;

fn block_of(unit: vec4<u32>) -> WBlock {
    let low_bits = ((unit.y >> 6u) & 0x03030303u) | ((unit.z >> 3u) & 0x18181818u);
    let high_bits = ((unit.w >> 4u) & 0x04040404u) | ((unit.w >> 2u) & 0x20202020u);
    return WBlock(vec4<u32>(unit.yzw, low_bits | high_bits), unpack2x16float(unit.x));
}

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    return block_of(weights[panel_block * 32u + row]);
}

fn load_four(panel_block: u32, row: u32) -> array<WBlock, 4> {
    let i = panel_block * 32u + row;
    return array<WBlock, 4>(block_of(weights[i]), block_of(weights[i + 1u]), block_of(weights[i + 2u]), block_of(weights[i + 3u]));
}
