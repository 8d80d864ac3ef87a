//! Exponential, reciprocal, inverse square root, SiLU and f16 rounding made of multiply, add and bit operations only.
//!
//! `shaders/shared/exact_math.wgsl` holds the same expressions in the same order under the same names, so a device that
//! rounds every f32 operation to nearest even and does not fuse returns the bits of this file. WGSL's own `exp`,
//! `inverseSqrt` and division may differ between devices, which is why the kernels use none of them.
//!
//! Largest errors against f64, over every float of one period (reciprocal, inverse square root) or dense samples of the
//! range: `exact_exp` 1.19 ulp, `exact_reciprocal` 1.99, `exact_inverse_sqrt` 1.72, `exact_silu` 4.2 above -87, `exact_gelu_tanh` 8.1 from -2 on. A fourth
//! Newton step would bring the reciprocal to 1.49 ulp at the price of two operations in every SwiGLU; a third step alone
//! leaves the inverse square root, which runs once per row, at 2.18.

/// log2(e).
const LOG2_E: f32 = f32::from_bits(0x3FB8_AA3B);
/// The upper bits of ln(2), 0.693359375: exact in f32, and so short that its product with an exponent is exact too.
const LN_2_HIGH: f32 = 0.693_359_4;
/// ln(2) minus [`LN_2_HIGH`].
const LN_2_LOW: f32 = -2.121_944_4e-4;
/// Coefficients of (e^r - 1 - r) / r^2 near zero, highest power first (the classic Cephes fit).
const EXP_COEFFICIENTS: [f32; 6] = [1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];

/// e to the power `x`, with `x` clamped to [-87, 88] so that every result is a normal number.
pub fn exact_exp(x: f32) -> f32 {
    let clamped = x.clamp(-87.0, 88.0);
    let n = (clamped * LOG2_E + 0.5).floor();
    let r = (clamped - n * LN_2_HIGH) - n * LN_2_LOW;
    let mut p = EXP_COEFFICIENTS[0];
    for coefficient in &EXP_COEFFICIENTS[1..] {
        p = p * r + coefficient;
    }
    let y = (p * r + 1.0) * r + 1.0;
    // Adding n to the exponent field multiplies by 2^n without a rounding.
    f32::from_bits(y.to_bits().wrapping_add_signed((n as i32) << 23))
}

/// 1 / `x` for a normal, positive `x` of at most 8e37, so that the first guess and the result are normal numbers.
pub fn exact_reciprocal(x: f32) -> f32 {
    let mut y = f32::from_bits(0x7EF3_11C7_u32.wrapping_sub(x.to_bits()));
    for _ in 0..3 {
        y = y * (2.0 - x * y);
    }
    y
}

/// 1 / sqrt(`x`) for a normal, positive `x`.
pub fn exact_inverse_sqrt(x: f32) -> f32 {
    let mut y = f32::from_bits(0x5F37_59DF_u32.wrapping_sub(x.to_bits() >> 1));
    let h = 0.5 * x;
    for _ in 0..4 {
        y = y * (1.5 - (h * y) * y);
    }
    y
}

/// `x` / (1 + e^-x).
///
/// The exponent stops at 87: beyond it, one more than the exponential would have a subnormal reciprocal, which some
/// devices flush to zero and the first guess of [`exact_reciprocal`] does not reach.
pub fn exact_silu(x: f32) -> f32 {
    x * exact_reciprocal(1.0 + exact_exp((-x).min(87.0)))
}

