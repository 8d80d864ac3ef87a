//! The norms that some architectures have of heads, and between a layer's output and the residual stream.

use lastbit::architecture::Architecture;
use lastbit::gpu::wgsl::Target;
use lastbit::model::self_test::head_norm::HeadNormStep;
use lastbit::model::self_test::post_norm::PostNormStep;
use lastbit::model::self_test::ring_sum::RingStep;
use lastbit::numerics::{Accumulation, ActivationFormat, Reduction, SHARD_COUNTS};
use lastbit::reference::rms_norm::rms_norm_truth;

use crate::support::{KV_F16, Tally, arithmetics, floats, kv_pairs, variants};
use crate::truth::{self, SUMS, SUMS_IN_F16};

#[test]
fn head_norm_is_its_twin() {
    for variant in variants() {
        let mut tally = Tally::default();
        for (i, kv) in kv_pairs(false).enumerate() {
            for head_dim in [32, 64, 96, 128, 256] {
                let target = Target {
                    architecture: Architecture::QWEN3,
                    ..variant.target(head_dim, ActivationFormat::Int8, kv)
                };
                let kernel = variant.compile("head_norm", target.head_norm());
                for (n_heads, n_kv_heads, n_rows) in [(1, 1, 1), (3, 1, 5), (4, 2, 33)] {
                    let step = HeadNormStep::seeded(target, n_heads, n_kv_heads, n_rows, u64::from(n_rows) + i as u64);
                    let what = format!("{kv:?} head_dim {head_dim}, {n_rows} rows");
                    let found = tally.check(&variant, &kernel, &step.case(), step.grid(), &what);
                    // The second half of each head does not rotate, and the first keeps its length.
                    let dim = head_dim as usize;
                    for (head, raw) in floats(&found[0], step.raw.q.len()).chunks(dim).zip(step.raw.q.chunks(dim)) {
                        let normed = rms_norm_truth(raw, &step.norms.q, step.norms.epsilon);
                        tally.truth(&head[dim / 2..], &normed[dim / 2..], SUMS, &what);
                        let square = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
                        let turned: Vec<f64> = head[..dim / 2].iter().map(|v| f64::from(*v)).collect();
                        let (found, truth) = (square(&turned), square(&normed[..dim / 2]));
                        assert!((found / truth - 1.0).abs() < 1e-5, "{what}: {found} and {truth}");
                    }
                }
            }
        }
        tally.print(&variant, "head_norm");
    }
}

#[test]
fn post_norm_is_its_twin() {
    for variant in variants() {
        let mut tally = Tally::default();
        for (i, arithmetic) in arithmetics().enumerate() {
            let norm = [Reduction::Sequential, Reduction::Pairwise, Reduction::WorkgroupTree][i % 3];
            let architecture = Architecture::GEMMA3;
            let plain = variant.target(64, ActivationFormat::F32, KV_F16);
            let target = Target { arithmetic, norm, architecture, ..plain };
            let kernel = variant.compile("post_norm", target.post_norm());
            for (n_rows, dim) in [(1, 32), (3, 640), (7, 96), (64, 288)] {
                let step = PostNormStep::seeded(target, n_rows, dim, u64::from(n_rows + dim));
                let what = format!("{arithmetic:?} {norm:?}, {n_rows} rows of {dim}");
                let found = tally.check(&variant, &kernel, &step.case(), step.grid(), &what);
                let normed = step.totals.chunks(dim as usize);
                let normed = normed.flat_map(|row| rms_norm_truth(row, &step.post_norm, step.norm.epsilon));
                let stream: Vec<f64> = normed.zip(&step.residual).map(|(normed, x)| normed + f64::from(*x)).collect();
                let norm = |i: usize| f64::from(step.next_norm[i % dim as usize]);
                let weighted: Vec<f64> = stream.iter().enumerate().map(|(i, x)| x * norm(i)).collect();
                let info = floats(&found[1], stream.len() / 8);
                tally.truth(&floats(&found[2], stream.len()), &stream, SUMS, &what);
                truth::activations(&mut tally, arithmetic.activations, &found[0], &info, &weighted, SUMS, &what);
            }
        }
        tally.print(&variant, "post_norm");
    }
}

#[test]
fn ring_sum_in_front_of_a_norm_is_its_twin() {
    for variant in variants() {
        let mut tally = Tally::default();
        for arithmetic in arithmetics() {
            let architecture = Architecture::GEMMA3;
            let target = Target { arithmetic, architecture, ..variant.target(64, ActivationFormat::F32, KV_F16) };
            let kernel = variant.compile("ring_sum", target.ring_sum());
            let limit = if arithmetic.accumulation == Accumulation::F32 { SUMS } else { SUMS_IN_F16 };
            for n_shards in SHARD_COUNTS {
                let step = RingStep::seeded(target, 3, 288, n_shards, u64::from(n_shards));
                let what = format!("{arithmetic:?} {n_shards} shards");
                let found = tally.check(&variant, &kernel, &step.case(), step.grid(), &what);
                let parts = |i: usize| step.partials.iter().map(|part| f64::from(part[i])).sum::<f64>();
                let totals: Vec<f64> = (0..step.partials[0].len()).map(parts).collect();
                truth::in_f32(&mut tally, &found[0], &found[1], &totals, limit, &what);
            }
        }
        tally.print(&variant, "ring_sum in front of a norm");
    }
}
