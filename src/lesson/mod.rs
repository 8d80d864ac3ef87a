//! The sums of the lesson: a few numbers in a format and an order that a person chose, on the device or, bit for bit the same, on its
//! CPU twin. No model takes part.

mod answer;
mod error;
mod number;
mod request;
mod tree;

pub use answer::{Computed, LessonAnswer, LessonReply, OrderResult, TreeResult};
pub use error::LessonError;
pub use number::{Class, NumberFacts};
pub use request::{LessonRequest, Shape, TreeRequest};
pub use tree::Tree;

use crate::gpu::step::TreeShape;
use crate::gpu::{Device, GpuError, Kernel, Recorder, tree_sum as tree_sum_source};
use crate::numerics::SumFormat;
use crate::reference::tree_sum::tree_sum;
use request::Work;

/// Threads of one workgroup of `tree_sum.wgsl`.
const WORKGROUP: u32 = 64;

/// The lesson on a device. A format's kernel is compiled when it is first asked for.
#[derive(Debug)]
pub struct Lesson {
    device: Device,
    kernels: Vec<(SumFormat, Kernel)>,
}

impl Lesson {
    /// Nothing is compiled yet.
    pub fn new(device: &Device) -> Self {
        Self { device: device.clone(), kernels: Vec::new() }
    }

    /// Adds on the device, and on the twin to hold the device's bits against.
    ///
    /// # Errors
    /// What of the request cannot be, and GPU errors.
    pub async fn answer(&mut self, request: &LessonRequest) -> Result<LessonReply, LessonError> {
        let work = request.work()?;
        let twin = on_twin(&work);
        let sums = self.sums(&work).await?;
        let n_differing = sums.iter().zip(&twin).filter(|(sum, twin)| sum.to_bits() != twin.to_bits()).count();
        Ok(LessonReply {
            computed: Computed::Gpu { n_sums: sums.len(), n_differing },
            answer: request.answer(&work, &sums),
        })
    }

    /// The sum after every addition of every tree. // [tree, addition]
    async fn sums(&mut self, work: &Work) -> Result<Vec<f32>, GpuError> {
        if work.n_trees() == 0 {
            return Ok(Vec::new());
        }
        let kernel = self.kernel(work.format).await?;
        let device = &self.device;
        let shape = TreeShape { n_trees: work.n_trees() as u32, n_words: work.n_words() as u32, ..Default::default() };
        let shape = device.uniform("tree shape", bytemuck::bytes_of(&shape)).await?;
        let values = device.upload("values", bytemuck::cast_slice(&work.values)).await?;
        let trees = device.upload("trees", bytemuck::cast_slice(&work.trees)).await?;
        let len_bytes = work.n_sums() as u64 * 4;
        let sums = device.storage("sums", len_bytes).await?;
        let bindings = kernel.bind(device, &[(0, &shape), (1, &values), (2, &trees), (3, &sums)]);
        let mut record = Recorder::default();
        record.dispatch(&kernel, &bindings, ((work.n_trees() as u32).div_ceil(WORKGROUP), 1, 1));
        record.submit(device);
        let bytes = device.read_back("sums", &sums, len_bytes).await?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }

    async fn kernel(&mut self, format: SumFormat) -> Result<Kernel, GpuError> {
        if let Some((_, kernel)) = self.kernels.iter().find(|(of, _)| *of == format) {
            return Ok(kernel.clone());
        }
        let kernel = Kernel::new(&self.device, "tree_sum", &tree_sum_source(format)).await?;
        self.kernels.push((format, kernel.clone()));
        Ok(kernel)
    }
}

/// The same on the CPU twin alone.
///
/// # Errors
/// What of the request cannot be.
pub fn answer_on_twin(request: &LessonRequest) -> Result<LessonReply, LessonError> {
    let work = request.work()?;
    let sums = on_twin(&work);
    Ok(LessonReply { computed: Computed::CpuTwin, answer: request.answer(&work, &sums) })
}

fn on_twin(work: &Work) -> Vec<f32> {
    work.each_tree().flat_map(|tree| tree_sum(work.format, &work.values, tree)).collect()
}

#[cfg(test)]
mod tests;
