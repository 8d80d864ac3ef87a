// Writing a block of 32 cached keys or values as q4_0: quants 0 to 15, eight to a word, then a word with the scale d as f16, five words in
// all. As in ggml d = -v / 8 for the value v of the largest magnitude, quant = value / d + 8.5 cut off and at most 15, and a cached value
// is d as f16 times (quant - 8). Where v and -v are both there, v is the positive one, wherever they stand. A scale beyond the range of
// f16 is infinite, and no value is then finite. Joined once for K and once for V, `kv` spelled `k` and `v`.
// Needs: LANES, GROUPS, block_max, share_values (lanes_*.wgsl), largest_magnitude (magnitude.wgsl), exact_reciprocal, f16_bits_from_f32,
// kv_cache, HEAD_DIM.
alias KvStored = u32;

// Block `block` of the head whose cached position lies at `place`; every lane of the task calls this with the quads it owns.
fn kv_store(place: u32, block: u32, own: array<vec4<f32>, GROUPS>, thread: u32, store: bool) {
    let lane = thread % LANES;
    let amax = largest_magnitude(own, thread);
    var positive = array<f32, GROUPS>();
    for (var g = 0u; g < GROUPS; g++) {
        positive[g] = select(0.0, 1.0, any(own[g] == vec4<f32>(amax)));
    }
    let sign = select(1.0, -1.0, block_max(positive, thread) > 0.0);
    var scale = 0.0;
    var inverse = 0.0;
    if amax >= SMALLEST_AMAX {
        scale = sign * (amax * 0.125);
        inverse = sign * exact_reciprocal(amax * 0.125);
    }
    // The quants of a quad are half a word, which a float holds exactly.
    var halves = array<f32, GROUPS>();
    for (var g = 0u; g < GROUPS; g++) {
        let q = min(vec4<u32>(own[g] * inverse + vec4<f32>(8.5)), vec4<u32>(15u));
        halves[g] = f32(q.x | (q.y << 4u) | (q.z << 8u) | (q.w << 12u));
    }
    var all = share_values(halves, thread);
    if store {
        let first = (place * (HEAD_DIM / 32u) + block) * 5u;
        for (var octet = lane; octet < 4u; octet += LANES) {
            kv_cache[first + octet] = u32(all[octet * 2u]) | (u32(all[octet * 2u + 1u]) << 16u);
        }
        if lane == 0u {
            kv_cache[first + 4u] = f16_bits_from_f32(scale);
        }
    }
}
