// Quants that stand for entries of a table of 16, four to a word. Chosen by masks, not by index: a table that is indexed lies in memory
// on a software adapter, and a load costs more than these steps.
// Needs: TABLE, sixteen bytes (weights_mxfp4.wgsl or weights_iq4_nl.wgsl), nibbles (unpack.wgsl).
fn choose(a: vec4<u32>, b: vec4<u32>, mask: vec4<u32>) -> vec4<u32> {
    return a ^ ((a ^ b) & mask);
}

// All bits of a byte where it has this bit.
fn bytes_with_bit(words: vec4<u32>, bit: u32) -> vec4<u32> {
    return ((words >> vec4<u32>(bit)) & vec4<u32>(0x01010101u)) * 255u;
}

fn one_of(first: u32, second: u32, mask: vec4<u32>) -> vec4<u32> {
    return choose(vec4<u32>(first * 0x01010101u), vec4<u32>(second * 0x01010101u), mask);
}

fn entries_of_words(words: vec4<u32>) -> vec4<u32> {
    let a = bytes_with_bit(words, 0u);
    let b = bytes_with_bit(words, 1u);
    let c = bytes_with_bit(words, 2u);
    let d = bytes_with_bit(words, 3u);
    let from_0 = choose(one_of(TABLE[0], TABLE[1], a), one_of(TABLE[2], TABLE[3], a), b);
    let from_4 = choose(one_of(TABLE[4], TABLE[5], a), one_of(TABLE[6], TABLE[7], a), b);
    let from_8 = choose(one_of(TABLE[8], TABLE[9], a), one_of(TABLE[10], TABLE[11], a), b);
    let from_12 = choose(one_of(TABLE[12], TABLE[13], a), one_of(TABLE[14], TABLE[15], a), b);
    return choose(choose(from_0, from_4, c), choose(from_8, from_12, c), d);
}

fn quants_of(unit: vec4<u32>) -> array<vec4<u32>, 2> {
    let quants = nibbles(unit);
    return array<vec4<u32>, 2>(entries_of_words(quants[0]), entries_of_words(quants[1]));
}
