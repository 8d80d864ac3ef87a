//! Matrix products of a model's own shapes, alone: how close the vector kernel comes to the read anchor and the tiled kernel to the
//! arithmetic one. Weights are made up; their copies together exceed caches, as a model's do.

use serde::Serialize;

use super::anchors::Anchor;
use super::sample::{Measured, Sampler};
use crate::gpu::panel;
use crate::gpu::select::{KernelShape, slices};
use crate::gpu::step::{MAX_ROWS, Shape, StepHeader, StepRow};
use crate::gpu::wgsl::{Epilogue, Target};
use crate::gpu::{Bindings, Buffer, Device, Kernel, Recorder, matmul_name};
use crate::model::self_test::seeded::Seeded;
use crate::model::{Matrix, Model, ModelConfig, ModelError};
use crate::numerics::{ActivationFormat, Arithmetic, KvFormat, Order};
use crate::quant::TensorType;

/// Bytes that the copies of one matrix take together at least.
const COPIES_BYTES: u64 = 64 << 20;

/// Shortest sample.
const SHORTEST_MS: f64 = 50.0;

/// Rows of the tiled kernel's product.
const TILED_ROWS: u32 = 64;

/// Activations: as f32 a small normal number, as int8 four small ones.
const SMALL: u32 = 0x211F_211F;

/// One product's result.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct Product {
    /// Kernel name.
    pub kernel: String,
    /// Output rows of the weights.
    pub n: u32,
    /// Terms of a dot product.
    pub k: u32,
    /// Rows of activations.
    pub m: u32,
    /// Weight format.
    pub weights: &'static str,
    /// Format of activations.
    pub activations: ActivationFormat,
    /// GB/s of weights for the vector kernel, GFLOP/s for the tiled kernel, at the median time.
    pub rate: f64,
    /// Share of the anchor, and times of one product.
    pub measured: Measured,
}

/// A matrix of the model: where it stands and its sizes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site {
    epilogue: Epilogue,
    weights: TensorType,
    n_panels: u32,
    k: u32,
}

impl Site {
    /// The different products of one transformer block, and the head.
    pub(super) fn all(model: &Model) -> Vec<Self> {
        let block = &model.weights.blocks[0];
        let of = |epilogue, matrix: &Matrix| Self {
            epilogue,
            weights: matrix.tensor_type,
            n_panels: matrix.n_panels,
            k: matrix.k,
        };
        vec![
            of(Epilogue::Qkv, &block.attn_qkv[0]),
            of(Epilogue::Residual, &block.attn_output),
            of(Epilogue::GateUp, &block.ffn_gate_up),
            of(Epilogue::Residual, &block.ffn_down),
            of(Epilogue::Output, &model.weights.head()[0]),
        ]
    }

    /// The same product in every weight format, for comparison.
    pub(super) fn in_every_format() -> impl Iterator<Item = Self> {
        let of = |weights| Self { epilogue: Epilogue::Residual, weights, n_panels: 64, k: 2048 };
        TensorType::all().map(of)
    }

    /// Output rows, with the last panel's padding.
    fn n(&self) -> u32 {
        self.n_panels * 32
    }

    /// Bytes of its weights: `(quants or values, scales)`.
    fn len_bytes(&self) -> (u64, u64) {
        panel::len_bytes(self.weights, u64::from(self.n()) * u64::from(self.k))
    }
}

/// Measures every site's vector kernel, and the tiled one where prefill runs it.
pub(super) async fn measure(
    device: &Device,
    model: &Model,
    sites: impl IntoIterator<Item = Site>,
    sampler: &mut Sampler<'_>,
    mut on_progress: impl FnMut(&str),
) -> Result<Vec<Product>, ModelError> {
    let mut products = Vec::new();
    for site in sites {
        let copies = Copies::new(device, site).await?;
        for activations in [ActivationFormat::Int8, ActivationFormat::F32] {
            // Prefill computes the head for one row alone.
            let both = [KernelShape::Vector, KernelShape::Tiled];
            let shapes = if site.epilogue == Epilogue::Output { &both[..1] } else { &both[..] };
            for &shape in shapes {
                on_progress(&matmul_name(site.epilogue, site.weights, shape));
                let bench = ProductBench::new(device, &model.config, &copies, activations, shape).await?;
                products.push(bench.measure(device, sampler).await?);
            }
        }
    }
    Ok(products)
}

/// Copies of one matrix, which a measurement walks through.
struct Copies {
    site: Site,
    buffers: Vec<(Buffer, Option<Buffer>)>,
}

impl Copies {
    async fn new(device: &Device, site: Site) -> Result<Self, ModelError> {
        let n_weights = site.n() as usize * site.k as usize;
        let bytes = Seeded::new(1).weight_bytes(site.weights, n_weights);
        let panels = panel::from_rows(site.weights, site.k as usize, &bytes);
        let (values_len, scales_len) = site.len_bytes();
        let mut buffers = Vec::new();
        for _ in 0..COPIES_BYTES.div_ceil(values_len + scales_len) {
            let values = device.upload("bench weights", &panels.weights).await?;
            let scales = match scales_len {
                0 => None,
                _ => Some(device.upload("bench scales", &panels.scales).await?),
            };
            buffers.push((values, scales));
        }
        device.finished().await?;
        Ok(Self { site, buffers })
    }
}

/// One kernel, bound to every copy.
struct ProductBench {
    site: Site,
    activations: ActivationFormat,
    kernel: Kernel,
    bindings: Vec<Bindings>,
    grid: (u32, u32, u32),
    m: u32,
}