/// Bits of the f16 nearest to `x`, ties to even, infinity from 65520 on; a NaN becomes a quiet NaN of the same sign.
pub fn f16_bits_from_f32(x: f32) -> u32 {
    let bits = x.to_bits();
    let sign = (bits >> 16) & 0x8000;
    let magnitude = bits & 0x7FFF_FFFF;
    if magnitude > 0x7F80_0000 {
        return sign | 0x7E00;
    }
    if magnitude >= 0x4780_0000 {
        return sign | 0x7C00;
    }
    if magnitude >= 0x3880_0000 {
        // Normal f16: a carry out of the significand raises the exponent, up to infinity.
        let rounded = magnitude + 0xFFF + ((magnitude >> 13) & 1);
        return sign | ((rounded - 0x3800_0000) >> 13);
    }
    if magnitude < 0x3300_0000 {
        return sign;
    }
    // Subnormal f16: shift the whole significand down and round on the bits that fall off.
    let shift = 126 - (magnitude >> 23);
    let significand = (magnitude & 0x7F_FFFF) | 0x80_0000;
    let quotient = significand >> shift;
    let remainder = significand & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    let round_up = remainder > half || (remainder == half && quotient & 1 == 1);
    sign | (quotient + u32::from(round_up))
}

/// The value of the f16 in the low 16 bits of `bits`, exact.
pub fn f32_from_f16_bits(bits: u32) -> f32 {
    let sign = (bits & 0x8000) << 16;
    let magnitude = bits & 0x7FFF;
    if magnitude >= 0x7C00 {
        return f32::from_bits(sign | 0x7F80_0000 | ((magnitude & 0x3FF) << 13));
    }
    // The f16 bits read as an f32 are too small by the difference of the exponent biases, 127 - 15; a subnormal f16
    // becomes a subnormal f32 first, and the product by a power of two is exact either way.
    let scaled = f32::from_bits(magnitude << 13) * f32::from_bits((127 + 112) << 23);
    f32::from_bits(sign | scaled.to_bits())
}

/// The f16 nearest to `x`, ties to even, as f32: infinity from 65520 on. [`f16_bits_from_f32`] and back, in the fewer steps of
/// `shaders/shared/accumulate_f16.wgsl`: a normal f16 keeps 11 bits of significand, so the lower 13 are rounded off; a smaller one is a
/// whole number of 2^-24, which is the last bit of a sum with 0.5.
pub fn round_f16(x: f32) -> f32 {
    let bits = x.to_bits();
    let magnitude = bits & 0x7FFF_FFFF;
    let kept = (magnitude + 0xFFF + ((magnitude >> 13) & 1)) & 0xFFFF_E000;
    let rounded = if magnitude < 0x3880_0000 {
        let steps = (x.abs() + 0.5).to_bits() - 0x3F00_0000;
        (steps as f32 * f32::from_bits((127 - 24) << 23)).to_bits()
    } else if kept >= 0x4780_0000 {
        magnitude.max(0x7F80_0000)
    } else {
        kept
    };
    f32::from_bits((bits & 0x8000_0000) | rounded)
}

/// 2 sqrt(2 / pi).
const GELU_LINEAR: f32 = 1.595_769;
/// That times 0.044715.
const GELU_CUBIC: f32 = 0.071_354_814;

