//! In which order the sums inside a norm and a softmax are added.

use serde::{Deserialize, Serialize};

/// How one row's terms become a sum: the block sums of squares of a norm, the exponentials of a tile of 64 keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reduction {
    /// One after another from zero.
    Sequential,
    /// Neighbours first, then neighbouring sums, and so on; what is left over joins from the right.
    Pairwise,
    /// As the lanes of a workgroup add: lane i of eight adds terms i, i + 8, … from zero, then the lanes are added in pairs.
    WorkgroupTree,
    /// The device's own subgroupAdd, whose order no specification fixes.
    Subgroup,
}
