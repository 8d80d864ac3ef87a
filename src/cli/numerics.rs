//! Every choice that can change a bit, as options of the command line. A choice has the name that it has in records.

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use super::failure::Failure;
use crate::generate::GenerateError;
use crate::gpu::step::MAX_ROWS;
use crate::numerics::{
    Accumulation, ActivationFormat, Arithmetic, Formats, KvFormat, Numerics, Order, Reduction, TieRule, WeightFormat,
};

/// Every choice that can change a bit.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct NumericsArgs {
    /// How matrices are stored; other formats than the file's are made from it by rounding to nearest
    #[arg(long, value_enum, default_value_t = WeightFormat::AsInFile)]
    weights: WeightFormat,
    /// How activations, keys and values are stored
    #[arg(long, value_enum, default_value_t = Formats::Int8)]
    pub(super) formats: Formats,
    /// How keys are cached, if not as the formats say
    #[arg(long, value_enum)]
    k: Option<KvFormat>,
    /// How values are cached, if not as the formats say
    #[arg(long, value_enum)]
    v: Option<KvFormat>,
    /// Arithmetic of steps of more than four rows, if not that of the others; only in order by-shape
    #[arg(long, value_enum)]
    prefill: Option<PrefillName>,
    /// In which order sums are added
    #[arg(long, value_enum, default_value_t = Order::ByShape)]
    pub(super) order: Order,
    /// Devices that attn_output and ffn_down are split over, whose parts are added in ring order: 1, 2, 4 or 8
    #[arg(long, value_name = "N", default_value_t = 1)]
    shards: u32,
    /// How the sum of squares in a norm is added [default: sequential]
    #[arg(long, value_enum)]
    norm: Option<Reduction>,
    /// How the sum of exponentials in a softmax is added [default: workgroup-tree]
    #[arg(long, value_enum)]
    softmax: Option<Reduction>,
    /// Which token is chosen where several have exactly the largest logit [default: lowest-id]
    #[arg(long, value_enum)]
    tie_rule: Option<TieRule>,
    /// Most rows of one prefill step
    #[arg(long, value_name = "ROWS", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_ROWS)))]
    chunk_rows: u32,
}

impl NumericsArgs {
    /// The choices; those that do not go together are refused before anything is opened.
    pub(super) fn numerics(&self) -> Result<Numerics, Failure> {
        let named = Numerics::new(self.formats, self.order, self.chunk_rows);
        let numerics = Numerics {
            weights: self.weights,
            k: self.k.unwrap_or(named.k),
            v: self.v.unwrap_or(named.v),
            prefill: self.prefill.map_or(named.prefill, |prefill| prefill.arithmetic(named.decode)),
            norm: self.norm.unwrap_or(named.norm),
            softmax: self.softmax.unwrap_or(named.softmax),
            tie_rule: self.tie_rule.unwrap_or(named.tie_rule),
            shards: self.shards,
            ..named
        };
        numerics.check().map_err(GenerateError::from)?;
        Ok(numerics)
    }
}

/// Arithmetic of prefill steps by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PrefillName {
    /// f32 activations, sums in f32
    F32,
    /// f16 activations, sums in f32
    F16,
    /// int8 activations, sums in f32
    Int8,
    /// The activations of the formats, sums in f16
    F16Accumulation,
}

impl PrefillName {
    fn arithmetic(self, decode: Arithmetic) -> Arithmetic {
        match self {
            Self::F32 => Arithmetic::of(ActivationFormat::F32),
            Self::F16 => Arithmetic::of(ActivationFormat::F16),
            Self::Int8 => Arithmetic::of(ActivationFormat::Int8),
            Self::F16Accumulation => Arithmetic { accumulation: Accumulation::F16, ..decode },
        }
    }
}

