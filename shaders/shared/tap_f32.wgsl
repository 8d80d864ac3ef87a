// What a tap sees of rows of f32.
// Needs: shape.
@group(0) @binding(2) var<storage, read> source: array<u32>;           // [row, row_len]

// Bits of value i of a row, as f32.
fn value_bits(row: u32, i: u32) -> u32 {
    return source[row * shape.row_len + i];
}
