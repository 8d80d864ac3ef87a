//! On load, every kernel that will run is compared with its CPU twin on this device, outputs poisoned first.
//!
//! The pipelines are the model's own; the data is small and seeded. A kernel that leaves an output unwritten, writes where it must not,
//! leaves a NaN or is too far from the twin is an error that names it. Orders are settings of one set of pipelines, so each is tested. In
//! order invariant, where a vector and a tiled pipeline serve one site, it is also measured whether the two agree in every bit, and
//! attention must not depend on where a prompt was cut into steps.

pub mod attention;
pub mod case;
pub mod embed;
pub mod head_norm;
pub mod matmul;
pub mod post_norm;
pub mod ring_sum;
pub mod seeded;
pub mod top_k;

use serde::Serialize;
use web_time::Instant;

use crate::gpu::select::{KernelShape, PerShape, slices};
use crate::gpu::wgsl::{Epilogue, Target};
use crate::gpu::{Device, GpuError, Kernel, Kernels, MatmulFormats};
use crate::numerics::{Order, SHARD_COUNTS};
use attention::AttentionStep;
use case::{Case, Distance, Found};
use embed::EmbedStep;
use head_norm::HeadNormStep;
use matmul::{MatmulSite, MatmulSize};
use post_norm::PostNormStep;
use ring_sum::RingStep;
use top_k::TopStep;

/// Rows at which the two pipelines of a site must agree in order invariant.
const AGREEING_ROWS: [u32; 5] = [1, 2, 3, 7, 16];

/// Rows that stand for the few and for the many.
const FEW_ROWS: u32 = 3;
const MANY_ROWS: u32 = 7;

/// Length of a row of weights: six slices of two blocks, so that slices matter to the order. Formats of longer blocks have the next
/// length that these divide: eight slices of two.
const ROW_LEN: u32 = 384;

/// Where the prompt of the attention check is cut.
const CUTS: [usize; 4] = [1, 63, 64, 65];

/// Length of that prompt.
const PROMPT_LEN: u32 = 66;

/// How far one kernel is from its CPU twin.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct KernelCheck {
    /// Kernel name.
    pub name: String,
    /// Largest squared error over squared value among its outputs.
    pub nmse: f64,
    /// Whether every output word is the twin's.
    pub bit_equal: bool,
}

/// What the self-test found on a device that passed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct SelfTest {
    /// Every kernel once.
    pub kernels: Vec<KernelCheck>,
    /// Whether vector and tiled pipelines of every site gave the same bits for the same rows in order invariant. Where they do not, one
    /// pipeline must serve every row count there; false too where their arithmetic differs.
    pub invariant_pipelines_agree: bool,
    /// How long it took, twins included.
    pub elapsed_ms: f64,
}

/// Why a device must not run this model.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SelfTestError {
    /// The kernel left words of its outputs as they were.
    #[error("kernel {kernel} left {n_unwritten} of {n_words} output words unwritten on this device")]
    Unwritten {
        /// Kernel name.
        kernel: String,
        /// Words left alone.
        n_unwritten: usize,
        /// Words it had to write.
        n_words: usize,
    },
    /// The kernel wrote beside its outputs.
    #[error("kernel {kernel} wrote {n_outside} words outside its outputs on this device: {first}")]
    WroteOutside {
        /// Kernel name.
        kernel: String,
        /// Words that it must not write.
        n_outside: usize,
        /// The first that is wrong.
        first: String,
    },
    /// The kernel computed NaN or infinity from finite numbers.
    #[error("kernel {kernel} gave {n_not_finite} results that are not finite on this device: {first}")]
    NotFinite {
        /// Kernel name.
        kernel: String,
        /// Words that are not finite.
        n_not_finite: usize,
        /// The first that is wrong.
        first: String,
    },
    /// An output without rounding differs.
    #[error("kernel {kernel} must be exact but gave {n_inexact} wrong words on this device: {first}")]
    Inexact {
        /// Kernel name.
        kernel: String,
        /// Words that differ.
        n_inexact: usize,
        /// The first that is wrong.
        first: String,
    },
    /// The kernel is too far from its twin.
    #[error("kernel {kernel} is off by a squared error of {nmse:.2e} on this device, allowed are {limit:.0e}: {first}")]
    Inaccurate {
        /// Kernel name.
        kernel: String,
        /// Squared error over squared value.
        nmse: f64,
        /// Largest that is allowed.
        limit: f64,
        /// The first that differs.
        first: String,
    },
    /// In order invariant: attention of a row depends on the rows beside it.
    #[error(
        "kernel {kernel} gives row {row} other bits when the prompt is cut at {cut}, though the order is invariant"
    )]
    DependsOnCut {
        /// Kernel name.
        kernel: String,
        /// Row of the prompt.
        row: usize,
        /// First row of the second step.
        cut: usize,
    },
    /// The device failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

