// Reading int8 activations for packed dot products: every thread loads whole blocks.
// Needs: x (x_int8.wgsl), XInt8, add_block_int8.

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
