// What a finished dot product of Q, K or V is: times RMSNorm's row factor.
fn projected(total: vec4<f32>, factor: f32, value: u32) -> vec4<f32> {
    return total * factor;
}
