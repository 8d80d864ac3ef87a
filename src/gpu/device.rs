//! Adapter, device and queue; buffers; reading back; the state of loss.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use serde::Serialize;

use super::GpuError;
use super::fingerprint::Fingerprint;
use super::kernel::Buffer;
use super::select::Family;

/// What to ask of the host when opening a device.
#[derive(Debug, Clone, Copy)]
pub struct DeviceOptions {
    /// Use subgroup operations where the device has them. On the web this also states that the page's `requestDevice` shim asked
    /// for the feature, because wgpu cannot.
    pub subgroups: bool,
    /// Stay within WebGPU's default limits although the adapter offers more.
    pub default_limits: bool,
    /// Run this kernel family instead of the one that suits the adapter.
    pub family: Option<Family>,
}

impl Default for DeviceOptions {
    fn default() -> Self {
        Self { subgroups: true, default_limits: false, family: None }
    }
}

/// The limits that bound what can run, as granted.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "DeviceLimits"))]
pub struct LimitsReport {
    /// Bytes of one storage binding.
    pub max_storage_buffer_binding_size: u64,
    /// Bytes of one buffer.
    pub max_buffer_size: u64,
    /// Storage buffers of one kernel.
    pub max_storage_buffers_per_shader_stage: u32,
    /// Bytes of workgroup memory.
    pub max_compute_workgroup_storage_size: u32,
    /// Threads of one workgroup.
    pub max_compute_invocations_per_workgroup: u32,
}

impl LimitsReport {
    /// Most bytes that a kernel binds at once: within a buffer, and within a binding.
    pub fn largest_binding(&self) -> u64 {
        self.max_storage_buffer_binding_size.min(self.max_buffer_size)
    }
}

/// What device this is.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DeviceReport {
    /// Adapter name as the driver or browser gives it; empty where the engine is not told.
    pub name: String,
    /// PCI vendor id in hexadecimal, or empty.
    pub vendor: String,
    /// Discrete, integrated, virtual, software, or other.
    pub device_type: String,
    /// API underneath.
    pub backend: String,
    /// Driver name and version where known.
    pub driver: String,
    /// Whether the adapter computes on the CPU.
    pub software: bool,
    /// Kernel family that runs here.
    pub family: Family,
    /// Whether kernels use subgroup operations.
    pub subgroups: bool,
    /// Threads of a subgroup where that is one fixed number.
    pub subgroup_size: Option<u32>,
    /// Whether the device has f16 arithmetic (not required).
    pub shader_f16: bool,
    /// What it makes of arithmetic.
    pub fingerprint: Fingerprint,
    /// Granted limits.
    pub limits: LimitsReport,
}

/// A running count.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    /// The count so far.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Exact counts of what was asked of a device since it was opened.
#[derive(Debug, Default)]
pub struct Counters {
    /// Buffers created.
    pub buffers: Counter,
    /// Bind groups created.
    pub bind_groups: Counter,
    /// Pipelines created.
    pub pipelines: Counter,
    /// Compute passes.
    pub passes: Counter,
    /// Dispatches.
    pub dispatches: Counter,
    /// Submissions.
    pub submissions: Counter,
    /// Bytes mapped for reading.
    pub bytes_read_back: Counter,
}

/// An open device. Cheap to clone.
#[derive(Clone)]
pub struct Device {
    device: wgpu::Device,
    queue: wgpu::Queue,
    report: Arc<DeviceReport>,
    trouble: Arc<Mutex<Option<GpuError>>>,
    counters: Arc<Counters>,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("report", &self.report).finish_non_exhaustive()
    }
}

