// What a tap sees of rows of f16 activations, as f32.
// Needs: shape.
@group(0) @binding(2) var<storage, read> source: array<u32>;           // [row, row_len / 2], two values to a word

// Bits of value i of a row, as f32.
fn value_bits(row: u32, i: u32) -> u32 {
    let at = row * shape.row_len + i;
    return bitcast<u32>(unpack2x16float(source[at / 2u])[at % 2u]);
}
