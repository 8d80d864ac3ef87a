// The sum of a tile's exponentials.
// Order: keys added one after another from zero.
// Needs: OWN_KEYS, lanes.
fn tile_sum(weights: ptr<function, array<f32, OWN_KEYS>>, n_eights: u32, thread: u32) -> f32 {
    var total = 0.0;
    for (var i = 0u; i < n_eights; i++) {
        var own = array<f32, GROUPS>();
        for (var g = 0u; g < GROUPS; g++) {
            own[g] = (*weights)[i * GROUPS + g];
        }
        let w = share_values(own, thread);
        for (var k = 0u; k < 8u; k++) {
            total = total + w[k];
        }
    }
    return total;
}
