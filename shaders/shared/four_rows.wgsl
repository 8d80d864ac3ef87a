// Four neighbouring rows of weights against a block of activations.
// Needs: Ready, ready, add_block (read_*.wgsl), load_four (weights_*.wgsl).
struct Four {
    a: Ready,
    b: Ready,
    c: Ready,
    d: Ready,
}

// Rows `row` to `row + 3`; `row` is a multiple of four.
fn four_rows(panel_block: u32, row: u32) -> Four {
    let w = load_four(panel_block, row);
    return Four(ready(w[0]), ready(w[1]), ready(w[2]), ready(w[3]));
}

fn add_four(sum: vec4<f32>, w: Four, v: XBlock) -> vec4<f32> {
    return vec4<f32>(add_block(sum.x, w.a, v), add_block(sum.y, w.b, v), add_block(sum.z, w.c, v), add_block(sum.w, w.d, v));
}
