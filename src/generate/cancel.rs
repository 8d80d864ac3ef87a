//! A stop sign that can be raised while a run waits: for the GPU, or in a pause of the CPU twin.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A stop sign: a run looks at it between steps, so it takes effect at most one step late. Clones are the same sign.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Raises it, for good.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is raised.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
