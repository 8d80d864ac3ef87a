//! Attention: splits and their fold, over several sequences through a permuted block table.

use lastbit::gpu::wgsl::Target;
use lastbit::model::self_test::attention::{AttentionStep, CachedSequence};
use lastbit::model::self_test::case::run;
use lastbit::numerics::{ActivationFormat, KvFormat, Order};
use lastbit::reference::attention_split::attention_truth;
use lastbit::reference::kv_cache::cached;

use crate::support::{ACTIVATIONS, KV_F16, Tally, floats, kv_pairs, variants};
use crate::truth::{self, SUMS};

/// Steps as (sequence, keys) per row: one to four rows get the splits of the vector kernels, more those of the tiled ones.
const STEPS: [&[(u32, u32)]; 6] = [
    &[(0, 1)],
    &[(0, 15), (1, 16), (2, 17)],
    &[(1, 63), (0, 64), (1, 65), (0, 127)],
    &[(0, 129), (1, 200)],
    &[(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)],
    &[(0, 200), (2, 1), (1, 15), (3, 16), (0, 17), (3, 63), (2, 64), (1, 65), (2, 127), (0, 129), (1, 130), (3, 33)],
];

/// Query heads, key and value heads.
const HEADS: [(u32, u32); 3] = [(9, 3), (3, 1), (4, 4)];

#[test]
fn attention_of_head_dim_32_is_its_twin() {
    check(32);
}

#[test]
fn attention_of_head_dim_64_is_its_twin() {
    check(64);
}

#[test]
fn attention_of_head_dim_128_is_its_twin() {
    check(128);
}

#[test]
fn attention_of_head_dim_256_is_its_twin() {
    check(256);
}

/// Windows that a step's rows have not filled yet, have filled, and that begin within a tile of 64 keys.
const WINDOWS: [Option<u32>; 4] = [None, Some(50), Some(64), Some(1)];

fn check(head_dim: u32) {
    for variant in variants() {
        let (mut split_tally, mut fold_tally) = (Tally::default(), Tally::default());
        let folds = ACTIVATIONS.map(|activations| {
            let target = variant.target(head_dim, activations, KV_F16);
            (target, variant.compile("attention_fold", target.attention_fold()))
        });
        for kv in kv_pairs(variant.own && head_dim == 64) {
            let target = variant.target(head_dim, ActivationFormat::F32, kv);
            let split_kernel = variant.compile("attention_split", target.attention_split());
            for (i, rows) in STEPS.iter().enumerate() {
                let rows: Vec<(u32, u32)> = rows.iter().map(|&(sequence, n_keys)| (sequence, n_keys - 1)).collect();
                let (n_heads, n_kv_heads) = HEADS[i % HEADS.len()];
                let seeded = AttentionStep::seeded(target, n_heads, n_kv_heads, &rows, i as u64);
                // Each step without a window, and with one.
                let windows = [None, WINDOWS[1 + i % 3]];
                let choices = windows.into_iter().flat_map(|w| [Order::ByShape, Order::Invariant].map(|o| (w, o)));
                for (window, order) in choices {
                    let step = window.map_or(seeded.clone(), |len| seeded.clone().with_window(len));
                    let what = format!("kv {kv:?} head_dim {head_dim} {order:?} window {window:?} step {i}");
                    let partials = step.partials(order);
                    let case = step.split_case(order, &partials);
                    split_tally.check(&variant, &split_kernel, &case, step.split_grid(order), &what);
                    for (fold_target, fold_kernel) in &folds {
                        let mut folded = step.clone();
                        folded.target = *fold_target;
                        let case = folded.fold_case(order, &partials);
                        let found = fold_tally.check(&variant, fold_kernel, &case, folded.fold_grid(), &what);
                        let attended = attended(&step);
                        let info = floats(&found[1], attended.len() / 8);
                        truth::activations(
                            &mut fold_tally,
                            fold_target.arithmetic.activations,
                            &found[0],
                            &info,
                            &attended,
                            SUMS,
                            &what,
                        );
                    }
                }
            }
        }
        split_tally.print(&variant, &format!("attention_split head_dim {head_dim}"));
        fold_tally.print(&variant, &format!("attention_fold head_dim {head_dim}"));
        assert!(fold_tally.nmse_truth > 0.0 && fold_tally.nmse_truth <= SUMS);
    }
}

/// Keys or values of a cached sequence.
type Side = fn(&mut CachedSequence) -> &mut Vec<f32>;

fn side_k(sequence: &mut CachedSequence) -> &mut Vec<f32> {
    &mut sequence.k
}

fn side_v(sequence: &mut CachedSequence) -> &mut Vec<f32> {
    &mut sequence.v
}

/// A step of two rows, of which only the second sees the key whose cached block has overflowed, on side `of` of the cache.
fn overflowed(target: Target, of: Side, format: KvFormat) -> AttentionStep {
    let mut step = AttentionStep::seeded(target, 3, 1, &[(0, 20), (0, 40)], 8);
    let head = &mut of(&mut step.sequences[0])[30 * 64..31 * 64];
    head[5] = if format == KvFormat::F32 { f32::NEG_INFINITY } else { -1e9 };
    let stored = cached(format, head);
    head.copy_from_slice(&stored);
    step
}

#[test]
fn an_overflow_in_the_cache_leaves_no_finite_attention() {
    for variant in variants() {
        for (k, v) in kv_pairs(false) {
            let target = variant.target(64, ActivationFormat::Int8, (k, v));
            let split_kernel = variant.compile("attention_split", target.attention_split());
            let fold_kernel = variant.compile("attention_fold", target.attention_fold());
            for (of, format) in [(side_k as Side, k), (side_v, v)] {
                let step = overflowed(target, of, format);
                let partials = step.partials(Order::Invariant);
                let split = step.split_case(Order::Invariant, &partials);
                let fold = step.fold_case(Order::Invariant, &partials);
                let dispatches = [
                    (&split_kernel, &split, step.split_grid(Order::Invariant)),
                    (&fold_kernel, &fold, step.fold_grid()),
                ];
                let found = pollster::block_on(run(&variant.device, &dispatches)).expect("two dispatches");
                let what = format!("{:?} {format:?} of {k:?} and {v:?}", variant.lanes);
                // A row and head has two splits of 68 words; each row has six blocks of activations.
                let lost = |words: &[u32]| words.iter().any(|word| !f32::from_bits(*word).is_finite());
                for head in 0..6 {
                    assert_eq!(lost(&found[0][0][head * 2 * 68..][..66]), head >= 3, "{what}: split, head {head}");
                }
                for row in 0..2 {
                    assert_eq!(lost(&found[1][1][row * 6 * 4..][..6 * 4]), row == 1, "{what}: fold, row {row}");
                }
            }
        }
    }
}

/// All heads of all rows in f64. // [row, n_heads * head_dim]
fn attended(step: &AttentionStep) -> Vec<f64> {
    let heads = (0..step.rows.len()).flat_map(|row| (0..step.n_heads as usize).map(move |head| (row, head)));
    heads
        .flat_map(|(row, head)| {
            attention_truth(step.query(row, head), &step.keys_values(row), step.kv_head(head), step.keys(row))
        })
        .collect()
}
