// Writing a block of 32 cached keys or values as q8_0: int8 quants, four to a word, then a word with the scale as f16, nine words in all.
// A cached value is that f16 times its quant; a scale beyond its range is infinite, and no value is then finite. Joined once for K and once for V, `kv` spelled `k` and `v`.
// Needs: LANES, GROUPS (lanes_*.wgsl), quantise_int8, word_of_bytes, f16_bits_from_f32, kv_cache, HEAD_DIM.
alias KvStored = u32;

// Block `block` of the head whose cached position lies at `place`; every lane of the task calls this with the quads it owns.
fn kv_store(place: u32, block: u32, own: array<vec4<f32>, GROUPS>, thread: u32, store: bool) {
    let lane = thread % LANES;
    let quantised = quantise_int8(own, thread);
    if store {
        let first = (place * (HEAD_DIM / 32u) + block) * 9u;
        for (var g = 0u; g < GROUPS; g++) {
            kv_cache[first + g * LANES + lane] = word_of_bytes(quantised.quants[g]);
        }
        if lane == 0u {
            kv_cache[first + 8u] = f16_bits_from_f32(quantised.scale);
        }
    }
}
