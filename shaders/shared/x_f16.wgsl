// Activations in f16, two to a word, read as f32.
// Needs: BlockInfo.
@group(0) @binding(4) var<storage, read> x: array<vec2<u32>>;         // [row, K / 4]
@group(0) @binding(5) var<storage, read> x_info: array<BlockInfo>;    // [row, K / 32]

// Quad `j` of a block.
fn x_quad(row_block: u32, j: u32) -> vec4<f32> {
    let words = x[row_block * 8u + j];
    return vec4<f32>(unpack2x16float(words.x), unpack2x16float(words.y));
}

// What a quad's values are times.
fn x_scale(row_block: u32) -> f32 {
    return 1.0;
}
