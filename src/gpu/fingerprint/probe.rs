//! One small kernel with its questions and its answers.

use crate::gpu::{Bindings, Buffer, Device, GpuError, Kernel, Recorder};

/// A kernel, bound: inputs from binding 0 on, then the results.
pub(super) struct Probe {
    kernel: Kernel,
    bindings: Bindings,
    results: Buffer,
    len_bytes: u64,
    grid: (u32, u32, u32),
}

impl Probe {
    pub(super) async fn new(
        device: &Device,
        name: &str,
        source: &str,
        inputs: &[&Vec<u8>],
        n_words: usize,
        grid: (u32, u32, u32),
    ) -> Result<Self, GpuError> {
        let kernel = Kernel::new(device, &format!("fingerprint, {name}"), source).await?;
        let len_bytes = n_words as u64 * 4;
        let mut buffers = Vec::new();
        for bytes in inputs {
            buffers.push(device.upload(kernel.name(), bytes).await?);
        }
        let results = device.storage(kernel.name(), len_bytes).await?;
        let bound: Vec<(u32, &Buffer)> = (0..).zip(buffers.iter().chain([&results])).collect();
        let bindings = kernel.bind(device, &bound);
        Ok(Self { kernel, bindings, results, len_bytes, grid })
    }
}

/// The words that each probe wrote, all from one submission.
pub(super) async fn run(device: &Device, probes: &[Probe]) -> Result<Vec<Vec<u32>>, GpuError> {
    let what = "numeric fingerprint";
    let len_bytes = probes.iter().map(|probe| probe.len_bytes).sum();
    let staging = device.staging(what, len_bytes).await?;
    let mut record = Recorder::default();
    for probe in probes {
        record.dispatch(&probe.kernel, &probe.bindings, probe.grid);
    }
    let mut at = 0;
    for probe in probes {
        record.copy(&probe.results, 0, &staging, at, probe.len_bytes);
        at += probe.len_bytes;
    }
    record.submit(device);
    let bytes = device.read_staging(what, &staging, len_bytes).await?;
    let mut rest = bytes.as_slice();
    let mut answers = Vec::new();
    for probe in probes {
        let (own, after) = rest.split_at(probe.len_bytes as usize);
        answers.push(bytemuck::pod_collect_to_vec(own));
        rest = after;
    }
    Ok(answers)
}
