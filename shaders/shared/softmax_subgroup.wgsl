// The sum of a tile's exponentials, by the device's own sum over a subgroup. A subgroup is a task.
// Order: a lane adds its keys group by group from zero, then its groups; subgroupAdd adds the lanes in an order of its own.
// Needs: OWN_KEYS, lanes.
fn tile_sum(weights: ptr<function, array<f32, OWN_KEYS>>, n_eights: u32, thread: u32) -> f32 {
    var sum = 0.0;
    for (var g = 0u; g < GROUPS; g++) {
        var group = 0.0;
        for (var i = 0u; i < n_eights; i++) {
            group = group + (*weights)[i * GROUPS + g];
        }
        sum = sum + group;
    }
    return subgroupAdd(sum);
}
