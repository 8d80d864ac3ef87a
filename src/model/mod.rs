//! The transformer: its sizes, its weights on the GPU, and the forward pass.

mod activations;
mod config;
mod error;
mod forward;
mod kv_pool;
mod loader;
mod pass;
mod plan;
mod requantise;
pub mod self_test;
mod weights;

pub use config::ModelConfig;
pub use error::ModelError;
pub use loader::{LoadProgress, Model, ModelLoader};
pub use pass::{Capacity, ForwardPass, Outputs, Row};
pub use self_test::{KernelCheck, SelfTest, SelfTestError};
pub use weights::{BlockWeights, Matrix, ModelWeights, Source, WeightsLoader};
