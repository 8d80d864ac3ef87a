//! What a number is in its format: read off its bits, which takes no rounding and no device.

use serde::Serialize;

use crate::numerics::SumFormat;
use crate::reference::tree_sum::value_of;

/// What kind of number the bits are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "NumberClass"))]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// All bits behind the sign are 0.
    Zero,
    /// Below the smallest power of two that the exponent can say.
    Subnormal,
    /// A power of two times a number from 1 to 2.
    Normal,
    /// Beyond the largest number.
    Infinite,
    /// The result of what has none.
    NotANumber,
}

/// A number and its neighbour.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct NumberFacts {
    /// What kind it is.
    pub class: Class,
    /// Its value, where it is a finite one.
    pub value: Option<f32>,
    /// The next number away from zero, where that is finite.
    pub next: Option<f32>,
    /// The gap to it is 2 to this power; none for what is not finite.
    pub gap_exponent: Option<i32>,
}

impl NumberFacts {
    /// Reads a number's bits.
    pub fn new(format: SumFormat, bits: u32) -> Self {
        let fraction_bits = format.fraction_bits();
        let magnitude = bits & (u32::MAX >> (33 - format.n_bits()));
        let exponent = magnitude >> fraction_bits;
        let most = (1 << (format.n_bits() - 1 - fraction_bits)) - 1;
        let fraction = magnitude & ((1 << fraction_bits) - 1);
        let class = match (exponent, fraction) {
            (0, 0) => Class::Zero,
            (0, _) => Class::Subnormal,
            (exponent, 0) if exponent == most => Class::Infinite,
            (exponent, _) if exponent == most => Class::NotANumber,
            _ => Class::Normal,
        };
        let finite = |bits| Some(value_of(format, bits)).filter(|value| value.is_finite());
        let value = finite(bits);
        let bias = most / 2;
        let gap = exponent.max(1).cast_signed() - (bias + fraction_bits).cast_signed();
        Self { class, value, next: value.and(finite(bits.wrapping_add(1))), gap_exponent: value.map(|_| gap) }
    }
}
