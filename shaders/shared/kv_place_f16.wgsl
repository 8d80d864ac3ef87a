// Numbers of a cache in f16: the place of a value, given by its bits as f32, in the total order of f16.
// Needs: f16_bits_from_f32.
fn format_place(bits: u32) -> u32 {
    let half = f16_bits_from_f32(bitcast<f32>(bits));
    return select(half | 0x8000u, ~half & 0xffffu, (half >> 15u) == 1u);
}
