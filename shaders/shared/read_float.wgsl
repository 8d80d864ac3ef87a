// Reading activations that are floats, a block of 32 at a time, for arithmetic in f32.
// Needs: load_quads (x_f32.wgsl or x_f16.wgsl), XF32, WQuads, add_block_f32.
alias XBlock = XF32;
alias Ready = WQuads;

fn load_x(row_block: u32, thread: u32) -> XBlock {
    let quads = load_quads(row_block, thread);
    var sum = quads[0];
    sum = sum + quads[1];
    sum = sum + quads[2];
    sum = sum + quads[3];
    sum = sum + quads[4];
    sum = sum + quads[5];
    sum = sum + quads[6];
    sum = sum + quads[7];
    return XBlock(quads, sum_quad(sum));
}

fn ready(w: WBlock) -> Ready {
    return quads_of(w);
}

fn add_block(sum: f32, w: Ready, v: XBlock) -> f32 {
    return add_block_f32(sum, w, v);
}
