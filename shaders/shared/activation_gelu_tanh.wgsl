// What bends the gate of the feed-forward layer: GELU in its tanh form.
// Needs: exact_exp, exact_reciprocal.
const GELU_LINEAR: f32 = 1.5957691;     // 2 sqrt(2 / pi)
const GELU_CUBIC: f32 = 0.071354814;    // that times 0.044715

// x (1 + tanh(u)) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3), which is x / (1 + e^-2u). From e^64 on it is zero: what is left there,
// less than 1e-26, makes products that are subnormal, which some devices flush.
// Twin: reference::exact_math::exact_gelu_tanh.
fn exact_gelu_tanh(x: f32) -> f32 {
    // Not `GELU_CUBIC * (x * x)`: Mesa moves the constant inwards.
    let slope = (x * GELU_CUBIC) * x + GELU_LINEAR;
    let twice = x * slope;
    return select(x * exact_reciprocal(1.0 + exact_exp(min(-twice, 64.0))), 0.0, twice < -64.0);
}

fn activated(gate: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(exact_gelu_tanh(gate.x), exact_gelu_tanh(gate.y), exact_gelu_tanh(gate.z), exact_gelu_tanh(gate.w));
}
