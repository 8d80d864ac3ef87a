//! Every pipeline that one model runs under one numerics, compiled once.

use std::collections::BTreeMap;

use super::select::{KernelShape, Lanes, PerShape};
use super::wgsl::{Epilogue, Target};
use super::{Device, GpuError, Kernel};
use crate::quant::TensorType;

/// Which matrix formats a model's sites hold; each pair needs pipelines of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatmulFormats {
    /// Format of the token embedding.
    pub embed: TensorType,
    /// Every (site, format) that occurs.
    pub matmuls: Vec<(Epilogue, TensorType)>,
}

/// Every pipeline of one model under one numerics.
#[derive(Debug)]
pub struct Kernels {
    /// What they were compiled for: kernels of few rows, and of many.
    pub target: PerShape<Target>,
    /// Token ids to the residual stream.
    pub embed: PerShape<Kernel>,
    /// Attention over one split.
    pub attention_split: Kernel,
    /// Folds the splits.
    pub attention_fold: PerShape<Kernel>,
    /// Top five and hash of a stretch of logits.
    pub top_k_parts: Kernel,
    /// Top five and hash of a row.
    pub top_k_merge: Kernel,
    /// The output head after a step of many rows, where its arithmetic is not that of few: the head itself has few rows mostly.
    pub output_after_many: Option<PerShape<Kernel>>,
    /// Adds the shards of split products.
    pub ring_sum: Option<PerShape<Kernel>>,
    /// Norm and rotation of the heads of Q and K, of architectures that have such norms.
    pub head_norm: Option<Kernel>,
    /// The norm in front of the residual stream, of architectures that have one.
    pub post_norm: Option<PerShape<Kernel>>,
    matmuls: BTreeMap<(&'static str, TensorType), PerShape<Kernel>>,
}

impl Kernels {
    /// Compiles them all; those that arithmetic does not tell apart once.
    ///
    /// # Errors
    /// [`GpuError::Shader`] names the kernel; [`GpuError::DeviceLost`].
    pub async fn new(device: &Device, target: PerShape<Target>, formats: &MatmulFormats) -> Result<Self, GpuError> {
        let compile = |name: String, source: String| async move { Kernel::new(device, &name, &source).await };
        let both = async |name: &str, source: fn(&Target, TensorType) -> String| {
            let vector = compile(name.to_owned(), source(&target.vector, formats.embed)).await?;
            let tiled = if target.vector == target.tiled {
                vector.clone()
            } else {
                compile(name.to_owned(), source(&target.tiled, formats.embed)).await?
            };
            Ok::<_, GpuError>(PerShape { vector, tiled })
        };
        let ring_sum = match formats.matmuls.iter().any(|(epilogue, _)| *epilogue == Epilogue::Partial) {
            true => Some(both("ring_sum", |target, _| target.ring_sum()).await?),
            false => None,
        };
        let head_norm = match target.vector.architecture.head_norms {
            true => Some(compile("head_norm".to_owned(), target.vector.head_norm()).await?),
            false => None,
        };
        let post_norm = match target.vector.architecture.post_norms {
            true => Some(both("post_norm", |target, _| target.post_norm()).await?),
            false => None,
        };
        let matmul = |epilogue, weights, shape, target: Target| {
            compile(matmul_name(epilogue, weights, shape), target.matmul(weights, shape, epilogue))
        };
        let mut matmuls = BTreeMap::new();
        let mut output_after_many = None;
        for &(epilogue, weights) in &formats.matmuls {
            let vector = matmul(epilogue, weights, KernelShape::Vector, target.vector).await?;
            let tiled = matmul(epilogue, weights, KernelShape::Tiled, target.tiled).await?;
            if epilogue == Epilogue::Output && target.vector != target.tiled {
                let vector = matmul(epilogue, weights, KernelShape::Vector, target.tiled).await?;
                output_after_many = Some(PerShape { vector, tiled: tiled.clone() });
            }
            matmuls.insert((epilogue.name(), weights), PerShape { vector, tiled });
        }
        Ok(Self {
            target,
            embed: both("embed", Target::embed).await?,
            attention_split: compile("attention_split".to_owned(), target.vector.attention_split()).await?,
            attention_fold: both("attention_fold", |target, _| target.attention_fold()).await?,
            top_k_parts: compile("top_k_parts".to_owned(), target.vector.top_k_parts()).await?,
            top_k_merge: compile("top_k_merge".to_owned(), target.vector.top_k_merge()).await?,
            output_after_many,
            ring_sum,
            head_norm,
            post_norm,
            matmuls,
        })
    }

    /// How blocks lie on threads.
    pub fn lanes(&self) -> Lanes {
        self.target.vector.lanes
    }

    /// The two kernels of a site whose matrix has this format.
    ///
    /// # Panics
    /// If the format was not among those compiled for: a bug of the caller.
    pub fn matmul(&self, epilogue: Epilogue, weights: TensorType) -> &PerShape<Kernel> {
        self.matmuls.get(&(epilogue.name(), weights)).expect("every site's format was compiled")
    }

    /// Every compiled matrix product.
    pub fn matmuls(&self) -> impl Iterator<Item = (&'static str, TensorType, &PerShape<Kernel>)> {
        self.matmuls.iter().map(|((site, weights), kernels)| (*site, *weights, kernels))
    }
}

/// Name of a matrix product's kernel, as shown and recorded: `qkv_q4_1_vector`.
pub fn matmul_name(epilogue: Epilogue, weights: TensorType, shape: KernelShape) -> String {
    let shape = match shape {
        KernelShape::Vector => "vector",
        KernelShape::Tiled => "tiled",
    };
    format!("{}_{}_{shape}", epilogue.name(), weights.name().to_lowercase())
}

impl Target {
    /// Workgroups in x and y for `n_tasks` tasks of a matmul with this epilogue, and in z for `n_tokens` rows.
    pub fn matmul_grid(&self, epilogue: Epilogue, shape: KernelShape, n_tasks: u32, n_tokens: u32) -> (u32, u32, u32) {
        let (panels, tokens) = match shape {
            KernelShape::Vector => (self.vector_panels(epilogue), 1),
            KernelShape::Tiled => (self.lanes.tasks() * epilogue.panels(), self.tiled_tokens()),
        };
        let (x, y) = super::grid((n_tasks * epilogue.panels()).div_ceil(panels));
        (x, y, n_tokens.div_ceil(tokens))
    }
}

impl Lanes {
    /// Tasks of one workgroup.
    pub fn tasks(self) -> u32 {
        match self {
            Self::Subgroup8 | Self::Subgroup4 => 1,
            Self::Alone | Self::Shuffle8 | Self::Workgroup => 8,
        }
    }
}
