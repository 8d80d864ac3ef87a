//! One compiled compute pipeline, its bind group layout read off its own WGSL, and bind groups made for it.

use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use super::{Device, GpuError};

/// A compute pipeline with the bindings that its WGSL declares.
#[derive(Debug, Clone)]
pub struct Kernel {
    name: String,
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    bindings: Vec<u32>,
}

/// A buffer on the device.
pub type Buffer = wgpu::Buffer;

/// A kernel's bound buffers.
pub type Bindings = wgpu::BindGroup;

/// Workgroups in x and y that cover `n` along one axis, within 65,535 each.
pub fn grid(n: u32) -> (u32, u32) {
    const MOST: u32 = 65_535;
    if n <= MOST { (n, 1) } else { (MOST, n.div_ceil(MOST)) }
}

impl Kernel {
    /// Compiles `source`, whose entry point is `main`.
    ///
    /// # Errors
    /// [`GpuError::Shader`] with the compiler's words, [`GpuError::DeviceLost`].
    pub async fn new(device: &Device, name: &str, source: &str) -> Result<Self, GpuError> {
        let raw = device.raw();
        let scope = raw.push_error_scope(wgpu::ErrorFilter::Validation);
        let internal = raw.push_error_scope(wgpu::ErrorFilter::Internal);
        let module = raw.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(name),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let entries = layout_entries(source);
        let bindings = entries.iter().map(|entry| entry.binding).collect();
        let layout =
            raw.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(name), entries: &entries });
        let pipeline_layout = raw.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(name),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = raw.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        let failed = internal.pop();
        let refused = scope.pop();
        if let Some(error) = failed.await.or(refused.await) {
            return Err(GpuError::Shader { kernel: name.to_owned(), reason: error.to_string() });
        }
        device.check()?;
        device.counters().pipelines.add(1);
        Ok(Self { name: name.to_owned(), pipeline, layout, bindings })
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether its WGSL declares this binding.
    pub fn binds(&self, binding: u32) -> bool {
        self.bindings.contains(&binding)
    }

    /// Binds buffers by binding number; each number that the WGSL declares must be there.
    pub fn bind(&self, device: &Device, buffers: &[(u32, &Buffer)]) -> Bindings {
        device.counters().bind_groups.add(1);
        let entries: Vec<_> = buffers
            .iter()
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding: *binding, resource: buffer.as_entire_binding() })
            .collect();
        device.raw().create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(&self.name),
            layout: &self.layout,
            entries: &entries,
        })
    }
}

/// One recorded command.
#[derive(Debug)]
enum Command<'a> {
    Dispatch { kernel: &'a Kernel, bindings: &'a Bindings, grid: (u32, u32, u32) },
    Copy { from: &'a Buffer, from_bytes: u64, to: &'a Buffer, to_bytes: u64, len_bytes: u64 },
}

/// Commands to be submitted together. Dispatches that follow each other share one pass.
#[derive(Debug, Default)]
pub struct Recorder<'a> {
    commands: Vec<Command<'a>>,
}

impl<'a> Recorder<'a> {
    /// Records one dispatch of `grid` workgroups.
    pub fn dispatch(&mut self, kernel: &'a Kernel, bindings: &'a Bindings, grid: (u32, u32, u32)) {
        self.commands.push(Command::Dispatch { kernel, bindings, grid });
    }

    /// Records a copy between buffers; offsets and length in bytes, multiples of four.
    pub fn copy(&mut self, from: &'a Buffer, from_bytes: u64, to: &'a Buffer, to_bytes: u64, len_bytes: u64) {
        self.commands.push(Command::Copy { from, from_bytes, to, to_bytes, len_bytes });
    }

