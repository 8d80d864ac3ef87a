//! In which format a few numbers are added, one addition rounded after the other.

use serde::{Deserialize, Serialize};

/// A format of sums. In each, a sum is the nearest number of the format, ties to even.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum SumFormat {
    /// 16-bit floats: 11 bits of significand.
    F16,
    /// The upper halves of 32-bit floats: 8 bits of significand.
    Bf16,
    /// 32-bit floats: 24 bits of significand.
    F32,
}

impl SumFormat {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::F16, Self::Bf16, Self::F32];

    /// Bits of a number.
    pub fn n_bits(self) -> u32 {
        if self == Self::F32 { 32 } else { 16 }
    }

    /// Bits of a number behind its sign and exponent.
    pub fn fraction_bits(self) -> u32 {
        match self {
            Self::F16 => 10,
            Self::Bf16 => 7,
            Self::F32 => 23,
        }
    }
}
