// Writing a block of 32 cached keys or values in f32. Joined once for K and once for V, `kv` spelled `k` and `v`.
// Needs: LANES, GROUPS (lanes_*.wgsl), kv_cache, HEAD_DIM.
alias KvStored = vec4<f32>;

// Block `block` of the head whose cached position lies at `place`; every lane of the task calls this with the quads it owns.
fn kv_store(place: u32, block: u32, own: array<vec4<f32>, GROUPS>, thread: u32, store: bool) {
    if store {
        let first = place * (HEAD_DIM / 4u) + block * 8u + thread % LANES;
        for (var g = 0u; g < GROUPS; g++) {
            kv_cache[first + g * LANES] = own[g];
        }
    }
}
