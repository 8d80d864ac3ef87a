// Reading cached keys or values as q4_0 (kv_write_q4_0.wgsl), eight at a time. The products are exact. Joined once for K and once for V, `kv` spelled `k` and `v`.
// Needs: Octet, kv_cache, HEAD_DIM.
alias KvStored = u32;

fn kv_quants(half: u32) -> vec4<f32> {
    return vec4<f32>(vec4<i32>(vec4<u32>(half, half >> 4u, half >> 8u, half >> 12u) & vec4<u32>(15u)) - vec4<i32>(8i));
}

// Octet `octet` of the head whose cached position lies at `place`.
fn kv_octet(place: u32, octet: u32) -> Octet {
    let first = (place * (HEAD_DIM / 32u) + octet / 4u) * 5u;
    let scale = unpack2x16float(kv_cache[first + 4u]).x;
    let word = kv_cache[first + octet % 4u];
    return Octet(scale * kv_quants(word), scale * kv_quants(word >> 16u));
}
