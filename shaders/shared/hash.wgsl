// One value's share of a 128-bit hash of many: four lanes, each a wrapping sum over all values, so that their order does not matter.
fn mix(bits: u32, i: u32, lane: u32) -> u32 {
    var h = bits ^ (i * 0x9E3779B9u + (lane + 1u) * 0x85EBCA6Bu);
    h = h ^ (h >> 16u);
    h = h * 0x7FEB352Du;
    h = h ^ (h >> 15u);
    h = h * 0x846CA68Bu;
    return h ^ (h >> 16u);
}
