// q3_32 weights in panels: per block of 32 and row one 16-byte unit, of which the first word holds d (low half) and m (high half), both
// f16, and the others the quants as quant::q3_32 packs them: two whole quads each, and in the spare bits 6 and 7 of every byte what makes
// a fourth word. value = d * n + m.
// Needs: WBlock, Scale (weights_quants.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block, row in panel]

const QUANT_ZERO: u32 = 0u;
const QUANTS_SIGNED: bool = false;
const LARGEST_QUANT: u32 = 7u;
const MINIMA: u32 = 1u;

fn block_of(unit: vec4<u32>) -> WBlock {
    let low_bits = ((unit.y >> 6u) & 0x03030303u) | ((unit.z >> 3u) & 0x18181818u);
    let high_bits = ((unit.w >> 4u) & 0x04040404u) | ((unit.w >> 2u) & 0x20202020u);
    let four = vec4<u32>(unit.yzw, low_bits | high_bits);
    let each = vec4<u32>(0x07070707u);
    let d_m = unpack2x16float(unit.x);
    return WBlock(
        array<vec4<u32>, 2>(four & each, (four >> vec4<u32>(3u)) & each), Scale(d_m.x, vec2<i32>(1i), vec2<f32>(d_m.y, 0.0)),
    );
}

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    return block_of(weights[panel_block * 32u + row]);
}

fn load_four(panel_block: u32, row: u32) -> array<WBlock, 4> {
    let i = panel_block * 32u + row;
    return array<WBlock, 4>(block_of(weights[i]), block_of(weights[i + 1u]), block_of(weights[i + 2u]), block_of(weights[i + 3u]));
}
