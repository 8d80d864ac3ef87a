// Reading int8 activations as floats: each lane loads its words and turns them into quads, and the task's lanes share those.
// Needs: share_quads (lanes_*.wgsl), XQuads, WQuads, BlockInfo, add_block_quads.
@group(0) @binding(4) var<storage, read> x: array<vec4<u32>>;         // [row, K / 16], four quants to a word
@group(0) @binding(5) var<storage, read> x_info: array<BlockInfo>;    // [row, K / 32]

alias XBlock = XQuads;
alias Ready = WQuads;

fn load_x(row_block: u32, thread: u32) -> XBlock {
    let lane = thread % READ_LANES;
    var own = array<vec4<f32>, READ_GROUPS>();
    for (var g = 0u; g < READ_GROUPS; g++) {
        let at = g * READ_LANES + lane;
        own[g] = quad_from_int8(x[row_block * 2u + at / 4u][at % 4u]);
    }
    return XBlock(share_quads(own), x_info[row_block].scales);
}

fn ready(w: WBlock) -> Ready {
    return quads_of(w);
}

fn add_block(sum: f32, w: Ready, v: XBlock) -> f32 {
    return add_block_quads(sum, w, v);
}
