// The sum of a tile's exponentials.
// Order: neighbouring keys first, then neighbouring sums, and so on; what is left over joins from the right.
// Needs: OWN_KEYS, lanes.
fn tile_sum(weights: ptr<function, array<f32, OWN_KEYS>>, n_eights: u32, thread: u32) -> f32 {
    var sums = array<f32, 4>();  // [level]: of 2^level times eight keys that wait for their neighbours
    for (var i = 0u; i < n_eights; i++) {
        var own = array<f32, GROUPS>();
        for (var g = 0u; g < GROUPS; g++) {
            own[g] = (*weights)[i * GROUPS + g];
        }
        let w = share_values(own, thread);
        var sum = ((w[0] + w[1]) + (w[2] + w[3])) + ((w[4] + w[5]) + (w[6] + w[7]));
        var level = 0u;
        for (; ((i >> level) & 1u) == 1u; level++) {
            sum = sums[level] + sum;
        }
        sums[level] = sum;
    }
    var total = 0.0;
    for (var level = 0u; level < 4u; level++) {
        if ((n_eights >> level) & 1u) == 1u {
            total = sums[level] + total;
        }
    }
    return total;
}
