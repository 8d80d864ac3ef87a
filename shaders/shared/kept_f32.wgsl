// What f32 keeps of a number: all of it.
fn kept(v: f32) -> f32 {
    return v;
}
