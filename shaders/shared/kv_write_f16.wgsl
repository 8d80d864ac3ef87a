// Writing a block of 32 cached keys or values in f16: two values to a word, rounded to nearest even by integer arithmetic alone; from
// 65520 on infinity. Joined once for K and once for V, `kv` spelled `k` and `v`.
// Needs: LANES, GROUPS (lanes_*.wgsl), f16_bits_from_f32, kv_cache, HEAD_DIM.
alias KvStored = vec2<u32>;

// Block `block` of the head whose cached position lies at `place`; every lane of the task calls this with the quads it owns.
fn kv_store(place: u32, block: u32, own: array<vec4<f32>, GROUPS>, thread: u32, store: bool) {
    if store {
        let first = place * (HEAD_DIM / 4u) + block * 8u + thread % LANES;
        for (var g = 0u; g < GROUPS; g++) {
            kv_cache[first + g * LANES] = vec2<u32>(
                f16_bits_from_f32(own[g].x) | (f16_bits_from_f32(own[g].y) << 16u),
                f16_bits_from_f32(own[g].z) | (f16_bits_from_f32(own[g].w) << 16u),
            );
        }
    }
}
