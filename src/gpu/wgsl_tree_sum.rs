//! Joins shader files into the module that adds along trees; a format of sums swaps a file.

use super::wgsl::shader;
use crate::numerics::SumFormat;

/// The kernel that adds a few values along many trees, its sums in `format`.
pub fn tree_sum(format: SumFormat) -> String {
    let kept: &[&str] = match format {
        SumFormat::F16 => &[shader!("shared/kept_f16"), shader!("shared/accumulate_f16")],
        SumFormat::Bf16 => &[shader!("shared/kept_bf16")],
        SumFormat::F32 => &[shader!("shared/kept_f32")],
    };
    [&[shader!("tree_sum"), shader!("shared/bound")][..], kept].concat().join("\n")
}
