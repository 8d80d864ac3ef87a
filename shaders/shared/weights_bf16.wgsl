// BF16 weights in panels: per block of 32 and row four 16-byte units of eight values, which are the upper halves of floats.
// Needs: XInt8, XF32 (blocks.wgsl).
@group(0) @binding(2) var<storage, read> weights: array<vec4<u32>>;  // [panel, block, unit 0-3, row in panel]

struct WBlock {
    quads: array<vec4<f32>, 8>,
}

fn quad_from_bf16(a: u32, b: u32) -> vec4<f32> {
    return bitcast<vec4<f32>>(vec4<u32>(a << 16u, a & 0xffff0000u, b << 16u, b & 0xffff0000u));
}

fn load_weights(panel_block: u32, row: u32) -> WBlock {
    let i = panel_block * 128u + row;
    let a = weights[i];
    let b = weights[i + 32u];
    let c = weights[i + 64u];
    let d = weights[i + 96u];
    return WBlock(array<vec4<f32>, 8>(
        quad_from_bf16(a.x, a.y), quad_from_bf16(a.z, a.w), quad_from_bf16(b.x, b.y), quad_from_bf16(b.z, b.w),
        quad_from_bf16(c.x, c.y), quad_from_bf16(c.z, c.w), quad_from_bf16(d.x, d.y), quad_from_bf16(d.z, d.w),
    ));
}
