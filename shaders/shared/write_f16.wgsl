// Activations written as f16, two to a word, rounded to nearest even; infinite beyond the range of f16, which no later sum takes back.
// Needs: BlockInfo, f16_bits_from_f32.
@group(0) @binding(6) var<storage, read_write> y: array<vec2<u32>>;        // [row, K / 4]
@group(0) @binding(7) var<storage, read_write> y_info: array<BlockInfo>;   // [row, K / 32]

fn store_quad(i: u32, v: vec4<f32>) {
    y[i] = vec2<u32>(
        f16_bits_from_f32(v.x) | (f16_bits_from_f32(v.y) << 16u),
        f16_bits_from_f32(v.z) | (f16_bits_from_f32(v.w) << 16u),
    );
}
