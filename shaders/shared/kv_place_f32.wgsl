// Numbers of a cache in f32, or in blocks with a scale each, whose numbers lie at no fixed places: the place of a value in the total order
// of f32.
// Needs: total_order (difference.wgsl).
fn format_place(bits: u32) -> u32 {
    return total_order(bits);
}
