//! A pause inside a step of the CPU twin, so that whoever shares its thread can stop it.

use std::pin::Pin;
use std::rc::Rc;

/// What [`Pause::awaiting`] waits for; its value says whether the step shall go on.
pub type PauseFuture = Pin<Box<dyn Future<Output = bool>>>;

/// What a step waits for before each of its layers; at first nothing. The twin never leaves its thread by itself, so that nobody else on
/// it, such as the messages of a browser's worker, would be heard before the end of a run.
#[derive(Clone, Default)]
pub struct Pause(Option<Rc<dyn Fn() -> PauseFuture>>);

impl Pause {
    /// Waits for what `begin` gives.
    pub fn awaiting(begin: impl Fn() -> PauseFuture + 'static) -> Self {
        Self(Some(Rc::new(begin)))
    }

    /// Waits once; whether to go on.
    pub(super) async fn once(&self) -> bool {
        match &self.0 {
            Some(begin) => begin().await,
            None => true,
        }
    }
}

impl std::fmt::Debug for Pause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Pause::awaiting" } else { "Pause::default" })
    }
}
