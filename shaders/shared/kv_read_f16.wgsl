// Reading cached keys or values in f16, eight at a time. Joined once for K and once for V, `kv` spelled `k` and `v`.
// Needs: Octet, kv_cache, HEAD_OCTETS.
alias KvStored = vec4<u32>;

// Octet `octet` of the head whose cached position lies at `place`.
fn kv_octet(place: u32, octet: u32) -> Octet {
    let words = kv_cache[place * HEAD_OCTETS + octet];
    return Octet(
        vec4<f32>(unpack2x16float(words.x), unpack2x16float(words.y)),
        vec4<f32>(unpack2x16float(words.z), unpack2x16float(words.w)),
    );
}