/// One dispatch of the test.
struct Dispatch<'a> {
    kernel: &'a Kernel,
    case: Case,
    grid: (u32, u32, u32),
}

/// Compares every kernel with its twin, in every order that it can be run in. `formats` are those that `kernels` were compiled for.
///
/// # Errors
/// [`SelfTestError`] names the first kernel that fails.
pub async fn self_test(device: &Device, kernels: &Kernels, formats: &MatmulFormats) -> Result<SelfTest, SelfTestError> {
    let start = Instant::now();
    let mut dispatches = Vec::new();
    embed_dispatch(kernels, formats, &mut dispatches);
    let pairs = matmul_dispatches(kernels, formats, &mut dispatches);
    ring_sum_dispatches(kernels, &mut dispatches);
    norm_dispatches(kernels, &mut dispatches);
    let cuts = attention_dispatches(kernels, &mut dispatches);
    top_k_dispatches(kernels, &mut dispatches);

    let planned: Vec<_> = dispatches.iter().map(|d| (d.kernel, &d.case, d.grid)).collect();
    let found = case::run(device, &planned).await?;
    let mut checks: Vec<KernelCheck> = Vec::new();
    for (dispatch, found) in dispatches.iter().zip(&found) {
        let check = judge(dispatch.kernel.name(), &dispatch.case.distance(found))?;
        match checks.iter_mut().find(|known| known.name == check.name) {
            Some(known) => {
                known.nmse = known.nmse.max(check.nmse);
                known.bit_equal &= check.bit_equal;
            }
            None => checks.push(check),
        }
    }
    for cut in &cuts {
        cut.check(dispatches[cut.whole].kernel.name(), &found)?;
    }
    Ok(SelfTest {
        kernels: checks,
        invariant_pipelines_agree: !pairs.is_empty()
            && pairs.iter().all(|&(vector, tiled)| found[vector] == found[tiled]),
        elapsed_ms: start.elapsed().as_secs_f64() * 1e3,
    })
}

fn judge(kernel: &str, distance: &Distance) -> Result<KernelCheck, SelfTestError> {
    let kernel = kernel.to_owned();
    let &Distance { n_words, n_unwritten, n_outside, n_not_finite, n_inexact, nmse, limit, .. } = distance;
    let first = distance.first.clone().unwrap_or_default();
    if n_unwritten > 0 {
        return Err(SelfTestError::Unwritten { kernel, n_unwritten, n_words });
    }
    if n_outside > 0 {
        return Err(SelfTestError::WroteOutside { kernel, n_outside, first });
    }
    if n_not_finite > 0 {
        return Err(SelfTestError::NotFinite { kernel, n_not_finite, first });
    }
    if n_inexact > 0 {
        return Err(SelfTestError::Inexact { kernel, n_inexact, first });
    }
    if nmse > limit {
        return Err(SelfTestError::Inaccurate { kernel, nmse, limit, first });
    }
    Ok(KernelCheck { name: kernel, nmse, bit_equal: distance.is_zero() })
}

