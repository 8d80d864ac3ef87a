// Reading int8 activations for packed dot products: every thread loads whole blocks.
// Needs: XInt8, BlockInfo, add_block_int8.
@group(0) @binding(4) var<storage, read> x: array<vec4<u32>>;         // [row, K / 16], four quants to a word
@group(0) @binding(5) var<storage, read> x_info: array<BlockInfo>;    // [row, K / 32]

alias XBlock = XInt8;
alias Ready = WBlock;

fn load_x(row_block: u32, thread: u32) -> XBlock {
    return XBlock(array<vec4<u32>, 2>(x[row_block * 2u], x[row_block * 2u + 1u]), x_info[row_block].scales);
}

fn ready(w: WBlock) -> Ready {
    return w;
}

fn add_block(sum: f32, w: Ready, v: XBlock) -> f32 {
    return add_block_int8(sum, w, v);
}
