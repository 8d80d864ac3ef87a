//! The transformer: its sizes, its weights, and the forward pass, on the GPU and on the CPU twin.

mod activations;
mod any_pass;
mod config;
mod error;
mod forward;
mod injected_fault;
mod kv_difference;
mod kv_edit;
mod kv_pool;
mod loader;
mod pass;
mod plan;
mod product;
mod requantise;
pub mod self_test;
mod tape;
mod taps;
mod twin_pass;
mod twin_weights;
mod weights;

pub use any_pass::Pass;
pub use config::ModelConfig;
pub use error::ModelError;
pub use injected_fault::InjectedFault;
pub use kv_difference::KvLayerDifferences;
pub use kv_edit::KvSlot;
pub use loader::{LoadProgress, Model, ModelLoader};
pub use pass::{Capacity, ForwardPass, Outputs, Row};
pub use self_test::{KernelCheck, SelfTest, SelfTestError};
pub use tape::Tape;
pub use taps::{Tap, TapRun, TapTensor, TappedRow};
pub use twin_pass::TwinPass;
pub use twin_weights::TwinWeights;
pub use weights::{BlockWeights, Matrix, ModelWeights, Source, WeightsLoader, check_header};