/// The shapes whose kernels differ beside the matrix products: one where arithmetic is the same in both.
fn shapes(kernels: &Kernels) -> &'static [KernelShape] {
    let same = kernels.target.vector == kernels.target.tiled;
    if same { &[KernelShape::Vector] } else { &[KernelShape::Vector, KernelShape::Tiled] }
}

fn embed_dispatch<'a>(kernels: &'a Kernels, formats: &MatmulFormats, dispatches: &mut Vec<Dispatch<'a>>) {
    for &shape in shapes(kernels) {
        let dim = 96_u32.next_multiple_of(formats.embed.run_len() as u32);
        let step = EmbedStep::seeded(formats.embed, *kernels.target.get(shape), FEW_ROWS, 70, dim, 1);
        dispatches.push(Dispatch { kernel: kernels.embed.get(shape), case: step.case(), grid: step.grid() });
    }
}

/// Plans the sums of shards: how many there are is a setting of one kernel.
fn ring_sum_dispatches<'a>(kernels: &'a Kernels, dispatches: &mut Vec<Dispatch<'a>>) {
    let Some(ring_sum) = &kernels.ring_sum else { return };
    for &shape in shapes(kernels) {
        for n_shards in SHARD_COUNTS {
            let step = RingStep::seeded(*kernels.target.get(shape), FEW_ROWS, 96, n_shards, 41);
            dispatches.push(Dispatch { kernel: ring_sum.get(shape), case: step.case(), grid: step.grid() });
        }
    }
}

/// Plans the norms that some architectures have of heads and in front of the residual stream.
fn norm_dispatches<'a>(kernels: &'a Kernels, dispatches: &mut Vec<Dispatch<'a>>) {
    if let Some(kernel) = &kernels.head_norm {
        let step = HeadNormStep::seeded(kernels.target.vector, 3, 1, FEW_ROWS, 42);
        dispatches.push(Dispatch { kernel, case: step.case(), grid: step.grid() });
    }
    if let Some(post_norm) = &kernels.post_norm {
        for &shape in shapes(kernels) {
            let step = PostNormStep::seeded(*kernels.target.get(shape), FEW_ROWS, ROW_LEN, 43);
            dispatches.push(Dispatch { kernel: post_norm.get(shape), case: step.case(), grid: step.grid() });
        }
    }
}

/// Plans the matrix products; returns which dispatches must agree in order invariant, which runs only where arithmetic is the same for
/// few and for many rows.
fn matmul_dispatches<'a>(
    kernels: &'a Kernels,
    formats: &MatmulFormats,
    dispatches: &mut Vec<Dispatch<'a>>,
) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let same = kernels.target.vector == kernels.target.tiled;
    for (seed, &(epilogue, weights)) in (2..).zip(&formats.matmuls) {
        let mut plan = |target: Target, kernel: &'a Kernel, n_rows: u32, order: Order, shape: KernelShape| {
            let row_len = ROW_LEN.next_multiple_of(weights.run_len() as u32);
            let size = MatmulSize { n_rows, row_len, n_out: 64, n_heads: 3, n_kv_heads: 1 };
            let mut site = MatmulSite::seeded(epilogue, weights, target, size, seed);
            if epilogue == Epilogue::Partial {
                site = site.shard(1, 2);
            }
            let case = site.case(slices(order, shape, site.n_terms()));
            dispatches.push(Dispatch { kernel, case, grid: site.grid(shape) });
            dispatches.len() - 1
        };
        let (PerShape { vector, tiled }, target) = (kernels.matmul(epilogue, weights), kernels.target);
        // The vector kernel slices K alike in every order.
        plan(target.tiled, tiled, MANY_ROWS, Order::ByShape, KernelShape::Tiled);
        for n_rows in AGREEING_ROWS {
            let few = plan(target.vector, vector, n_rows, Order::Invariant, KernelShape::Vector);
            if same {
                pairs.push((few, plan(target.tiled, tiled, n_rows, Order::Invariant, KernelShape::Tiled)));
            }
        }
        if let (Epilogue::Output, Some(kernels)) = (epilogue, &kernels.output_after_many) {
            plan(target.tiled, &kernels.vector, FEW_ROWS, Order::ByShape, KernelShape::Vector);
        }
    }
    pairs
}

