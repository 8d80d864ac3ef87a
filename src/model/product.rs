//! One matrix product of the forward pass, bound: its two kernels, once for every shard that its terms are split over, and what takes its
//! finished rows on, which adds the shards or takes a norm.

use crate::gpu::select::{self, KernelShape, PerShape};
use crate::gpu::step::Shape;
use crate::gpu::wgsl::{Epilogue, Target};
use crate::gpu::{Bindings, Buffer, Device, Kernel, Recorder};
use crate::numerics::{Order, Site, shard_blocks};

/// One matrix product.
#[derive(Debug)]
pub(super) struct Product {
    pub(super) site: Site,
    pub(super) kernels: PerShape<Kernel>,
    pub(super) target: PerShape<Target>, // what they were compiled for: it decides the grid
    pub(super) epilogue: Epilogue,
    pub(super) n_tasks: u32,
    pub(super) shards: Vec<Shard>,       // one where it is not split
    pub(super) ring_sum: Option<Behind>, // where it is
    pub(super) norm: Option<Behind>,     // where one follows: of heads, or in front of the residual stream
}

/// One device's part of a product.
#[derive(Debug)]
pub(super) struct Shard {
    pub(super) bindings: PerShape<Bindings>,
    pub(super) uniforms: PerShape<Buffer>, // Shape
    pub(super) shape: Shape,
}

/// A kernel that takes a product's rows on: a task for each block of 32 of a row's values.
#[derive(Debug)]
pub(super) struct Behind {
    pub(super) kernels: PerShape<Kernel>,
    pub(super) bindings: PerShape<Bindings>,
    pub(super) n_tasks: u32,
}

impl Product {
    /// Sets the order in which both kernels add from the next step on.
    pub(super) fn set_order(&self, device: &Device, order: Order) {
        let n_shards = u32::try_from(self.shards.len()).expect("at most 8");
        for (number, shard) in (0..).zip(&self.shards) {
            let blocks = shard_blocks(shard.shape.n_blocks, n_shards, number);
            for kernel in [KernelShape::Vector, KernelShape::Tiled] {
                let n_slices = select::slices(order, kernel, (blocks.end - blocks.start) * 32);
                let shape = shard.shape.adding(&blocks, n_slices);
                device.write(shard.uniforms.get(kernel), 0, bytemuck::bytes_of(&shape));
            }
        }
    }

    /// Records this product for `n_tokens` rows in the kernel of `shape`.
    pub(super) fn record<'a>(&'a self, record: &mut Recorder<'a>, shape: KernelShape, n_tokens: u32) {
        let target = self.target.get(shape);
        let grid = target.matmul_grid(self.epilogue, shape, self.n_tasks, n_tokens);
        for shard in &self.shards {
            record.dispatch(self.kernels.get(shape), shard.bindings.get(shape), grid);
        }
        for Behind { kernels, bindings, n_tasks } in self.behind() {
            let n_workgroups = n_tasks.div_ceil(target.lanes.tasks());
            record.dispatch(kernels.get(shape), bindings.get(shape), (n_workgroups, n_tokens, 1));
        }
    }

    /// What takes its rows on, in order.
    fn behind(&self) -> impl Iterator<Item = &Behind> {
        self.ring_sum.iter().chain(&self.norm)
    }

    /// Whether it computes this panel of those of its site.
    pub(super) fn covers(&self, panel: u32) -> bool {
        let first = self.shards[0].shape.first_task;
        (first..first + self.n_tasks).contains(&panel)
    }

    /// The names of the kernels of `shape`.
    pub(super) fn kernel_names(&self, shape: KernelShape) -> impl Iterator<Item = &str> {
        let behind = self.behind().map(move |behind| behind.kernels.get(shape).name());
        std::iter::once(self.kernels.get(shape).name()).chain(behind)
    }

    /// Those names as one: what wrote the product, and what took it on.
    pub(super) fn writer(&self, shape: KernelShape) -> String {
        match &self.norm {
            Some(norm) => format!("{} of {}", norm.kernels.get(shape).name(), self.own_writer(shape)),
            None => self.own_writer(shape),
        }
    }

    /// What wrote the product, before any norm.
    pub(super) fn own_writer(&self, shape: KernelShape) -> String {
        let name = self.kernels.get(shape).name();
        match &self.ring_sum {
            Some(ring_sum) => {
                format!("{} of {} shards of {name}", ring_sum.kernels.get(shape).name(), self.shards.len())
            }
            None => name.to_owned(),
        }
    }
}
