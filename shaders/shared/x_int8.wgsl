// Activations in int8, four to a word.
// Needs: BlockInfo, quad_from_int8.
@group(0) @binding(4) var<storage, read> x: array<vec4<u32>>;         // [row, K / 16]
@group(0) @binding(5) var<storage, read> x_info: array<BlockInfo>;    // [row, K / 32]

// Quad `j` of a block.
fn x_quad(row_block: u32, j: u32) -> vec4<f32> {
    return quad_from_int8(x[row_block * 2u + j / 4u][j % 4u]);
}

// What a quad's values are times.
fn x_scale(row_block: u32) -> f32 {
    return x_info[row_block].scales.x;
}
