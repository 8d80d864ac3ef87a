//! Gemma 3 270M, the second real model.

use std::path::PathBuf;

use lastbit::generate::{Engine, EngineOptions};
use lastbit::numerics::Numerics;

use crate::support::{device, load};

/// Where it lies: beside the first model in the cache that `make` fills, wherever the first one is.
pub(crate) fn path() -> PathBuf {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = folder("LASTBIT_CACHE")
        .or_else(|| folder("XDG_CACHE_HOME").map(|cache| cache.join("lastbit")))
        .or_else(|| folder("HOME").map(|home| home.join(".cache/lastbit")))
        .expect("LASTBIT_CACHE or HOME is set");
    cache.join("models/gemma-3-270m-q4_k_m.gguf")
}

/// The model on a device.
pub(crate) async fn engine(numerics: Numerics, options: EngineOptions) -> Engine {
    let path = path();
    let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e} (make test fetches it)", path.display()));
    let device = device().await;
    let model = load(&device, bytes).await;
    Engine::new(&device, model, numerics, options).await.expect("the engine starts")
}