/// The same rows in a step of their own and in the step of the whole prompt.
struct Cut {
    /// First row of the step of its own.
    at: usize,
    /// Dispatch of the whole prompt.
    whole: usize,
    /// Dispatch of the rows from `at` on.
    rest: usize,
}

impl Cut {
    fn check(&self, kernel: &str, found: &[Found]) -> Result<(), SelfTestError> {
        for (whole, rest) in found[self.whole].iter().zip(&found[self.rest]) {
            let row_len = (whole.len() - case::GUARD_WORDS) / PROMPT_LEN as usize;
            for row in self.at..PROMPT_LEN as usize {
                if whole[row * row_len..][..row_len] != rest[(row - self.at) * row_len..][..row_len] {
                    return Err(SelfTestError::DependsOnCut { kernel: kernel.to_owned(), row, cut: self.at });
                }
            }
        }
        Ok(())
    }
}

/// Plans attention; returns which rows must not depend on their step, in order invariant.
fn attention_dispatches<'a>(kernels: &'a Kernels, dispatches: &mut Vec<Dispatch<'a>>) -> Vec<Cut> {
    let mut plan = |step: &AttentionStep, order: Order| {
        let partials = step.partials(order);
        let case = step.split_case(order, &partials);
        dispatches.push(Dispatch { kernel: &kernels.attention_split, case, grid: step.split_grid(order) });
        for &shape in shapes(kernels).iter().rev() {
            let mut step = step.clone();
            step.target = *kernels.target.get(shape);
            let case = step.fold_case(order, &partials);
            dispatches.push(Dispatch { kernel: kernels.attention_fold.get(shape), case, grid: step.fold_grid() });
        }
        dispatches.len()
    };
    let seeded = |rows: &[(u32, u32)], seed| AttentionStep::seeded(kernels.target.vector, 3, 1, rows, seed);
    for order in [Order::ByShape, Order::Invariant] {
        plan(&seeded(&[(0, 0), (1, 129), (0, 63)], 21), order);
        plan(&seeded(&[(0, 0), (1, 129), (0, 63), (1, 14), (0, 64), (1, 15), (0, 16)], 22), order);
        plan(&seeded(&[(0, 0), (1, 129), (0, 63)], 24).with_window(50), order);
    }
    let prompt = seeded(&(0..PROMPT_LEN).map(|position| (0, position)).collect::<Vec<_>>(), 23);
    let whole = plan(&prompt, Order::Invariant);
    let mut cuts = Vec::new();
    for at in CUTS {
        let rest = plan(&prompt.with_rows(|row| row >= at), Order::Invariant);
        let n = 1 + shapes(kernels).len();
        cuts.extend((1..=n).map(|i| Cut { at, whole: whole - i, rest: rest - i }));
    }
    cuts
}

fn top_k_dispatches<'a>(kernels: &'a Kernels, dispatches: &mut Vec<Dispatch<'a>>) {
    let mut logits: Vec<f32> = seeded::Seeded::new(31).normals(2 * 600).iter().map(|v| (8.0 * v).round()).collect();
    logits[600 + 300] = f32::INFINITY;
    let step = TopStep { n_vocab: 600, logits, tie_rule: kernels.target.vector.tie_rule };
    dispatches.push(Dispatch { kernel: &kernels.top_k_parts, case: step.parts_case(), grid: step.parts_grid() });
    dispatches.push(Dispatch { kernel: &kernels.top_k_merge, case: step.merge_case(), grid: step.merge_grid() });
}
