// Q4_K and Q5_K: the two bytes of a block are what d and dmin are times. Both products are exact.
// Needs: Scale (weights_quants.wgsl).
fn scale_of(head: u32, bytes: u32) -> Scale {
    let d = unpack2x16float(head);
    return Scale(d.x * f32(bytes & 255u), vec2<i32>(1i), vec2<f32>(-(d.y * f32(bytes >> 8u)), 0.0));
}
