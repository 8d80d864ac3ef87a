// Reading cached keys or values as q8_0 (kv_write_q8_0.wgsl), eight at a time. The products are exact. Joined once for K and once for V, `kv` spelled `k` and `v`.
// Needs: Octet, quad_from_int8, kv_cache, HEAD_DIM.
alias KvStored = u32;

// Octet `octet` of the head whose cached position lies at `place`.
fn kv_octet(place: u32, octet: u32) -> Octet {
    let first = (place * (HEAD_DIM / 32u) + octet / 4u) * 9u;
    let scale = unpack2x16float(kv_cache[first + 8u]).x;
    let at = first + (octet % 4u) * 2u;
    return Octet(scale * quad_from_int8(kv_cache[at]), scale * quad_from_int8(kv_cache[at + 1u]));
}
