// The largest magnitude of a block of 32, of which its scale is made. Infinite if any value is infinite or no number: then so is the
// scale, and whoever multiplies by it gets no number that could pass for a result.
// Needs: GROUPS, block_max (lanes_*.wgsl).
const SMALLEST_AMAX: f32 = 1e-30;  // a block below this is all zeros: its scale would have no reciprocal

// Every lane of the task calls this with the quads it owns.
fn largest_magnitude(own: array<vec4<f32>, GROUPS>, thread: u32) -> f32 {
    var largest = array<f32, GROUPS>();
    for (var g = 0u; g < GROUPS; g++) {
        // Compared as integers, which order magnitudes alike and put what is no number above infinity; max() may drop it.
        let bits = bitcast<vec4<u32>>(own[g]) & vec4<u32>(0x7FFFFFFFu);
        largest[g] = bitcast<f32>(min(max(max(bits.x, bits.y), max(bits.z, bits.w)), 0x7F800000u));
    }
    return block_max(largest, thread);
}
