//! The GPU: the only module that knows wgpu.
//!
//! [`Device`] owns adapter, device and queue; [`wgsl`] joins shader files into modules; [`Kernel`] is one compiled pipeline;
//! [`select`] decides which kernel family a device runs and which kernel a row count gets; [`panel`] holds weights in the layout
//! that the kernels read. Every wait is async: on wasm nothing may block.

mod device;
mod error;
mod fingerprint;
mod kernel;
mod kernels;
pub mod panel;
pub mod select;
pub mod step;
pub mod wgsl;
mod wgsl_attention;
mod wgsl_between;
mod wgsl_tap;
mod wgsl_tree_sum;
mod wgsl_weights;

pub use device::{Counter, Counters, Device, DeviceOptions, DeviceReport, LimitsReport};
pub use error::GpuError;
pub use fingerprint::{Fingerprint, SubgroupOrder};
pub use kernel::{Bindings, Buffer, Kernel, Recorder, grid};
pub use kernels::{Kernels, MatmulFormats, matmul_name};
pub use wgsl_tap::TapSource;
pub use wgsl_tree_sum::tree_sum;

/// The text of every shader, for a hash: the same text and the same device compute the same bits.
pub const SHADER_TEXTS: &str = include_str!(concat!(env!("OUT_DIR"), "/shaders.txt"));
