//! The formats that experiments run under, by name.

use serde::{Deserialize, Serialize};

use crate::numerics::{Formats, KvFormat, Numerics, Order, WeightFormat};

/// Formats by name; any of them in any order of addition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Setting {
    /// int8 activations, f16 K and V: the setting of the demonstration.
    Int8,
    /// f32 activations, f16 K and V.
    Float,
    /// f32 everywhere.
    F32,
    /// The demonstration's with weights re-quantised to 8 bits.
    Int8Q8,
    /// To 4 bits.
    Int8Q4,
    /// To 3 bits, a stress format.
    Int8Q3,
    /// To 2 bits, a stress format.
    Int8Q2,
    /// f32 activations with weights of 8 bits.
    FloatQ8,
    /// f32 activations with weights of 3 bits.
    FloatQ3,
    /// f32 activations with K and V of 8 bits.
    FloatKvQ8,
    /// f32 activations with K and V of 4 bits.
    FloatKvQ4,
    /// The demonstration's with K and V of 8 bits.
    Int8KvQ8,
}

impl Setting {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Int8,
        Self::Float,
        Self::F32,
        Self::Int8Q8,
        Self::Int8Q4,
        Self::Int8Q3,
        Self::Int8Q2,
        Self::FloatQ8,
        Self::FloatQ3,
        Self::FloatKvQ8,
        Self::FloatKvQ4,
        Self::Int8KvQ8,
    ];

    /// The numerics.
    pub fn numerics(self, order: Order, chunk_rows: u32) -> Numerics {
        let named = |formats| Numerics::new(formats, order, chunk_rows);
        let cached = |kv, numerics| Numerics { k: kv, v: kv, ..numerics };
        match self {
            Self::Int8 => named(Formats::Int8),
            Self::Float => named(Formats::Float),
            Self::F32 => named(Formats::F32),
            Self::Int8Q8 => Numerics { weights: WeightFormat::Q8_0, ..named(Formats::Int8) },
            Self::Int8Q4 => Numerics { weights: WeightFormat::Q4_0, ..named(Formats::Int8) },
            Self::Int8Q3 => Numerics { weights: WeightFormat::Q3_32, ..named(Formats::Int8) },
            Self::Int8Q2 => Numerics { weights: WeightFormat::Q2_32, ..named(Formats::Int8) },
            Self::FloatQ8 => Numerics { weights: WeightFormat::Q8_0, ..named(Formats::Float) },
            Self::FloatQ3 => Numerics { weights: WeightFormat::Q3_32, ..named(Formats::Float) },
            Self::FloatKvQ8 => cached(KvFormat::Q8_0, named(Formats::Float)),
            Self::FloatKvQ4 => cached(KvFormat::Q4_0, named(Formats::Float)),
            Self::Int8KvQ8 => cached(KvFormat::Q8_0, named(Formats::Int8)),
        }
    }

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Float => "float",
            Self::F32 => "f32",
            Self::Int8Q8 => "int8, weights q8_0",
            Self::Int8Q4 => "int8, weights q4_0",
            Self::Int8Q3 => "int8, weights q3_32",
            Self::Int8Q2 => "int8, weights q2_32",
            Self::FloatQ8 => "float, weights q8_0",
            Self::FloatQ3 => "float, weights q3_32",
            Self::FloatKvQ8 => "float, K and V q8_0",
            Self::FloatKvQ4 => "float, K and V q4_0",
            Self::Int8KvQ8 => "int8, K and V q8_0",
        }
    }
}
