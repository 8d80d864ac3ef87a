//! A few values added along a tree, each sum kept in one format before it is added on.

use super::exact_math::{f16_bits_from_f32, f32_from_f16_bits, round_f16};
use crate::numerics::SumFormat;

/// The word of a tree that adds; every other word is the number of a leaf.
pub const ADD: u32 = u32::MAX;

/// Most sums that wait to be added on, and with them most values on the stack.
pub const MAX_DEPTH: usize = 32;

/// The number of the format nearest to a finite `v`, ties to even.
pub fn kept(format: SumFormat, v: f32) -> f32 {
    match format {
        SumFormat::F16 => round_f16(v),
        SumFormat::Bf16 => {
            let bits = v.to_bits();
            f32::from_bits(bits.wrapping_add(0x7FFF + ((bits >> 16) & 1)) & 0xFFFF_0000)
        }
        SumFormat::F32 => v,
    }
}

/// The bits of a number of the format.
pub fn bits_of(format: SumFormat, v: f32) -> u32 {
    match format {
        SumFormat::F16 => f16_bits_from_f32(v),
        SumFormat::Bf16 => v.to_bits() >> 16,
        SumFormat::F32 => v.to_bits(),
    }
}

/// The number of the format that has these bits.
pub fn value_of(format: SumFormat, bits: u32) -> f32 {
    match format {
        SumFormat::F16 => f32_from_f16_bits(bits),
        SumFormat::Bf16 => f32::from_bits(bits << 16),
        SumFormat::F32 => f32::from_bits(bits),
    }
}

/// The sum after each addition of one tree in postfix; the last is that of the whole tree. `[addition]`
///
/// # Panics
/// If the words are not those of a tree: trees are checked where they are made.
pub fn tree_sum(format: SumFormat, values: &[f32], tree: &[u32]) -> Vec<f32> {
    let mut stack: Vec<f32> = Vec::with_capacity(MAX_DEPTH);
    let mut sums = Vec::with_capacity(tree.len() / 2);
    for &word in tree {
        if word == ADD {
            let right = stack.pop().expect("an addition has two sums before it");
            let left = stack.last_mut().expect("an addition has two sums before it");
            *left = kept(format, *left + right);
            sums.push(*left);
        } else {
            stack.push(kept(format, values[word as usize]));
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::test_data::Seeded;
    use half::{bf16, f16};

    /// The same sum by the crate half, whose additions are its own.
    fn by_half(format: SumFormat, values: &[f32]) -> f32 {
        match format {
            SumFormat::F16 => values.iter().map(|v| f16::from_f32(*v)).reduce(|a, b| a + b).map_or(0.0, f16::to_f32),
            SumFormat::Bf16 => values.iter().map(|v| bf16::from_f32(*v)).reduce(|a, b| a + b).map_or(0.0, bf16::to_f32),
            SumFormat::F32 => values.iter().copied().reduce(|a, b| a + b).unwrap_or(0.0),
        }
    }

    #[test]
    fn sums_are_those_of_the_half_crate() {
        let mut seeded = Seeded::new(15);
        for format in SumFormat::ALL {
            let mut n_rounded = 0;
            for _ in 0..20_000 {
                // Powers of two apart, so that most additions round, some of them ties.
                let values: Vec<f32> = (0..5)
                    .map(|_| {
                        let bits = seeded.bits();
                        let size = (1.0 + (bits & 0xFFF) as f32 / 4096.0) * 2.0_f32.powi((bits >> 12 & 0xF) as i32 - 8);
                        kept(format, if bits >> 63 == 0 { size } else { -size })
                    })
                    .collect();
                let tree = [0, 1, ADD, 2, ADD, 3, ADD, 4, ADD];
                let sums = tree_sum(format, &values, &tree);
                assert_eq!(sums[3].to_bits(), by_half(format, &values).to_bits(), "{format:?} {values:?}");
                let exact: f64 = values.iter().map(|v| f64::from(*v)).sum();
                n_rounded += usize::from(f64::from(sums[3]) != exact);
            }
            assert!(n_rounded > 2000, "{format:?}: only {n_rounded} sums were rounded");
        }
    }

    #[test]
    fn bits_and_values_lead_to_each_other() {
        for format in SumFormat::ALL {
            for value in [0.0, 1.0, -2.5, 2048.0, 1.0 / 16_384.0, 65_504.0] {
                let kept = kept(format, value);
                let bits = bits_of(format, kept);
                assert_eq!(value_of(format, bits).to_bits(), kept.to_bits(), "{format:?} {value}");
                assert!(format.n_bits() == 32 || bits < 1 << 16);
            }
        }
        assert_eq!(bits_of(SumFormat::F16, 2048.0), 0x6800);
        assert_eq!(bits_of(SumFormat::Bf16, 256.0), 0x4380);
    }
}
