//! What can go wrong between us and a GPU.

/// A failure of the GPU layer. Each says what happened; [`mod@crate::error`] adds what to do next.
#[derive(Debug, Clone, thiserror::Error)]
pub enum GpuError {
    /// The host offers no adapter: no WebGPU, no driver, or all of them refused.
    #[error("no GPU adapter: {reason}")]
    NoAdapter {
        /// What the host said.
        reason: String,
    },
    /// The adapter exists but refused to give a device.
    #[error("the adapter {adapter} refused a device: {reason}")]
    DeviceRefused {
        /// Adapter name.
        adapter: String,
        /// What the adapter said.
        reason: String,
    },
    /// The device went away; everything on it is gone.
    #[error("the GPU device was lost: {reason}")]
    DeviceLost {
        /// What the driver or browser said.
        reason: String,
    },
    /// An allocation failed.
    #[error("out of GPU memory: {what} needs {len_bytes} bytes")]
    OutOfMemory {
        /// Which buffer.
        what: String,
        /// Its size.
        len_bytes: u64,
    },
    /// A buffer is larger than one binding or buffer of this device may be.
    #[error("{what} needs {len_bytes} bytes, this device binds at most {limit_bytes}")]
    TooLarge {
        /// Which buffer.
        what: String,
        /// Its size.
        len_bytes: u64,
        /// The device's limit.
        limit_bytes: u64,
    },
    /// A shader did not compile or a pipeline was refused.
    #[error("kernel {kernel} was refused: {reason}")]
    Shader {
        /// Kernel name.
        kernel: String,
        /// What the compiler said.
        reason: String,
    },
    /// Results could not be read back.
    #[error("reading {what} back failed: {reason}")]
    ReadBack {
        /// Which buffer.
        what: String,
        /// What the host said.
        reason: String,
    },
    /// The host reported an error that no scope caught.
    #[error("the GPU reported an error: {reason}")]
    Uncaptured {
        /// What the host said.
        reason: String,
    },
}
