// A block of activations as quads: each lane loads its own, the task's lanes share them.
// Needs: READ_GROUPS, READ_LANES, share_quads (lanes_*.wgsl), x_quad (x_*.wgsl).
fn load_quads(row_block: u32, thread: u32) -> array<vec4<f32>, 8> {
    let lane = thread % READ_LANES;
    var own = array<vec4<f32>, READ_GROUPS>();
    for (var g = 0u; g < READ_GROUPS; g++) {
        own[g] = x_quad(row_block, g * READ_LANES + lane);
    }
    return share_quads(own);
}
