// Of a super-block of 256 a scale d, f16, two rows to a word; of each half of its blocks a signed byte.
// Needs: Scale (weights_quants.wgsl).
// [panel, super-block: row in panel / 4 of d, then block of the super-block, row in panel / 4 of its bytes]
@group(0) @binding(3) var<storage, read> weight_scales: array<vec2<u32>>;

const HEADS: u32 = 8u;                     // pairs of words before the bytes of blocks
const SUPER_BLOCK: u32 = HEADS + 8u * 8u;  // from one super-block to the next

// Bytes 0 and 1 of a word.
fn scale_of(d: f32, word: u32) -> Scale {
    let bytes = bitcast<i32>(word);
    return Scale(d, vec2<i32>((bytes << 24u) >> 24u, (bytes << 16u) >> 24u), vec2<f32>(0.0));
}

fn load_scale(panel_block: u32, row: u32) -> Scale {
    let first = panel_block / 8u * SUPER_BLOCK;
    let d = unpack2x16float(weight_scales[first + row / 4u][(row / 2u) % 2u]);
    let word = weight_scales[first + HEADS + panel_block % 8u * 8u + row / 4u][(row / 2u) % 2u];
    return scale_of(select(d.x, d.y, (row & 1u) == 1u), word >> (16u * (row % 2u)));
}

fn load_four_scales(panel_block: u32, row: u32) -> array<Scale, 4> {
    let first = panel_block / 8u * SUPER_BLOCK;
    let heads = weight_scales[first + row / 4u];
    let words = weight_scales[first + HEADS + panel_block % 8u * 8u + row / 4u];
    let d = vec4<f32>(unpack2x16float(heads.x), unpack2x16float(heads.y));
    return array<Scale, 4>(
        scale_of(d.x, words.x), scale_of(d.y, words.x >> 16u), scale_of(d.z, words.y), scale_of(d.w, words.y >> 16u),
    );
}
