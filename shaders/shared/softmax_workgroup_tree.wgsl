// The sum of a tile's exponentials.
// Order: eight lanes, lane i adds keys i, i + 8, … from zero in ascending order; lanes as the tree of block_sum.
// Needs: OWN_KEYS, lanes.
fn tile_sum(weights: ptr<function, array<f32, OWN_KEYS>>, n_eights: u32, thread: u32) -> f32 {
    var sums = array<f32, GROUPS>();
    for (var i = 0u; i < n_eights; i++) {
        for (var g = 0u; g < GROUPS; g++) {
            sums[g] = sums[g] + (*weights)[i * GROUPS + g];
        }
    }
    return block_sum(sums, thread);
}
