// What bends the gate of the feed-forward layer: SiLU.
// Needs: exact_silu.
fn activated(gate: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(exact_silu(gate.x), exact_silu(gate.y), exact_silu(gate.z), exact_silu(gate.w));
}
