//! Every pipeline that one model runs under one numerics, compiled once.

use std::collections::BTreeMap;

use super::select::{KernelShape, Lanes};
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

/// A matrix product's two kernels.
#[derive(Debug, Clone)]
pub struct MatmulKernels {
    /// For few rows.
    pub vector: Kernel,
    /// For many.
    pub tiled: Kernel,
}

impl MatmulKernels {
    /// The kernel of this shape.
    pub fn get(&self, shape: KernelShape) -> &Kernel {
        match shape {
            KernelShape::Vector => &self.vector,
            KernelShape::Tiled => &self.tiled,
        }
    }
}

/// Every pipeline of one model under one numerics.
#[derive(Debug)]
pub struct Kernels {
    /// What they were compiled for.
    pub target: Target,
    /// Token ids to the residual stream.
    pub embed: Kernel,
    /// Attention over one split.
    pub attention_split: Kernel,
    /// Folds the splits.
    pub attention_fold: Kernel,
    /// Top five and hash of a stretch of logits.
    pub top_k_parts: Kernel,
    /// Top five and hash of a row.
    pub top_k_merge: Kernel,
    matmuls: BTreeMap<(&'static str, TensorType), MatmulKernels>,
}

impl Kernels {
    /// Compiles them all.
    ///
    /// # Errors
    /// [`GpuError::Shader`] names the kernel; [`GpuError::DeviceLost`].
    pub async fn new(device: &Device, target: Target, formats: &MatmulFormats) -> Result<Self, GpuError> {
        let compile = |name: String, source: String| async move { Kernel::new(device, &name, &source).await };
        let mut matmuls = BTreeMap::new();
        for &(epilogue, weights) in &formats.matmuls {
            let mut kernels = Vec::with_capacity(2);
            for shape in [KernelShape::Vector, KernelShape::Tiled] {
                let name = matmul_name(epilogue, weights, shape);
                kernels.push(compile(name, target.matmul(weights, shape, epilogue)).await?);
            }
            if let (Some(tiled), Some(vector)) = (kernels.pop(), kernels.pop()) {
                matmuls.insert((epilogue.name(), weights), MatmulKernels { vector, tiled });
            }
        }
        Ok(Self {
            target,
            embed: compile("embed".to_owned(), target.embed(formats.embed)).await?,
            attention_split: compile("attention_split".to_owned(), target.attention_split()).await?,
            attention_fold: compile("attention_fold".to_owned(), target.attention_fold()).await?,
            top_k_parts: compile("top_k_parts".to_owned(), target.top_k_parts()).await?,
            top_k_merge: compile("top_k_merge".to_owned(), target.top_k_merge()).await?,
            matmuls,
        })
    }

    /// The two kernels of a site whose matrix has this format.
    ///
    /// # Panics
    /// If the format was not among those compiled for: a bug of the caller.
    pub fn matmul(&self, epilogue: Epilogue, weights: TensorType) -> &MatmulKernels {
        self.matmuls.get(&(epilogue.name(), weights)).expect("every site's format was compiled")
    }

    /// Every compiled matrix product.
    pub fn matmuls(&self) -> impl Iterator<Item = (&'static str, TensorType, &MatmulKernels)> {
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
            KernelShape::Tiled => (self.lanes.tasks() * epilogue.panels(), self.lanes.tiled_tokens()),
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
