// Of a super-block of 256 d and dmin, both f16 in a word; of each of its blocks two bytes.
// Needs: Scale (weights_quants.wgsl), scale_of (weights_*.wgsl).
// [panel, super-block: row in panel / 2 of d and dmin, then block of the super-block, row in panel / 4 of its bytes]
@group(0) @binding(3) var<storage, read> weight_scales: array<vec2<u32>>;

const HEADS: u32 = 16u;                    // pairs of words before the bytes of blocks
const SUPER_BLOCK: u32 = HEADS + 8u * 8u;  // from one super-block to the next

fn load_scale(panel_block: u32, row: u32) -> Scale {
    let first = panel_block / 8u * SUPER_BLOCK;
    let word = weight_scales[first + HEADS + panel_block % 8u * 8u + row / 4u][(row / 2u) % 2u];
    return scale_of(weight_scales[first + row / 2u][row % 2u], (word >> (16u * (row % 2u))) & 0xffffu);
}

fn load_four_scales(panel_block: u32, row: u32) -> array<Scale, 4> {
    let first = panel_block / 8u * SUPER_BLOCK;
    let heads = vec4<u32>(weight_scales[first + row / 2u], weight_scales[first + row / 2u + 1u]);
    let words = weight_scales[first + HEADS + panel_block % 8u * 8u + row / 4u];
    return array<Scale, 4>(
        scale_of(heads.x, words.x & 0xffffu), scale_of(heads.y, words.x >> 16u),
        scale_of(heads.z, words.y & 0xffffu), scale_of(heads.w, words.y >> 16u),
    );
}
