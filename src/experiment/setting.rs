//! The formats that experiments run under, by name.

use serde::{Deserialize, Serialize};

use crate::numerics::{Accumulation, ActivationFormat, Arithmetic, Formats, KvFormat, Numerics, Order, WeightFormat};

/// Formats by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Setting {
    /// int8 activations, f16 K and V: the setting of the demonstration.
    Int8,
    /// f32 activations, f16 K and V.
    Float,
    /// f16 activations, f16 K and V, sums in f32.
    F16Activations,
    /// f16 activations, sums of matrix products, K and V.
    Half,
    /// f32 everywhere.
    F32,
    /// That of `float`, but steps of many rows add in f16.
    F16InPrefill,
    /// That of `float`, but steps of many rows have int8 activations.
    Int8InPrefill,
    /// The demonstration's with weights re-quantised to 8 bits.
    Int8Q8,
    /// To 4 bits.
    Int8Q4,
    /// To 3 bits, a stress format.
    Int8Q3,
    /// To 2 bits, a stress format.
    Int8Q2,
    /// f16 activations with weights of 8 bits.
    F16Q8,
    /// f16 activations with weights of 3 bits.
    F16Q3,
    /// f32 activations with K and V of 8 bits.
    FloatKvQ8,
    /// f32 activations with K and V of 4 bits.
    FloatKvQ4,
    /// The demonstration's with K and V of 8 bits.
    Int8KvQ8,
}

impl Setting {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Int8,
        Self::Float,
        Self::F16Activations,
        Self::Half,
        Self::F32,
        Self::F16InPrefill,
        Self::Int8InPrefill,
        Self::Int8Q8,
        Self::Int8Q4,
        Self::Int8Q3,
        Self::Int8Q2,
        Self::F16Q8,
        Self::F16Q3,
        Self::FloatKvQ8,
        Self::FloatKvQ4,
        Self::Int8KvQ8,
    ];

    /// The numerics.
    pub fn numerics(self, order: Order, chunk_rows: u32) -> Numerics {
        let named = |formats| Numerics::new(formats, order, chunk_rows);
        let cached = |kv, numerics| Numerics { k: kv, v: kv, ..numerics };
        let float = named(Formats::Float);
        let f16 = Arithmetic::of(ActivationFormat::F16);
        let f16_activations = Numerics { decode: f16, prefill: f16, ..float };
        match self {
            Self::Int8 => named(Formats::Int8),
            Self::Float => float,
            Self::F16Activations => f16_activations,
            Self::Half => named(Formats::Half),
            Self::F32 => named(Formats::F32),
            Self::F16InPrefill => {
                Numerics { prefill: Arithmetic { accumulation: Accumulation::F16, ..float.prefill }, ..float }
            }
            Self::Int8InPrefill => Numerics { prefill: Arithmetic::of(ActivationFormat::Int8), ..float },
            Self::Int8Q8 => Numerics { weights: WeightFormat::Q8_0, ..named(Formats::Int8) },
            Self::Int8Q4 => Numerics { weights: WeightFormat::Q4_0, ..named(Formats::Int8) },
            Self::Int8Q3 => Numerics { weights: WeightFormat::Q3_32, ..named(Formats::Int8) },
            Self::Int8Q2 => Numerics { weights: WeightFormat::Q2_32, ..named(Formats::Int8) },
            Self::F16Q8 => Numerics { weights: WeightFormat::Q8_0, ..f16_activations },
            Self::F16Q3 => Numerics { weights: WeightFormat::Q3_32, ..f16_activations },
            Self::FloatKvQ8 => cached(KvFormat::Q8_0, float),
            Self::FloatKvQ4 => cached(KvFormat::Q4_0, float),
            Self::Int8KvQ8 => cached(KvFormat::Q8_0, named(Formats::Int8)),
        }
    }

    /// Whether the formats go together with this order: those that differ between few and many rows only with by-shape.
    pub fn runs_in(self, order: Order) -> bool {
        self.numerics(order, 1).check().is_ok()
    }

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Float => "float",
            Self::F16Activations => "f16 activations",
            Self::Half => "half",
            Self::F32 => "f32",
            Self::F16InPrefill => "f16 accumulation in prefill",
            Self::Int8InPrefill => "int8 in prefill",
            Self::Int8Q8 => "int8, weights q8_0",
            Self::Int8Q4 => "int8, weights q4_0",
            Self::Int8Q3 => "int8, weights q3_32",
            Self::Int8Q2 => "int8, weights q2_32",
            Self::F16Q8 => "f16 activations, weights q8_0",
            Self::F16Q3 => "f16 activations, weights q3_32",
            Self::FloatKvQ8 => "float, K and V q8_0",
            Self::FloatKvQ4 => "float, K and V q4_0",
            Self::Int8KvQ8 => "int8, K and V q8_0",
        }
    }
}