impl Device {
    /// Opens the host's preferred adapter and takes its numeric fingerprint.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`] and [`GpuError::DeviceRefused`]; a device that does not run the fingerprint's kernels.
    pub async fn open(options: DeviceOptions) -> Result<Self, GpuError> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let adapter = instance
            .request_adapter(&wgpu::RequestAdapterOptions {
                power_preference: wgpu::PowerPreference::HighPerformance,
                ..Default::default()
            })
            .await
            .map_err(|e| GpuError::NoAdapter { reason: e.to_string() })?;
        let info = adapter.get_info();
        let offered = adapter.features();
        let subgroups = options.subgroups
            && info.subgroup_min_size > 0
            && (cfg!(target_arch = "wasm32") || offered.contains(wgpu::Features::SUBGROUP));
        let mut required_features = offered & wgpu::Features::SHADER_F16;
        if subgroups && !cfg!(target_arch = "wasm32") {
            required_features |= wgpu::Features::SUBGROUP;
        }
        let mut required_limits = wgpu::Limits::defaults();
        if !options.default_limits {
            let offered = adapter.limits();
            required_limits.max_storage_buffer_binding_size = offered.max_storage_buffer_binding_size;
            required_limits.max_buffer_size = offered.max_buffer_size;
        }
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("lastbit"),
                required_features,
                required_limits,
                ..Default::default()
            })
            .await
            .map_err(|e| GpuError::DeviceRefused { adapter: info.name.clone(), reason: e.to_string() })?;

        let trouble = Arc::new(Mutex::new(None));
        let lost = Arc::clone(&trouble);
        device.set_device_lost_callback(move |reason, message| {
            note(&lost, GpuError::DeviceLost { reason: format!("{reason:?} {message}") });
        });
        let uncaptured = Arc::clone(&trouble);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            note(&uncaptured, GpuError::Uncaptured { reason: error.to_string() });
        }));

        let limits = device.limits();
        let software = info.device_type == wgpu::DeviceType::Cpu;
        let subgroup_size =
            (subgroups && info.subgroup_min_size == info.subgroup_max_size).then_some(info.subgroup_min_size);
        let family = options
            .family
            .unwrap_or_else(|| Family::for_adapter(software, if subgroups { info.subgroup_min_size } else { 0 }));
        let report = DeviceReport {
            name: info.name,
            vendor: if info.vendor == 0 { String::new() } else { format!("{:#06x}", info.vendor) },
            device_type: format!("{:?}", info.device_type),
            backend: format!("{:?}", info.backend),
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
            software,
            family,
            subgroups,
            subgroup_size,
            shader_f16: device.features().contains(wgpu::Features::SHADER_F16),
            fingerprint: Fingerprint::default(),
            limits: LimitsReport {
                max_storage_buffer_binding_size: limits.max_storage_buffer_binding_size,
                max_buffer_size: limits.max_buffer_size,
                max_storage_buffers_per_shader_stage: limits.max_storage_buffers_per_shader_stage,
                max_compute_workgroup_storage_size: limits.max_compute_workgroup_storage_size,
                max_compute_invocations_per_workgroup: limits.max_compute_invocations_per_workgroup,
            },
        };
        let mut opened = Self { device, queue, report: Arc::new(report), trouble, counters: Arc::default() };
        let fingerprint = Fingerprint::measure(&opened, subgroups, opened.report.shader_f16).await?;
        Arc::make_mut(&mut opened.report).fingerprint = fingerprint;
        // What is counted is asked of an open device.
        opened.counters = Arc::default();
        Ok(opened)
    }

    /// What device this is.
    pub fn report(&self) -> &DeviceReport {
        &self.report
    }

    pub(crate) fn raw(&self) -> &wgpu::Device {
        &self.device
    }

    /// What was asked of the device so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    pub(crate) fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// The first device loss or uncaught error since the device was opened, if any.
    ///
    /// # Errors
    /// That error.
    pub fn check(&self) -> Result<(), GpuError> {
        match self.trouble.lock().expect("no panic happens while this lock is held").as_ref() {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// Gives the device up, as a driver reset would; later calls end in [`GpuError::DeviceLost`]. For tests of that path.
    pub fn lose(&self) {
        self.device.destroy();
        note(&self.trouble, GpuError::DeviceLost { reason: "given up on request".to_owned() });
    }

    /// A new buffer of `len_bytes`, zeroed.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] before asking, [`GpuError::OutOfMemory`] after.
    async fn buffer(&self, what: &str, len_bytes: u64, usage: wgpu::BufferUsages) -> Result<Buffer, GpuError> {
        let mut limit_bytes = self.report.limits.max_buffer_size;
        if usage.contains(wgpu::BufferUsages::STORAGE) {
            limit_bytes = limit_bytes.min(self.report.limits.max_storage_buffer_binding_size);
        }
        if len_bytes > limit_bytes {
            return Err(GpuError::TooLarge { what: what.to_owned(), len_bytes, limit_bytes });
        }
        self.counters.buffers.add(1);
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(what),
            size: len_bytes.max(16).next_multiple_of(16),
            usage,
            mapped_at_creation: false,
        });
        let refused = validation.pop();
        let full = memory.pop();
        if refused.await.is_some() || full.await.is_some() {
            return Err(GpuError::OutOfMemory { what: what.to_owned(), len_bytes });
        }
        self.check()?;
        Ok(buffer)
    }

    /// A storage buffer that can be written to and copied from.
    ///
    /// # Errors
    /// As [`Device::buffer`].
    pub async fn storage(&self, what: &str, len_bytes: u64) -> Result<Buffer, GpuError> {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
        self.buffer(what, len_bytes, usage).await
    }

    /// A storage buffer that holds `bytes`.
    ///
    /// # Errors
    /// As [`Device::buffer`].
    pub async fn upload(&self, what: &str, bytes: &[u8]) -> Result<Buffer, GpuError> {
        let buffer = self.storage(what, bytes.len() as u64).await?;
        self.write(&buffer, 0, bytes);
        Ok(buffer)
    }

    /// A uniform buffer that holds `bytes`.
    ///
    /// # Errors
    /// As [`Device::buffer`].
    pub async fn uniform(&self, what: &str, bytes: &[u8]) -> Result<Buffer, GpuError> {
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let buffer = self.buffer(what, bytes.len() as u64, usage).await?;
        self.write(&buffer, 0, bytes);
        Ok(buffer)
    }

    /// A buffer that results are copied to and read from.
    ///
    /// # Errors
    /// As [`Device::buffer`].
    pub async fn staging(&self, what: &str, len_bytes: u64) -> Result<Buffer, GpuError> {
        self.buffer(what, len_bytes, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST).await
    }

    /// Writes `bytes` (a multiple of four) at `offset_bytes`, before the next submission.
    pub fn write(&self, buffer: &Buffer, offset_bytes: u64, bytes: &[u8]) {
        self.queue.write_buffer(buffer, offset_bytes, bytes);
    }

    /// Waits for a mapped staging buffer and takes its first `len_bytes` bytes.
    ///
    /// # Errors
    /// [`GpuError::DeviceLost`], [`GpuError::ReadBack`].
    pub async fn read_staging(&self, what: &str, staging: &Buffer, len_bytes: u64) -> Result<Vec<u8>, GpuError> {
        self.counters.bytes_read_back.add(len_bytes);
        let failed = |reason: String| GpuError::ReadBack { what: what.to_owned(), reason };
        let slice = staging.slice(..len_bytes);
        let mapped = super::kernel::mapped(&slice);
        #[cfg(not(target_arch = "wasm32"))]
        self.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| failed(e.to_string()))?;
        let result = mapped.await;
        self.check()?;
        result.map_err(failed)?;
        let bytes = slice.get_mapped_range().map_err(|e| failed(e.to_string()))?.to_vec();
        staging.unmap();
        Ok(bytes)
    }

    /// Waits until everything submitted so far has been computed.
    ///
    /// # Errors
    /// [`GpuError::DeviceLost`], [`GpuError::ReadBack`].
    pub async fn finished(&self) -> Result<(), GpuError> {
        let done = super::kernel::finished(&self.queue);
        #[cfg(not(target_arch = "wasm32"))]
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|e| GpuError::ReadBack { what: "the end of a step".to_owned(), reason: e.to_string() })?;
        done.await;
        self.check()
    }

    /// Copies a buffer's first `len_bytes` bytes (a multiple of four) to the CPU.
    ///
    /// # Errors
    /// As [`Device::read_staging`], and allocation errors of the staging buffer.
    pub async fn read_back(&self, what: &str, buffer: &Buffer, len_bytes: u64) -> Result<Vec<u8>, GpuError> {
        self.read_back_from(what, buffer, 0, len_bytes).await
    }

    /// The same from `offset_bytes` on (a multiple of four).
    ///
    /// # Errors
    /// As [`Device::read_back`].
    pub async fn read_back_from(
        &self,
        what: &str,
        buffer: &Buffer,
        offset_bytes: u64,
        len_bytes: u64,
    ) -> Result<Vec<u8>, GpuError> {
        let staging = self.staging(what, len_bytes).await?;
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, offset_bytes, &staging, 0, len_bytes);
        self.queue.submit([encoder.finish()]);
        self.read_staging(what, &staging, len_bytes).await
    }
}

/// Keeps the first trouble: later ones follow from it.
fn note(trouble: &Mutex<Option<GpuError>>, error: GpuError) {
    trouble.lock().expect("no panic happens while this lock is held").get_or_insert(error);
}
