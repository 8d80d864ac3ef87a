// Reading int8 activations, a block of 32 at a time: each lane loads its words, the task's lanes share them.
// Needs: share_words (lanes_*.wgsl), XInt8, BlockInfo, add_block_int8.
@group(0) @binding(4) var<storage, read> x: array<u32>;               // [row, K / 4], four quants to a word
@group(0) @binding(5) var<storage, read> x_info: array<BlockInfo>;    // [row, K / 32]

alias XBlock = XInt8;

fn load_x(row_block: u32, thread: u32) -> XBlock {
    let lane = thread % READ_LANES;
    var own = array<u32, READ_GROUPS>();
    for (var g = 0u; g < READ_GROUPS; g++) {
        own[g] = x[row_block * 8u + g * READ_LANES + lane];
    }
    return XBlock(share_words(own), x_info[row_block].scale, x_info[row_block].scaled_sum);
}

fn add_block(sum: f32, w: WBlock, v: XBlock) -> f32 {
    return add_block_int8(sum, w, v);
}