impl ValueEnum for Formats {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Int8, Self::Float, Self::Half, Self::F32]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Int8 => ("int8", "int8 activations, f16 keys and values: as engines with quantised weights compute"),
            Self::Float => ("float", "f32 activations, f16 keys and values"),
            Self::Half => {
                ("half", "f16 activations, sums of matrix products, keys and values (the sums emulated, and so slow)")
            }
            Self::F32 => ("f32", "f32 everywhere"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

impl ValueEnum for WeightFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::AsInFile => ("as-in-file", "Each matrix as the file holds it"),
            Self::F16 => ("f16", "16-bit floats"),
            Self::Q8_0 => ("q8_0", "ggml's blocks of 32 signed bytes"),
            Self::Q4_1 => ("q4_1", "ggml's blocks of 32 4-bit numbers with scale and minimum"),
            Self::Q4_0 => ("q4_0", "ggml's blocks of 32 signed 4-bit numbers"),
            Self::Q6K => ("q6_k", "ggml's super-blocks of 256 signed 6-bit numbers, where rows are that long"),
            Self::Q5K => ("q5_k", "ggml's super-blocks of 256 5-bit numbers with minima"),
            Self::Q4K => ("q4_k", "ggml's super-blocks of 256 4-bit numbers with minima"),
            Self::Q3K => ("q3_k", "ggml's super-blocks of 256 signed 3-bit numbers"),
            Self::Q2K => ("q2_k", "ggml's super-blocks of 256 2-bit numbers with minima"),
            Self::Q3_32 => ("q3_32", "Blocks of 32 3-bit numbers with scale and minimum: a stress format, not ggml's"),
            Self::Q2_32 => ("q2_32", "Blocks of 32 2-bit numbers with scale and minimum: a stress format, not ggml's"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

impl ValueEnum for KvFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::F32, Self::F16, Self::Q8_0, Self::Q4_0]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::F32 => ("f32", "32-bit floats"),
            Self::F16 => ("f16", "16-bit floats"),
            Self::Q8_0 => ("q8_0", "Blocks of 32 bytes with a scale"),
            Self::Q4_0 => ("q4_0", "Blocks of 32 four-bit numbers with a scale"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

impl ValueEnum for Order {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::ByShape, Self::Invariant, Self::Vector, Self::Tiled]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::ByShape => "As engines do for speed: the kernel depends on how many rows a step has",
            Self::Invariant => "One order per sum, whatever the shape",
            Self::Vector => "The kernel that by-shape takes for few rows, for every step",
            Self::Tiled => "The kernel that by-shape takes for many rows, for every step",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

impl ValueEnum for Reduction {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Sequential, Self::Pairwise, Self::WorkgroupTree, Self::Subgroup]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Sequential => ("sequential", "One after another"),
            Self::Pairwise => ("pairwise", "Neighbours first, then neighbouring sums"),
            Self::WorkgroupTree => ("workgroup-tree", "As eight lanes of a workgroup add"),
            Self::Subgroup => {
                ("subgroup", "The device's own subgroupAdd, whose order nothing fixes; not in order invariant")
            }
        };
        Some(PossibleValue::new(name).help(help))
    }
}

impl ValueEnum for TieRule {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::LowestId, Self::HighestId, Self::LaneOrder]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::LowestId => ("lowest-id", "The lowest id"),
            Self::HighestId => ("highest-id", "The highest id"),
            Self::LaneOrder => ("lane-order", "The first in the lanes of a parallel argmax"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;

    fn check<T: ValueEnum + Serialize>() {
        for choice in T::value_variants() {
            let value = choice.to_possible_value().expect("no choice is hidden");
            let in_records = serde_json::to_value(choice).expect("plain data");
            assert_eq!(in_records.as_str(), Some(value.get_name()));
        }
    }

    #[test]
    fn a_choice_has_one_name_in_options_and_records() {
        check::<Formats>();
        check::<WeightFormat>();
        check::<KvFormat>();
        check::<Order>();
        check::<Reduction>();
        check::<TieRule>();
    }
}
