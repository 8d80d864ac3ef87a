// Exponential, reciprocal, inverse square root, SiLU and f16 rounding made of multiply, add and bit operations only.
//
// Twin: src/reference/exact_math.rs, the same expressions in the same order under the same names. Where a device rounds
// every f32 operation to nearest even and fuses none, both return the same bits. Rewriting `a * b + c` as `fma`, regrouping
// a sum, or using the built-in `exp`, `inverseSqrt` or `/` changes bits. Nothing needs to be declared before this file.

// log2(e), bits 0x3FB8AA3B.
const EXACT_LOG2_E: f32 = 1.44269502;
// The upper bits of ln(2): exact in f32, and so short that its product with an exponent is exact too.
const EXACT_LN_2_HIGH: f32 = 0.693359375;
// ln(2) minus EXACT_LN_2_HIGH.
const EXACT_LN_2_LOW: f32 = -2.12194440e-4;

// e to the power x, with x clamped to [-87, 88] so that every result is a normal number. At most 1.2 ulp off.
fn exact_exp(x: f32) -> f32 {
    let clamped = min(max(x, -87.0), 88.0);
    let n = floor(clamped * EXACT_LOG2_E + 0.5);
    let r = (clamped - n * EXACT_LN_2_HIGH) - n * EXACT_LN_2_LOW;
    var p = 1.9875691500e-4;
    p = p * r + 1.3981999507e-3;
    p = p * r + 8.3334519073e-3;
    p = p * r + 4.1665795894e-2;
    p = p * r + 1.6666665459e-1;
    p = p * r + 5.0000001201e-1;
    // Not `(p * (r * r) + r) + 1.0`: Mesa moves the constant inwards.
    let y = (p * r + 1.0) * r + 1.0;
    // Adding n to the exponent field multiplies by 2^n without a rounding.
    return bitcast<f32>(bitcast<i32>(y) + (i32(n) << 23u));
}

// 1 / x for a normal, positive x of at most 8e37, so that the first guess and the result are normal numbers. At most 2.0 ulp off.
fn exact_reciprocal(x: f32) -> f32 {
    var y = bitcast<f32>(0x7EF311C7u - bitcast<u32>(x));
    y = y * (2.0 - x * y);
    y = y * (2.0 - x * y);
    y = y * (2.0 - x * y);
    return y;
}

// 1 / sqrt(x) for a normal, positive x. At most 1.8 ulp off.
fn exact_inverse_sqrt(x: f32) -> f32 {
    var y = bitcast<f32>(0x5F3759DFu - (bitcast<u32>(x) >> 1u));
    let h = 0.5 * x;
    y = y * (1.5 - (h * y) * y);
    y = y * (1.5 - (h * y) * y);
    y = y * (1.5 - (h * y) * y);
    y = y * (1.5 - (h * y) * y);
    return y;
}

// x / (1 + e^-x). The exponent stops at 87 so that its reciprocal stays a normal number. At most 4.2 ulp off above -87.
fn exact_silu(x: f32) -> f32 {
    return x * exact_reciprocal(1.0 + exact_exp(min(-x, 87.0)));
}

// The f16 nearest to x, ties to even, in the low 16 bits. Integers only: pack2x16float may round either way.
fn f16_bits_from_f32(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    let sign = (bits >> 16u) & 0x8000u;
    let magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) {
        return sign | 0x7E00u;
    }
    if (magnitude >= 0x47800000u) {
        return sign | 0x7C00u;
    }
    if (magnitude >= 0x38800000u) {
        // Normal f16: a carry out of the significand raises the exponent, up to infinity.
        let rounded = magnitude + 0xFFFu + ((magnitude >> 13u) & 1u);
        return sign | ((rounded - 0x38000000u) >> 13u);
    }
    if (magnitude < 0x33000000u) {
        return sign;
    }
    // Subnormal f16: shift the whole significand down and round on the bits that fall off.
    let shift = 126u - (magnitude >> 23u);
    let significand = (magnitude & 0x7FFFFFu) | 0x800000u;
    let quotient = significand >> shift;
    let remainder = significand & ((1u << shift) - 1u);
    let half = 1u << (shift - 1u);
    let round_up = remainder > half || (remainder == half && (quotient & 1u) == 1u);
    return sign | (quotient + select(0u, 1u, round_up));
}

// The value of the f16 in the low 16 bits, exact.
fn f32_from_f16_bits(bits: u32) -> f32 {
    return unpack2x16float(bits & 0xFFFFu).x;
}
