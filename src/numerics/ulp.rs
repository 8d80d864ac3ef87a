//! How far two values are apart, counted in representable numbers, and how far two rows of them are.

use half::f16;
use serde::Serialize;

use super::KvFormat;

/// Steps between two f32 values, each to the next representable one. // [0, 2^32 - 1]
///
/// The bits are taken in IEEE 754's total order: -NaN, -infinity, …, -0, +0, …, infinity, NaN. So two values are 0 apart only if their
/// bits are equal; the two zeros are 1 apart, and NaN lies behind infinity instead of comparing with nothing.
pub fn ulp_distance(a: f32, b: f32) -> u32 {
    place(a).abs_diff(place(b))
}

/// Place of a value in the total order.
fn place(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 0x8000_0000 }
}

/// Steps between two values of a cache, each to the next number of its format. // [0, 2^16 - 1] in f16
///
/// Formats with a scale for each block have no fixed numbers: there it is [`ulp_distance`].
pub fn format_steps(format: KvFormat, a: f32, b: f32) -> u32 {
    let place = |value: f32| {
        let bits = f16::from_f32(value).to_bits();
        u32::from(if bits >> 15 == 1 { !bits } else { bits | 0x8000 })
    };
    if format == KvFormat::F16 { place(a).abs_diff(place(b)) } else { ulp_distance(a, b) }
}

/// How far two rows of values are apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct Difference {
    /// Values of which some bit differs.
    pub n_differing: u32,
    /// Index of the first of them.
    pub first_index: Option<u32>,
    /// Largest [`ulp_distance`].
    pub largest_ulp: u32,
    /// Largest magnitude of a difference, infinite where a value is not finite on one side alone. Where a device takes subnormal
    /// numbers for zero, one below 2^-126 may be zero although bits differ.
    pub largest_absolute: f32,
}

impl Difference {
    /// Whether every bit of every value was equal.
    pub fn is_none(&self) -> bool {
        self.n_differing == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_apart() {
        for value in [1.0_f32, -1.0, 3.5e-39, -1e-45, f32::MAX, f32::MIN, f32::MIN_POSITIVE, 0.0, -0.0] {
            assert_eq!(ulp_distance(value, value), 0);
            if value != 0.0 {
                assert_eq!(ulp_distance(value, value.next_up()), 1, "{value:e}");
                assert_eq!(ulp_distance(value.next_down(), value), 1, "{value:e}");
            }
        }
        assert_eq!(ulp_distance(1.0, 2.0), 1 << 23);
    }

    #[test]
    fn the_zeros_are_one_apart_and_the_distance_goes_on_across_them() {
        let least = f32::from_bits(1); // the smallest subnormal
        assert_eq!(ulp_distance(0.0, -0.0), 1);
        assert_eq!(ulp_distance(0.0, least), 1);
        assert_eq!(ulp_distance(-0.0, least), 2);
        assert_eq!(ulp_distance(-least, least), 3);
        assert_eq!(ulp_distance(-1.0, 1.0), 2 * 0x3F80_0000 + 1);
        assert_eq!(
            ulp_distance(f32::from_bits(0x007F_FFFF), f32::MIN_POSITIVE),
            1,
            "subnormals meet the normal numbers"
        );
    }

    #[test]
    fn a_cache_in_f16_is_told_in_its_own_numbers() {
        let steps = |a: f32, b: f32| format_steps(KvFormat::F16, a, b);
        assert_eq!([steps(1.0, 1.0), steps(1.0, 1.0 + 2.0_f32.powi(-10)), steps(0.0, -0.0)], [0, 1, 1]);
        let least = 2.0_f32.powi(-24); // the smallest subnormal of f16
        assert_eq!([steps(0.0, least), steps(-least, least), steps(least, 2.0 * least)], [1, 3, 1]);
        assert_eq!(steps(-65504.0, 65504.0), 0xF7FF, "no two numbers are more than all of them apart");
        assert_eq!(format_steps(KvFormat::F32, 1.0, 2.0), 1 << 23);
    }

    #[test]
    fn what_is_not_a_number_lies_behind_infinity() {
        assert_eq!(ulp_distance(f32::MAX, f32::INFINITY), 1);
        let quiet = f32::from_bits(0x7FC0_0000);
        assert_eq!(ulp_distance(f32::INFINITY, quiet), 0x0040_0000);
        assert_eq!(ulp_distance(quiet, quiet), 0, "the same bits are no distance apart");
        assert_eq!(ulp_distance(quiet, f32::from_bits(0x7FC0_0001)), 1);
        let (most, least) = (f32::from_bits(0x7FFF_FFFF), f32::from_bits(0xFFFF_FFFF));
        assert_eq!(ulp_distance(least, most), u32::MAX);
    }
}
