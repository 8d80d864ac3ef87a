// What a finished dot product of Q, K or V is: times RMSNorm's row factor, rounded, plus a bias, rounded. The biases are a uniform: the
// storage buffers that a kernel may bind are taken.
@group(0) @binding(12) var<uniform> biases: Biases;

// Rust twin of the length: gpu::step::MAX_BIASES.
struct Biases {
    quads: array<vec4<f32>, 4096>,  // of the values of Q, then K, then V; zero behind them
}

// `value` is the first of the quad's values among those of Q, K and V.
fn projected(total: vec4<f32>, factor: f32, value: u32) -> vec4<f32> {
    let normed = total * factor;
    return normed + biases.quads[value / 4u];
}
