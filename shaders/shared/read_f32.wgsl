// Reading f32 activations, a block of 32 at a time: each lane loads its quads, the task's lanes share them.
// Needs: share_quads (lanes_*.wgsl), XF32, WQuads, BlockInfo, add_block_f32.
@group(0) @binding(4) var<storage, read> x: array<vec4<f32>>;         // [row, K / 4]
@group(0) @binding(5) var<storage, read> x_info: array<BlockInfo>;    // [row, K / 32]

alias XBlock = XF32;
alias Ready = WQuads;

fn load_x(row_block: u32, thread: u32) -> XBlock {
    let lane = thread % READ_LANES;
    var own = array<vec4<f32>, READ_GROUPS>();
    for (var g = 0u; g < READ_GROUPS; g++) {
        own[g] = x[row_block * 8u + g * READ_LANES + lane];
    }
    let quads = share_quads(own);
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
