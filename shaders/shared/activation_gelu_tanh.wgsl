// What bends the gate of the feed-forward layer: GELU in its tanh form.
// Needs: exact_exp, exact_reciprocal.
const GELU_LINEAR: f32 = 1.5957691;     // 2 sqrt(2 / pi)
const GELU_CUBIC: f32 = 0.071354814;    // that times 0.044715

// x (1 + tanh(u)) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3), which is x / (1 + e^-2u). The exponent stops at 87 as in exact_silu.
// Twin: reference::exact_math::exact_gelu_tanh.
fn exact_gelu_tanh(x: f32) -> f32 {
    // Not `GELU_CUBIC * (x * x)`: Mesa moves the constant inwards.
    let slope = (x * GELU_CUBIC) * x + GELU_LINEAR;
    return x * exact_reciprocal(1.0 + exact_exp(min(-(x * slope), 87.0)));
}

fn activated(gate: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(exact_gelu_tanh(gate.x), exact_gelu_tanh(gate.y), exact_gelu_tanh(gate.z), exact_gelu_tanh(gate.w));
}
