// F32 weights in panels: per block of 32 and row eight 16-byte units of four values.
// Needs: XInt8, XF32 (blocks.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block, unit 0-7, row in panel]

struct WBlock {
    quads: array<vec4<f32>, 8>,
}

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    let i = panel_block * 256u + row;
    return WBlock(array<vec4<f32>, 8>(
        bitcast<vec4<f32>>(weights[i]), bitcast<vec4<f32>>(weights[i + 32u]),
        bitcast<vec4<f32>>(weights[i + 64u]), bitcast<vec4<f32>>(weights[i + 96u]),
        bitcast<vec4<f32>>(weights[i + 128u]), bitcast<vec4<f32>>(weights[i + 160u]),
        bitcast<vec4<f32>>(weights[i + 192u]), bitcast<vec4<f32>>(weights[i + 224u]),
    ));
}
