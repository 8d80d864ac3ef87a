// Activations written as f32.
// Needs: BlockInfo.
@group(0) @binding(6) var<storage, read_write> y: array<vec4<f32>>;        // [row, K / 4]
@group(0) @binding(7) var<storage, read_write> y_info: array<BlockInfo>;   // [row, K / 32]

fn store_quad(i: u32, v: vec4<f32>) {
    y[i] = v;
}
