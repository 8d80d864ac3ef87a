// MXFP4 weights in panels: nibbles (four_bits.wgsl) that stand for entries of a table, and a byte of exponent.
// value = 2^(e - 128) * TABLE[n].
// Needs: Scale (weights_quants.wgsl).
@group(0) @binding(3) var<storage, read> weight_scales: array<u32>;  // [panel, block, row in panel / 4]

// Twice what the floats of four bits are: 0 1 2 3 4 6 8 12, then their opposites, as signed bytes.
const TABLE: array<u32, 16> = array<u32, 16>(
    0x00u, 0x01u, 0x02u, 0x03u, 0x04u, 0x06u, 0x08u, 0x0cu, 0x00u, 0xffu, 0xfeu, 0xfdu, 0xfcu, 0xfau, 0xf8u, 0xf4u,
);

const QUANT_ZERO: u32 = 0u;
const QUANTS_SIGNED: bool = true;
const LARGEST_QUANT: u32 = 12u;
const MINIMA: u32 = 0u;

// Byte 0 of a word. The two smallest powers are subnormal.
fn scale_of(word: u32) -> Scale {
    let e = word & 255u;
    let bits = select((max(e, 1u) - 1u) << 23u, 0x00200000u << min(e, 1u), e < 2u);
    return Scale(bitcast<f32>(bits), vec2<i32>(1i), vec2<f32>(0.0));
}

fn load_scale(panel_block: u32, row: u32) -> Scale {
    return scale_of(weight_scales[panel_block * 8u + row / 4u] >> (8u * (row % 4u)));
}

fn load_four_scales(panel_block: u32, row: u32) -> array<Scale, 4> {
    let word = weight_scales[panel_block * 8u + row / 4u];
    return array<Scale, 4>(scale_of(word), scale_of(word >> 8u), scale_of(word >> 16u), scale_of(word >> 24u));
}
