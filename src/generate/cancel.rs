//! A stop sign that can be raised while a run waits: for the GPU, or in a pause that an engine on the CPU makes for that.

use std::pin::Pin;
use std::rc::Rc;
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

/// What [`Pause::awaiting`] waits for.
pub type PauseFuture = Pin<Box<dyn Future<Output = ()>>>;

/// What a run waits for before each of its steps; at first nothing. A run on the CPU never leaves its thread by itself, so that whoever
/// shares the thread with it could not raise a stop sign.
#[derive(Clone, Default)]
pub struct Pause(Option<Rc<dyn Fn() -> PauseFuture>>);

impl Pause {
    /// Waits for what `begin` gives.
    pub fn awaiting(begin: impl Fn() -> PauseFuture + 'static) -> Self {
        Self(Some(Rc::new(begin)))
    }

    /// Waits once.
    pub(super) async fn once(&self) {
        if let Some(begin) = &self.0 {
            begin().await;
        }
    }
}

impl std::fmt::Debug for Pause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Pause::awaiting" } else { "Pause::default" })
    }
}
