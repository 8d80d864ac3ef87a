// What all formats of quants share, once the 32 of a block lie in eight words: byte i of word j is of element 4j + i. A quant is its byte
// less QUANT_ZERO, or the byte as a signed number. value = d * (scale of its half * quant) + minimum of its half; the halves of a block are
// elements 0-15 and 16-31. Most formats have halves alike: their scales are 1, their minimum is one or none.
// Order, per block: the product with int8 activations is an exact integer, scales of halves included; so (sum + (d * dx) * integer) +
// minimum * (dx * sum of the activations' quants), one term for each half where each has a minimum of its own. With f32 activations quads
// of (scale of the half * quant) * x are added one after another from zero, then (x + y) + (z + w); (sum + d * that) + minimum * (sum of
// the activations, in the same order).
// Terms come onto the sum one after the other. An expression `(a * b + c * d) + sum` would not keep its order: Mesa regroups it into
// `(a * b + sum) + c * d` (bound.wgsl tells of another habit). What stands here is out of its reach.
// Needs: QUANT_ZERO, QUANTS_SIGNED, LARGEST_QUANT, MINIMA (weights_*.wgsl), XInt8, XPairs, XF32, quad_from_int8, sum_quad, dot_quads
// (blocks.wgsl), add_term (accumulate_*.wgsl). What reads floats adds in f32 alone; for sums in f16 see read_rounded.wgsl.
struct WBlock {
    quants: array<vec4<u32>, 2>,
    scale: Scale,
}

struct Scale {
    d: f32,
    halves: vec2<i32>,  // whole-number scale of each half
    minima: vec2<f32>,  // minimum of each half, or of the whole block in x: MINIMA says how many there are
}

// Quants as floats, times the scale of their half.
struct WQuads {
    quads: array<vec4<f32>, 8>,
    scale: Scale,
}

// Quants two to a word, 16 bits apart, signs carried over: of quads 0-3 the first and third, the second and fourth, then of quads 4-7.
struct WPairs {
    even: array<vec4<i32>, 2>,
    odd: array<vec4<i32>, 2>,
    scale: Scale,
}

fn quad_of(word: u32) -> vec4<f32> {
    if QUANTS_SIGNED {
        return quad_from_int8(word);
    }
    let bytes = vec4<u32>(word & 255u, (word >> 8u) & 255u, (word >> 16u) & 255u, word >> 24u);
    return vec4<f32>(bitcast<vec4<i32>>(bytes) - vec4<i32>(i32(QUANT_ZERO)));
}

fn quads_of(w: WBlock) -> WQuads {
    let a = w.quants[0];
    let b = w.quants[1];
    let first = f32(w.scale.halves.x);
    let second = f32(w.scale.halves.y);
    return WQuads(array<vec4<f32>, 8>(
        first * quad_of(a.x), first * quad_of(a.y), first * quad_of(a.z), first * quad_of(a.w),
        second * quad_of(b.x), second * quad_of(b.y), second * quad_of(b.z), second * quad_of(b.w),
    ), w.scale);
}

// The first and third of every word's bytes.
fn pairs_of_words(words: vec4<u32>) -> vec4<i32> {
    let bytes = words & vec4<u32>(0x00ff00ffu);
    if QUANTS_SIGNED {
        return bitcast<vec4<i32>>(bytes ^ vec4<u32>(0x00800080u)) - vec4<i32>(0x00800080i);
    }
    return bitcast<vec4<i32>>(bytes) - vec4<i32>(i32(QUANT_ZERO * 0x00010001u));
}

fn pairs_of(w: WBlock) -> WPairs {
    let a = w.quants[0];
    let b = w.quants[1];
    return WPairs(
        array<vec4<i32>, 2>(pairs_of_words(a), pairs_of_words(b)),
        array<vec4<i32>, 2>(pairs_of_words(a >> vec4<u32>(8u)), pairs_of_words(b >> vec4<u32>(8u))),
        w.scale,
    );
}

// Signed bytes: no byte borrows from its neighbour, and the upper bit comes right at the end.
fn signed_bytes(words: vec4<u32>) -> vec4<u32> {
    if QUANTS_SIGNED || QUANT_ZERO == 0u {
        return words;
    }
    return ((words | vec4<u32>(0x80808080u)) - vec4<u32>(QUANT_ZERO * 0x01010101u)) ^ vec4<u32>(0x80808080u);
}

fn dot_words(w: vec4<u32>, x: vec4<u32>) -> i32 {
    return dot4I8Packed(w.x, x.x) + dot4I8Packed(w.y, x.y) + dot4I8Packed(w.z, x.z) + dot4I8Packed(w.w, x.w);
}

