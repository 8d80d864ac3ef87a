// IQ4_XS weights in panels: nibbles (four_bits.wgsl) that stand for entries of a table (weights_iq4_nl.wgsl), and a signed byte of scale, which
// is times what the super-block of 256 has. value = (d * scale) * TABLE[n].
// Needs: Scale (weights_quants.wgsl).
@group(0) @binding(3) var<storage, read> weight_scales: array<u32>;

const HEADS: u32 = 16u;                    // words before the bytes of blocks
const SUPER_BLOCK: u32 = HEADS + 8u * 8u;  // from one super-block to the next

// Byte 0 of a word.
fn scale_of(d: f32, word: u32) -> Scale {
    return Scale(d * f32((bitcast<i32>(word) << 24u) >> 24u), vec2<i32>(1i), vec2<f32>(0.0));
}

fn load_scale(panel_block: u32, row: u32) -> Scale {
    let first = panel_block / 8u * SUPER_BLOCK;
    let d = unpack2x16float(weight_scales[first + row / 2u]);
    let word = weight_scales[first + HEADS + panel_block % 8u * 8u + row / 4u];
    return scale_of(select(d.x, d.y, (row & 1u) == 1u), word >> (8u * (row % 4u)));
}

fn load_four_scales(panel_block: u32, row: u32) -> array<Scale, 4> {
    let first = panel_block / 8u * SUPER_BLOCK;
    let a = unpack2x16float(weight_scales[first + row / 2u]);
    let b = unpack2x16float(weight_scales[first + row / 2u + 1u]);
    let word = weight_scales[first + HEADS + panel_block % 8u * 8u + row / 4u];
    return array<Scale, 4>(
        scale_of(a.x, word), scale_of(a.y, word >> 8u), scale_of(b.x, word >> 16u), scale_of(b.y, word >> 24u),
    );
}
