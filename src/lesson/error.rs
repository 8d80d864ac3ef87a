//! What of a request to the lesson cannot be.

use crate::gpu::GpuError;

/// Why there is no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LessonError {
    /// Too few numbers for a sum, or more than one question takes.
    #[error("{found} numbers: it must be {expected}")]
    Count {
        /// Numbers given.
        found: usize,
        /// What would do.
        expected: &'static str,
    },
    /// A number that is none, or so large or small that a sum could leave the format's range.
    #[error("the numbers must be finite, 0 or at least 1e-30 in size, and together at most {limit}")]
    Range {
        /// Most that their sizes may add up to.
        limit: f32,
    },
    /// A tree that leaves a number out, or takes one twice.
    #[error("a tree must have each of the {n_values} numbers once")]
    Leaves {
        /// Numbers given.
        n_values: usize,
    },
    /// The device.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}
