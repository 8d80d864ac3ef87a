// What f16 keeps of a number: the nearest f16, ties to even.
// Needs: round_f16.
fn kept(v: f32) -> f32 {
    return round_f16(v);
}
