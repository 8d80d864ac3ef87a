//! The real model, for tests that need language.

use std::path::PathBuf;

use lastbit::generate::{Engine, EngineOptions};
use lastbit::numerics::Numerics;

use crate::support::{device, load};

/// Where the real model lies: `LASTBIT_MODEL`, or the cache that `make` fills.
pub(crate) fn model_path() -> PathBuf {
    if let Some(path) = std::env::var_os("LASTBIT_MODEL") {
        return PathBuf::from(path);
    }
    let cache = std::env::var_os("LASTBIT_CACHE").map(PathBuf::from).unwrap_or_else(|| {
        let home = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
        home.expect("HOME is set").join("lastbit")
    });
    cache.join("models/SmolLM2-135M-Instruct.Q4_1.gguf")
}

/// The real model.
pub(crate) async fn smollm2(numerics: Numerics, options: EngineOptions) -> Engine {
    let path = model_path();
    let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e} (make model fetches it)", path.display()));
    let device = device().await;
    let model = load(&device, bytes).await;
    Engine::new(&device, model, numerics, options).await.expect("the engine starts")
}