impl ProductBench {
    async fn new(
        device: &Device,
        config: &ModelConfig,
        copies: &Copies,
        activations: ActivationFormat,
        shape: KernelShape,
    ) -> Result<Self, ModelError> {
        let Copies { site, buffers: weights } = copies;
        let report = device.report();
        let lanes = report.family.lanes(report.subgroup_size);
        let target = Target::new(lanes, config.head_dim, Arithmetic::of(activations), KvFormat::F16, KvFormat::F16);
        let name = matmul_name(site.epilogue, site.weights, shape);
        let kernel = Kernel::new(device, &name, &target.matmul(site.weights, shape, site.epilogue)).await?;
        let m = if shape == KernelShape::Vector { 1 } else { TILED_ROWS };
        let n_tasks = site.n_panels / site.epilogue.panels();
        let n_cache_blocks = m.div_ceil(16);
        let uniforms = Shape {
            n_blocks: site.k / 32,
            n_tasks,
            q_dim: config.q_dim(),
            kv_dim: config.kv_dim(),
            row_tasks: n_tasks,
            inverse_dim: 1.0 / config.embedding_dim as f32,
            norm_eps: config.norm_eps,
            ..Shape::default()
        }
        .adding(&(0..site.k / 32), slices(Order::ByShape, shape, site.k));
        let step = device.uniform("bench step", &step_bytes(m)).await?;
        let uniforms = device.uniform("bench shape", bytemuck::bytes_of(&uniforms)).await?;
        let (m_bytes, k, n) = (u64::from(m), u64::from(site.k), u64::from(site.n()));
        let x = device.upload("bench x", bytemuck::cast_slice(&vec![SMALL; (m_bytes * k) as usize])).await?;
        let info = [0.01_f32, 0.05, 32.0, 0.0].repeat((m_bytes * k / 32) as usize);
        let x_info = device.upload("bench x info", bytemuck::cast_slice(&info)).await?;
        let y = device.storage("bench y", m_bytes * n * 4).await?;
        let y_info = device.storage("bench y info", m_bytes * n / 32 * 16).await?;
        let into = device.storage("bench output", m_bytes * n * 4).await?;
        let [next, v] = [(); 2].map(|()| device.storage("bench cache or norm", u64::from(n_cache_blocks) * 16 * n * 4));
        let (next, v) = (next.await?, v.await?);
        let rope = device.storage("bench rope", u64::from(config.head_dim) * 4).await?;
        let mut common = vec![(0, &step), (1, &uniforms), (4, &x), (5, &x_info)];
        match site.epilogue {
            Epilogue::Qkv | Epilogue::QkvRaw => common.extend([(8, &into), (9, &next), (10, &v), (11, &rope)]),
            Epilogue::Residual => common.extend([(6, &y), (7, &y_info), (8, &into), (9, &next)]),
            Epilogue::GateUp | Epilogue::Total => common.extend([(6, &y), (7, &y_info)]),
            Epilogue::Partial | Epilogue::Output => common.push((8, &into)),
        }
        let bind = |(values, scales): &(Buffer, Option<Buffer>)| {
            let mut buffers = common.clone();
            buffers.push((2, values));
            buffers.extend(scales.iter().map(|scales| (3, scales)));
            kernel.bind(device, &buffers)
        };
        let bindings = weights.iter().map(bind).collect();
        let grid = target.matmul_grid(site.epilogue, shape, n_tasks, m);
        Ok(Self { site: *site, activations, kernel, bindings, grid, m })
    }

    /// Runs `n` products one after another, each on the next copy of the weights.
    async fn run(&self, device: &Device, n: u32) -> Result<(), ModelError> {
        let mut record = Recorder::default();
        let copies = self.bindings.iter().cycle().take(n as usize);
        copies.for_each(|bindings| record.dispatch(&self.kernel, bindings, self.grid));
        record.submit(device);
        Ok(device.finished().await?)
    }

    async fn measure(&self, device: &Device, sampler: &mut Sampler<'_>) -> Result<Product, ModelError> {
        let mut runs = 1;
        self.run(device, runs).await?;
        loop {
            let started = std::time::Instant::now();
            self.run(device, runs).await?;
            if started.elapsed().as_secs_f64() * 1e3 >= SHORTEST_MS {
                break;
            }
            runs *= 2;
        }
        let (values, scales) = self.site.len_bytes();
        let bytes = (values + scales) as f64;
        let operations = 2.0 * f64::from(self.m) * f64::from(self.site.n()) * f64::from(self.site.k);
        let tiled = self.m > 1;
        let work = async || self.run(device, runs).await;
        let measured = if tiled {
            sampler.measure(&[Anchor::MultiplyAdd], runs, |a| operations / a.gflop_per_s / 1e6, work).await?
        } else {
            sampler.measure(&[Anchor::Read], runs, |a| bytes / a.read_gb_per_s / 1e6, work).await?
        };
        Ok(Product {
            kernel: self.kernel.name().to_owned(),
            n: self.site.n(),
            k: self.site.k,
            m: self.m,
            weights: self.site.weights.name(),
            activations: self.activations,
            rate: if tiled { operations } else { bytes } / measured.wall_ms.median / 1e6,
            measured,
        })
    }
}

/// The `step` uniform of `m` rows at position 0, each with a cache slot of its own.
fn step_bytes(m: u32) -> Vec<u8> {
    let header = StepHeader {
        n_rows: m,
        first_output_row: 0,
        n_output_rows: m,
        fixed_splits: 0,
        max_splits: 1,
        max_blocks: 0,
        unused: [0; 2],
    };
    let mut bytes = bytemuck::bytes_of(&header).to_vec();
    for slot in 0..MAX_ROWS {
        bytes.extend_from_slice(bytemuck::bytes_of(&StepRow { slot: slot % m, ..StepRow::default() }));
    }
    bytes
}