    /// Submits everything recorded.
    pub fn submit(&self, device: &Device) {
        let mut encoder = device.raw().create_command_encoder(&Default::default());
        let mut pass = None;
        for command in &self.commands {
            match *command {
                Command::Dispatch { kernel, bindings, grid } => {
                    let pass = pass.get_or_insert_with(|| {
                        device.counters().passes.add(1);
                        encoder.begin_compute_pass(&Default::default()).forget_lifetime()
                    });
                    device.counters().dispatches.add(1);
                    pass.set_pipeline(&kernel.pipeline);
                    pass.set_bind_group(0, bindings, &[]);
                    pass.dispatch_workgroups(grid.0, grid.1, grid.2);
                }
                Command::Copy { from, from_bytes, to, to_bytes, len_bytes } => {
                    pass = None;
                    encoder.copy_buffer_to_buffer(from, from_bytes, to, to_bytes, len_bytes);
                }
            }
        }
        drop(pass);
        device.counters().submissions.add(1);
        device.queue().submit([encoder.finish()]);
    }

    /// The dispatches of each kernel by themselves, in their order. For measuring: what they compute out of turn is of no use.
    pub fn by_kernel(&self) -> Vec<(&'a str, Self)> {
        let mut groups: Vec<(&str, Self)> = Vec::new();
        for command in &self.commands {
            if let Command::Dispatch { kernel, bindings, grid } = *command {
                match groups.iter_mut().find(|(name, _)| *name == kernel.name()) {
                    Some((_, group)) => group.dispatch(kernel, bindings, grid),
                    None => {
                        let mut group = Self::default();
                        group.dispatch(kernel, bindings, grid);
                        groups.push((kernel.name(), group));
                    }
                }
            }
        }
        groups
    }
}

/// The bind group layout that WGSL text declares: one line per binding, `@group(0) @binding(N) var<…>`.
fn layout_entries(source: &str) -> Vec<wgpu::BindGroupLayoutEntry> {
    let mut entries: Vec<wgpu::BindGroupLayoutEntry> = Vec::new();
    for line in source.lines() {
        let Some(rest) = line.strip_prefix("@group(0) @binding(") else { continue };
        let Some((number, rest)) = rest.split_once(") var<") else { continue };
        let Ok(binding) = number.parse() else { continue };
        let ty = if rest.starts_with("uniform") {
            wgpu::BufferBindingType::Uniform
        } else {
            wgpu::BufferBindingType::Storage { read_only: !rest.starts_with("storage, read_write") }
        };
        entries.push(wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        });
    }
    entries
}

/// What a wgpu callback leaves for the future that waits for it.
struct Signal<T> {
    value: Option<T>,
    waker: Option<Waker>,
}

/// A way to send one value, and the future that receives it.
fn signal<T: Send + 'static>() -> (impl FnOnce(T) + Send + 'static, impl Future<Output = T>) {
    const LOCK: &str = "no panic happens while this lock is held";
    let signal = Arc::new(Mutex::new(Signal { value: None, waker: None::<Waker> }));
    let sender = Arc::clone(&signal);
    let send = move |value| {
        let mut signal = sender.lock().expect(LOCK);
        signal.value = Some(value);
        if let Some(waker) = signal.waker.take() {
            waker.wake();
        }
    };
    let received = std::future::poll_fn(move |context| {
        let mut signal = signal.lock().expect(LOCK);
        match signal.value.take() {
            Some(value) => Poll::Ready(value),
            None => {
                signal.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    });
    (send, received)
}

/// A future of `map_async`.
pub(super) fn mapped(slice: &wgpu::BufferSlice<'_>) -> impl Future<Output = Result<(), String>> + use<> {
    let (send, received) = signal();
    slice.map_async(wgpu::MapMode::Read, move |result| send(result.map_err(|e| e.to_string())));
    received
}

/// A future of the end of all submitted work.
pub(super) fn finished(queue: &wgpu::Queue) -> impl Future<Output = ()> + use<> {
    let (send, received) = signal();
    queue.on_submitted_work_done(move || send(()));
    received
}
