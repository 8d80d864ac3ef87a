// What a tap sees of rows of int8 activations: scale * quant.
// Needs: shape, BlockInfo (blocks.wgsl).
@group(0) @binding(2) var<storage, read> source: array<u32>;           // [row, row_len / 4], four quants to a word
@group(0) @binding(3) var<storage, read> info: array<BlockInfo>;       // [row, row_len / 32]

// Bits of value i of a row, as f32.
fn value_bits(row: u32, i: u32) -> u32 {
    let at = row * shape.row_len + i;
    let quant = bitcast<i32>(source[at / 4u] << (24u - at % 4u * 8u)) >> 24u;
    return bitcast<u32>(info[at / 32u].scales.x * f32(quant));
}
