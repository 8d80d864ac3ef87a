// Quants of a few bits to bytes, quad j of a block in word j: what quant::packing packs.

// Four bits each: low nibbles are elements 0-15, high nibbles 16-31.
fn nibbles(unit: vec4<u32>) -> array<vec4<u32>, 2> {
    let each = vec4<u32>(0x0f0f0f0fu);
    return array<vec4<u32>, 2>(unit & each, (unit >> vec4<u32>(4u)) & each);
}

// Two bits each: of quad k, or 4 + k in the second word, bits 2k and 2k + 1 of every byte.
fn bit_pairs(words: vec2<u32>) -> array<vec4<u32>, 2> {
    let shift = vec4<u32>(0u, 2u, 4u, 6u);
    let each = vec4<u32>(0x03030303u);
    return array<vec4<u32>, 2>((vec4<u32>(words.x) >> shift) & each, (vec4<u32>(words.y) >> shift) & each);
}

// One bit each: of quad k bit k of every byte.
fn bits(word: u32) -> array<vec4<u32>, 2> {
    let each = vec4<u32>(0x01010101u);
    return array<vec4<u32>, 2>(
        (vec4<u32>(word) >> vec4<u32>(0u, 1u, 2u, 3u)) & each, (vec4<u32>(word) >> vec4<u32>(4u, 5u, 6u, 7u)) & each,
    );
}

// Lower bits, and above them upper ones.
fn with_upper(lower: array<vec4<u32>, 2>, upper: array<vec4<u32>, 2>, shift: u32) -> array<vec4<u32>, 2> {
    return array<vec4<u32>, 2>(lower[0] | (upper[0] << vec4<u32>(shift)), lower[1] | (upper[1] << vec4<u32>(shift)));
}
