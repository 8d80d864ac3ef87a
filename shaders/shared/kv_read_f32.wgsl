// Reading cached keys or values in f32, eight at a time. Joined once for K and once for V, `kv` spelled `k` and `v`.
// Needs: Octet, kv_cache, HEAD_OCTETS.
alias KvStored = Octet;

// Octet `octet` of the head whose cached position lies at `place`.
fn kv_octet(place: u32, octet: u32) -> Octet {
    return kv_cache[place * HEAD_OCTETS + octet];
}
