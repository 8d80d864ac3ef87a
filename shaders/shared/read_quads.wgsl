// Reading int8 activations as floats.
// Needs: load_quads (x_int8.wgsl), XQuads, WQuads, add_block_quads.
alias XBlock = XQuads;
alias Ready = WQuads;

fn load_x(row_block: u32, thread: u32) -> XBlock {
    return XBlock(load_quads(row_block, thread), x_info[row_block].scales);
}

fn ready(w: WBlock) -> Ready {
    return quads_of(w);
}

fn add_block(sum: f32, w: Ready, v: XBlock) -> f32 {
    return add_block_quads(sum, w, v);
}