/// `x` (1 + tanh(u)) / 2 with u = sqrt(2 / pi) (`x` + 0.044715 `x`^3), as `x` / (1 + e^-2u).
///
/// From e^64 on it is zero: what is left there, less than 1e-26, makes products that are subnormal, which some devices flush. Of
/// shaders/shared/activation_gelu_tanh.wgsl.
pub fn exact_gelu_tanh(x: f32) -> f32 {
    let slope = (x * GELU_CUBIC) * x + GELU_LINEAR;
    let twice = x * slope;
    if twice < -64.0 {
        return 0.0;
    }
    x * exact_reciprocal(1.0 + exact_exp((-twice).min(64.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distance of `value` from `truth` in units of the last place of the f32 nearest to the truth.
    fn ulp_error(value: f32, truth: f64) -> f64 {
        let nearest = (truth as f32).abs();
        let unit = f64::from(f32::from_bits(nearest.to_bits() + 1)) - f64::from(nearest);
        (f64::from(value) - truth).abs() / unit
    }

    /// Largest error of `twin` over `inputs`, which must not exceed `limit`.
    fn check(inputs: impl Iterator<Item = f32>, twin: fn(f32) -> f32, truth: fn(f64) -> f64, limit: f64) {
        let (mut worst, mut at) = (0.0, 0.0);
        for x in inputs {
            let error = ulp_error(twin(x), truth(f64::from(x)));
            if error > worst {
                (worst, at) = (error, x);
            }
        }
        assert!(worst <= limit, "largest error {worst} ulp at {at:e}, expected at most {limit}");
        assert!(worst > 0.0, "nothing was measured");
    }

    fn every_17th_float(from: f32, to: f32) -> impl Iterator<Item = f32> {
        (from.to_bits()..to.to_bits()).step_by(17).map(f32::from_bits)
    }

    fn evenly(from: f32, to: f32) -> impl Iterator<Item = f32> {
        (0..=1_000_000).map(move |i| from + (to - from) * (i as f32 / 1_000_000.0))
    }

    #[test]
    fn exp_is_within_one_and_a_fifth_ulp() {
        check(evenly(-87.0, 88.0), exact_exp, f64::exp, 1.2);
        check(evenly(-1.0, 1.0), exact_exp, f64::exp, 1.2);
    }

    #[test]
    fn exp_of_zero_is_one_and_the_ends_are_clamped() {
        assert_eq!(exact_exp(0.0).to_bits(), 1.0_f32.to_bits());
        assert_eq!(exact_exp(-0.0).to_bits(), 1.0_f32.to_bits());
        assert_eq!(exact_exp(-1e30).to_bits(), exact_exp(-87.0).to_bits());
        assert_eq!(exact_exp(f32::INFINITY).to_bits(), exact_exp(88.0).to_bits());
        assert!(exact_exp(-87.0).is_normal() && exact_exp(88.0).is_normal());
    }

    #[test]
    fn reciprocal_is_within_two_ulp() {
        check(every_17th_float(1.0, 2.0), exact_reciprocal, |x| 1.0 / x, 2.0);
        for exponent in -125..=125 {
            let scale = 2.0_f32.powi(exponent);
            check(evenly(scale, scale * 1.0001).step_by(10_000), exact_reciprocal, |x| 1.0 / x, 2.0);
        }
    }

    #[test]
    fn inverse_sqrt_is_within_two_ulp() {
        check(every_17th_float(1.0, 4.0), exact_inverse_sqrt, |x| 1.0 / x.sqrt(), 1.8);
        check(every_17th_float(1e-6, 1e-5), exact_inverse_sqrt, |x| 1.0 / x.sqrt(), 1.8);
        check(every_17th_float(1e30, 1e31), exact_inverse_sqrt, |x| 1.0 / x.sqrt(), 1.8);
    }

    #[test]
    fn silu_is_close_everywhere_and_finite_at_the_ends() {
        check(evenly(-86.9, 87.0), exact_silu, |x| x / (1.0 + (-x).exp()), 4.25);
        for (x, expected) in [(-1e4_f32, 0.0), (-88.0, 0.0), (-87.5, 0.0), (0.0, 0.0), (88.0, 88.0), (1e4, 1e4)] {
            let value = exact_silu(x);
            assert!((value - expected).abs() <= 1e-30_f32.max(expected * 1e-6), "silu({x}) = {value:e}");
        }
    }

    #[test]
    fn gelu_is_close_where_it_bends_and_finite_at_the_ends() {
        let truth =
            |x: f64| 0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh());
        check(evenly(-2.0, 10.0), exact_gelu_tanh, truth, 8.1);
        for (x, expected) in
            [(-1e30_f32, 0.0), (-1e4, 0.0), (-20.0, 0.0), (0.0, 0.0), (20.0, 20.0), (1e4, 1e4), (1e30, 1e30)]
        {
            let value = exact_gelu_tanh(x);
            assert!((value - expected).abs() <= expected * 1e-6, "gelu({x:e}) = {value:e}");
        }
    }

    #[test]
    fn quick_rounding_to_f16_is_the_recipe_around_every_f16() {
        let mut n = 0;
        for half in 0..=0x7C00_u32 {
            let (value, next) = (f32_from_f16_bits(half), f32_from_f16_bits((half + 1).min(0x7C00)));
            // The value, the tie above it, and their neighbours as far as four f32 steps.
            let tie = ((f64::from(value) + f64::from(next.min(65536.0))) / 2.0) as f32;
            for center in [value, tie] {
                for step in -4_i32..=4 {
                    let magnitude = center.to_bits().saturating_add_signed(step).min(0x7F80_0000);
                    for x in [f32::from_bits(magnitude), -f32::from_bits(magnitude)] {
                        let (quick, recipe) = (round_f16(x), f32_from_f16_bits(f16_bits_from_f32(x)));
                        assert_eq!(quick.to_bits(), recipe.to_bits(), "{x:e}");
                        n += 1;
                    }
                }
            }
        }
        assert!(n > 1_000_000);
        for bits in (0..0x7F80_0000_u32).step_by(9973) {
            let x = f32::from_bits(bits);
            assert_eq!(round_f16(x).to_bits(), f32_from_f16_bits(f16_bits_from_f32(x)).to_bits(), "{x:e}");
        }
        assert!(round_f16(f32::NAN).is_nan() && round_f16(-f32::NAN).is_nan());
    }

    #[test]
    fn constants_are_those_of_the_shader() {
        // Text of the shader's literals, read through f64 as WGSL reads abstract floats, and directly.
        let texts = [
            "1.9875691500e-4",
            "1.3981999507e-3",
            "8.3334519073e-3",
            "4.1665795894e-2",
            "1.6666665459e-1",
            "5.0000001201e-1",
        ];
        let shader = include_str!("../../shaders/shared/exact_math.wgsl");
        for (text, value) in texts.into_iter().zip(EXP_COEFFICIENTS).chain([
            ("1.44269502", LOG2_E),
            ("0.693359375", LN_2_HIGH),
            ("-2.12194440e-4", LN_2_LOW),
        ]) {
            assert!(shader.contains(text), "{text} is not in the shader");
            let through_f64 = text.parse::<f64>().expect("a literal") as f32;
            assert_eq!(through_f64.to_bits(), value.to_bits(), "{text}");
            assert_eq!(text.parse::<f32>().expect("a literal").to_bits(), value.to_bits(), "{text}");
        }
        let shader = include_str!("../../shaders/shared/activation_gelu_tanh.wgsl");
        for (text, value) in [("1.5957691", GELU_LINEAR), ("0.071354814", GELU_CUBIC)] {
            assert!(shader.contains(text), "{text} is not in the shader");
            assert_eq!((text.parse::<f64>().expect("a literal") as f32).to_bits(), value.to_bits(), "{text}");
        }
    }

    #[test]
    fn f16_rounding_agrees_with_the_half_crate() {
        // Around every f16 value and every midpoint, and a stride over all floats.
        let near = (0..=0x7C00_u16).flat_map(|h| {
            let bits = half::f16::from_bits(h).to_f32().to_bits();
            (0..4).flat_map(move |quarter| (-2..=2).map(move |d| (bits + quarter * 0x400).wrapping_add_signed(d)))
        });
        let strided = (0..u32::MAX).step_by(65_521);
        for bits in near.chain(strided) {
            for signed in [bits & 0x7FFF_FFFF, bits | 0x8000_0000] {
                let x = f32::from_bits(signed);
                let expected = u32::from(half::f16::from_f32(x).to_bits());
                let found = f16_bits_from_f32(x);
                if x.is_nan() {
                    assert_eq!(found & 0x7E00, 0x7E00);
                } else {
                    assert_eq!(found, expected, "{x:e} ({signed:#x})");
                }
            }
        }
    }

    #[test]
    fn every_f16_survives_the_way_to_f32_and_back() {
        for bits in 0..=0xFFFF_u32 {
            let value = f32_from_f16_bits(bits);
            let expected = half::f16::from_bits(bits as u16).to_f32();
            if expected.is_nan() {
                assert!(value.is_nan());
            } else {
                assert_eq!(value.to_bits(), expected.to_bits(), "{bits:#x}");
                assert_eq!(f16_bits_from_f32(value), bits);
            }
        }
    }
}
