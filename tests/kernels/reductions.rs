//! The orders in which a norm and a softmax add: each is its twin's, each gives bits of its own, and the device's own sum is close.

use std::collections::BTreeSet;

use lastbit::gpu::Kernel;
use lastbit::gpu::select::KernelShape;
use lastbit::gpu::wgsl::{Epilogue, Target};
use lastbit::model::self_test::attention::AttentionStep;
use lastbit::model::self_test::case::{Case, run};
use lastbit::model::self_test::matmul::{MatmulSite, MatmulSize};
use lastbit::numerics::{ActivationFormat, Order, Reduction};
use lastbit::quant::TensorType;

use crate::support::{KV_F16, Tally, Variant, variants};

const KNOWN: [Reduction; 3] = [Reduction::Sequential, Reduction::Pairwise, Reduction::WorkgroupTree];

/// Blocks of a row: one, powers of two and their neighbours, and those of known models.
const ROW_LENS: [u32; 9] = [32, 96, 256, 288, 576, 640, 2080, 4128, 8160];

fn norm_site(target: Target, row_len: u32) -> MatmulSite {
    let size = MatmulSize { n_rows: 3, row_len, n_out: 33, n_heads: 1, n_kv_heads: 1 };
    MatmulSite::seeded(Epilogue::Output, TensorType::Q8_0, target, size, u64::from(row_len))
}

fn attention_step(target: Target) -> AttentionStep {
    let rows: Vec<(u32, u32)> = [1, 7, 8, 9, 40, 63, 64, 65, 129, 200].iter().map(|n| (0, n - 1)).collect();
    AttentionStep::seeded(target, 3, 1, &rows, 5)
}

/// Largest squared error over squared value against the twin, which cannot know the order of the device's own sum.
fn distance(variant: &Variant, kernel: &Kernel, case: &Case, grid: (u32, u32, u32)) -> f64 {
    let found = pollster::block_on(run(&variant.device, &[(kernel, case, grid)])).expect("a good kernel").remove(0);
    let distance = case.distance(&found);
    assert_eq!(distance.n_unwritten + distance.n_outside + distance.n_not_finite, 0, "{distance:?}");
    distance.nmse
}

#[test]
fn a_norm_adds_in_the_order_of_its_twin() {
    for variant in variants() {
        let mut tally = Tally::default();
        let mut bits = BTreeSet::new();
        for norm in KNOWN {
            let target = Target { norm, ..variant.target(64, ActivationFormat::F32, KV_F16) };
            let source = target.matmul(TensorType::Q8_0, KernelShape::Vector, Epilogue::Output);
            let kernel = variant.compile("output", source);
            let mut all = Vec::new();
            for row_len in ROW_LENS {
                let site = norm_site(target, row_len);
                let grid = site.grid(KernelShape::Vector);
                let found = tally.check(&variant, &kernel, &site.case(1), grid, &format!("{norm:?} {row_len}"));
                all.push(found);
            }
            bits.insert(all);
        }
        assert_eq!(bits.len(), KNOWN.len(), "two orders gave the same bits for every length");
        tally.print(&variant, "norm");
    }
}

#[test]
fn a_softmax_adds_in_the_order_of_its_twin() {
    for variant in variants() {
        let mut tally = Tally::default();
        let mut bits = BTreeSet::new();
        for softmax in KNOWN {
            let target = Target { softmax, ..variant.target(64, ActivationFormat::F32, KV_F16) };
            let kernel = variant.compile("attention_split", target.attention_split());
            let step = attention_step(target);
            for order in [Order::ByShape, Order::Invariant] {
                let case = step.split_case(order, &step.partials(order));
                let found =
                    tally.check(&variant, &kernel, &case, step.split_grid(order), &format!("{softmax:?} {order:?}"));
                if order == Order::Invariant {
                    bits.insert(found);
                }
            }
        }
        assert_eq!(bits.len(), KNOWN.len(), "two orders of up to 64 keys gave the same bits");
        tally.print(&variant, "softmax");
    }
}

#[test]
fn the_device_s_own_sum_over_a_subgroup_is_close() {
    let mut n_norms = 0;
    for variant in variants() {
        let plain = variant.target(64, ActivationFormat::F32, KV_F16);
        let norm = Target { norm: Reduction::Subgroup, ..plain };
        if !norm.lacks_subgroup_sum() {
            let source = norm.matmul(TensorType::Q8_0, KernelShape::Vector, Epilogue::Output);
            let kernel = variant.compile("output", source);
            for row_len in ROW_LENS {
                let site = norm_site(norm, row_len);
                let nmse = distance(&variant, &kernel, &site.case(1), site.grid(KernelShape::Vector));
                assert!(nmse < 1e-12, "{:?} {row_len}: {nmse:e}", variant.lanes);
            }
            n_norms += 1;
        }
        let softmax = Target { softmax: Reduction::Subgroup, ..plain };
        if !softmax.lacks_subgroup_sum() {
            let kernel = variant.compile("attention_split", softmax.attention_split());
            let step = attention_step(softmax);
            let case = step.split_case(Order::Invariant, &step.partials(Order::Invariant));
            let nmse = distance(&variant, &kernel, &case, step.split_grid(Order::Invariant));
            assert!(nmse < 1e-12, "{:?}: {nmse:e}", variant.lanes);
        }
    }
    assert!(n_norms > 0, "no variant of this device has subgroups");
}
