//! Which token a greedy choice takes when several have exactly the largest logit.

use serde::{Deserialize, Serialize};

/// Lanes of the argmax whose order [`TieRule::LaneOrder`] follows.
const ARGMAX_LANES: u32 = 64;

/// Which of several equal logits counts as the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TieRule {
    /// The lowest id, as a loop over the vocabulary finds it.
    LowestId,
    /// The highest id, as a loop that also takes equals finds it.
    HighestId,
    /// The first in the lanes of a parallel argmax: lane i of 64 looks at the ids i, i + 64, …, and of equal lanes the lower one wins.
    LaneOrder,
}

impl TieRule {
    /// Among equal logits the id with the smallest rank wins.
    pub fn rank(self, id: u32) -> u32 {
        match self {
            Self::LowestId => id,
            Self::HighestId => !id,
            Self::LaneOrder => ((id % ARGMAX_LANES) << 24) | (id / ARGMAX_LANES),
        }
    }
}