fn upper_halves(v: vec4<i32>) -> vec4<i32> {
    return (v + vec4<i32>(32768i)) >> vec4<u32>(16u);
}

// The dot product of one half of a block without packed instructions. A pair of weights times a pair of activations,
// (q0 + 65536 q2) * (x2 + 65536 x0), holds q0 x0 + q2 x2 in its upper half: one multiplication for two terms. The lower half, below 32768
// in size, is rounded off. How many terms may be added before that depends on how large they are: 16 * 16 * 127, 8 * 32 * 127 and
// 2 * 128 * 127 fit into such a half.
fn dot_pairs(w_even: vec4<i32>, w_odd: vec4<i32>, x_even: vec4<i32>, x_odd: vec4<i32>) -> i32 {
    if LARGEST_QUANT > 32u {
        let terms = upper_halves(w_even * x_even) + upper_halves(w_odd * x_odd);
        return (terms.x + terms.y) + (terms.z + terms.w);
    }
    let terms = w_even * x_even + w_odd * x_odd;
    if LARGEST_QUANT > 16u {
        return ((terms.x + terms.y + 32768i) >> 16u) + ((terms.z + terms.w + 32768i) >> 16u);
    }
    return ((terms.x + terms.y) + (terms.z + terms.w) + 32768i) >> 16u;
}

// Onto a sum: the product of a block, whose halves' integer products and sums of activations are given.
fn add_product(sum: f32, scale: Scale, dot: vec2<i32>, x_scales: vec2<f32>, x_sums: vec2<i32>) -> f32 {
    let total = add_term(sum, (scale.d * x_scales.x) * f32(scale.halves.x * dot.x + scale.halves.y * dot.y));
    if MINIMA == 2u {
        let first = add_term(total, scale.minima.x * (x_scales.x * f32(x_sums.x)));
        return add_term(first, scale.minima.y * (x_scales.x * f32(x_sums.y)));
    }
    if MINIMA == 1u {
        return add_term(total, scale.minima.x * x_scales.y);
    }
    return total;
}

fn add_block_int8(sum: f32, w: WBlock, x: XInt8) -> f32 {
    let dot = vec2<i32>(dot_words(signed_bytes(w.quants[0]), x.words[0]), dot_words(signed_bytes(w.quants[1]), x.words[1]));
    let ones = vec4<u32>(0x01010101u);
    return add_product(sum, w.scale, dot, x.scales, vec2<i32>(dot_words(ones, x.words[0]), dot_words(ones, x.words[1])));
}

// The sum of the 16 activations that eight pairs hold.
fn sum_of_pairs(even: vec4<i32>, odd: vec4<i32>) -> i32 {
    let pairs = even + odd;
    let sums = (pairs.x + pairs.y) + (pairs.z + pairs.w);
    return ((sums + 32768i) >> 16u) + ((sums << 16u) >> 16u);
}

fn add_block_pairs(sum: f32, w: WPairs, x: XPairs) -> f32 {
    let dot = vec2<i32>(
        dot_pairs(w.even[0], w.odd[0], x.even[0], x.odd[0]), dot_pairs(w.even[1], w.odd[1], x.even[1], x.odd[1]),
    );
    let sums = vec2<i32>(sum_of_pairs(x.even[0], x.odd[0]), sum_of_pairs(x.even[1], x.odd[1]));
    return add_product(sum, w.scale, dot, x.scales, sums);
}

fn add_block_f32(sum: f32, w: WQuads, x: XF32) -> f32 {
    let total = sum + w.scale.d * sum_quad(dot_quads(w.quads, x.quads));
    if MINIMA == 2u {
        let first = sum_quad(((x.quads[0] + x.quads[1]) + x.quads[2]) + x.quads[3]);
        let second = sum_quad(((x.quads[4] + x.quads[5]) + x.quads[6]) + x.quads[7]);
        return (total + w.scale.minima.x * first) + w.scale.minima.y * second;
    }
    if MINIMA == 1u {
        return total + w.scale.minima.x * x.sum;
    }
    return total;
}

// One row's values of a block, quad j (elements 4j to 4j+3).
fn weight_quad(w: WBlock, j: u32) -> vec4<f32> {
    let half = f32(select(w.scale.halves.x, w.scale.halves.y, j >= 4u));
    let products = w.scale.d * (half * quad_of(w.quants[j / 4u][j % 4u]));
    if MINIMA == 0u {
        return products;
    }
    return products + vec4<f32>(select(w.scale.minima.x, w.scale.minima.y, MINIMA == 2u && j >= 4u));
}
