//! Matrix products: four sites and one split, every weight format, three activation formats, two of sums, two kernels, both orders.

use lastbit::architecture::Architecture;
use lastbit::gpu::select::{KernelShape, slices};
use lastbit::gpu::wgsl::{Epilogue, Target};
use lastbit::gpu::{Kernel, grid, matmul_name};
use lastbit::model::self_test::matmul::{MatmulSite, MatmulSize};
use lastbit::numerics::{ActivationFormat, Arithmetic, Order, SHARD_COUNTS};
use lastbit::quant::TensorType;

use crate::support::{KV, KV_F16, Tally, Variant, own_device, variants};
use crate::truth;

const ROWS: [u32; 8] = [1, 3, 4, 5, 7, 16, 33, 64];
/// One block, block ± 1 of eight slices, primes, and the lengths of known models.
const ROW_LENS: [u32; 11] = [32, 576, 96, 224, 288, 64, 416, 640, 1056, 256, 352];
const HEADS: [(u32, u32); 4] = [(3, 1), (1, 1), (6, 2), (4, 4)];
const VOCABULARIES: [u32; 6] = [1, 31, 32, 33, 100, 257];

fn compile(variant: &Variant, target: Target, weights: TensorType, shape: KernelShape, epilogue: Epilogue) -> Kernel {
    variant.compile(&matmul_name(epilogue, weights, shape), target.matmul(weights, shape, epilogue))
}

fn kernel_of(variant: &Variant, site: &MatmulSite, shape: KernelShape) -> Kernel {
    compile(variant, site.target, site.weights, shape, site.epilogue)
}

/// Every format pair of a site on every variant: for each row count another length of K, other heads and another width.
fn check_site(epilogue: Epilogue, number: usize) {
    check_site_of(Architecture::LLAMA, epilogue, |variant| variant.format_pairs(number));
}

/// A site of another architecture in a third of those pairs: how weights are read and what becomes of a product do not touch each other.
fn check_site_like(architecture: Architecture, epilogue: Epilogue, number: usize) {
    check_site_of(architecture, epilogue, |variant| variant.format_pairs(number).into_iter().step_by(3).collect());
}

fn check_site_of(
    architecture: Architecture,
    epilogue: Epilogue,
    pairs: impl Fn(&Variant) -> Vec<(TensorType, Arithmetic)>,
) {
    for variant in variants() {
        let mut tally = Tally::default();
        let mut turn = 0;
        for (pair, (weights, arithmetic)) in pairs(&variant).into_iter().enumerate() {
            // Each format on either side.
            let kv = (KV[pair % KV.len()], KV[(pair + pair / 4 + 1) % KV.len()]);
            let head_dim = [64, 32, 128][pair % 3];
            let target = Target { arithmetic, architecture, ..variant.target(head_dim, arithmetic.activations, kv) };
            let [vector, tiled] = [KernelShape::Vector, KernelShape::Tiled]
                .map(|shape| compile(&variant, target, weights, shape, epilogue));
            for n_rows in ROWS {
                turn += 1;
                let (n_heads, n_kv_heads) = HEADS[turn % HEADS.len()];
                let n_out = match epilogue {
                    Epilogue::Output => VOCABULARIES[turn % VOCABULARIES.len()],
                    _ => 32 * (1 + turn as u32 % 3),
                };
                let row_len = ROW_LENS[turn % ROW_LENS.len()].next_multiple_of(weights.run_len() as u32);
                let size = MatmulSize { n_rows, row_len, n_out, n_heads, n_kv_heads };
                let mut site = MatmulSite::seeded(epilogue, weights, target, size, turn as u64);
                if epilogue == Epilogue::Partial {
                    let n_shards = SHARD_COUNTS[turn % SHARD_COUNTS.len()].min(1 << (row_len / 32).ilog2());
                    site = site.shard(turn as u32 / 4 % n_shards, n_shards);
                }
                let shape = KernelShape::for_rows(Order::ByShape, n_rows);
                let kernel = if shape == KernelShape::Vector { &vector } else { &tiled };
                let mut cuts: Vec<u32> =
                    [Order::ByShape, Order::Invariant].map(|o| slices(o, shape, site.n_terms())).into();
                cuts.dedup();
                for n_slices in cuts {
                    let blocks = site.blocks();
                    let what = format!(
                        "{arithmetic:?} kv {kv:?} {size:?} head_dim {head_dim} blocks {blocks:?} in {n_slices} slices"
                    );
                    let found = tally.check(&variant, kernel, &site.case(n_slices), site.grid(shape), &what);
                    truth::check(&mut tally, &site, &found, &what);
                }
            }
        }
        tally.print(&variant, &format!("{} of {}", epilogue.name(), architecture.name));
    }
}

#[test]
fn qkv_is_its_twin() {
    check_site(Epilogue::Qkv, 0);
}

#[test]
fn residual_is_its_twin() {
    check_site(Epilogue::Residual, 1);
}

#[test]
fn partial_is_its_twin() {
    check_site(Epilogue::Partial, 4);
}

#[test]
fn gate_up_is_its_twin() {
    check_site(Epilogue::GateUp, 2);
}

#[test]
fn output_is_its_twin() {
    check_site(Epilogue::Output, 3);
}

#[test]
fn qkv_with_biases_is_its_twin() {
    check_site_like(Architecture::QWEN2, Epilogue::Qkv, 1);
}

#[test]
fn qkv_whose_heads_have_norms_is_its_twin() {
    check_site_like(Architecture::QWEN3, Epilogue::QkvRaw, 2);
}

#[test]
fn gate_up_with_gelu_is_its_twin() {
    check_site_like(Architecture::GEMMA3, Epilogue::GateUp, 3);
}

#[test]
fn total_is_its_twin() {
    check_site_like(Architecture::GEMMA3, Epilogue::Total, 4);
}

#[test]
fn a_head_in_several_buffers_is_a_head() {
    for variant in variants() {
        let mut tally = Tally::default();
        let target = variant.target(64, ActivationFormat::F32, KV_F16);
        for shape in [KernelShape::Vector, KernelShape::Tiled] {
            let size = MatmulSize { n_rows: 5, row_len: 96, n_out: 32 * 7 - 5, n_heads: 0, n_kv_heads: 0 };
            for panels in [0..3, 3..6, 6..7, 0..7] {
                let site = MatmulSite::seeded(Epilogue::Output, TensorType::Q8_0, target, size, 94).part(panels);
                let kernel = kernel_of(&variant, &site, shape);
                tally.check(&variant, &kernel, &site.case(3), site.grid(shape), "one part of three");
            }
        }
        tally.print(&variant, "output in parts");
    }
}

#[test]
fn q_k_and_v_of_different_formats_leave_each_other_alone() {
    let variant = own_device();
    let mut tally = Tally::default();
    let formats = [(0, TensorType::Q4_1), (1, TensorType::Q8_0), (2, TensorType::F16)];
    let architectures = [Architecture::LLAMA, Architecture::QWEN2, Architecture::QWEN3];
    for ((matrix, weights), architecture) in formats.iter().flat_map(|format| architectures.map(|a| (*format, a))) {
        let target = Target { architecture, ..variant.target(64, ActivationFormat::Int8, KV_F16) };
        let size = MatmulSize { n_rows: 3, row_len: 96, n_out: 0, n_heads: 6, n_kv_heads: 2 };
        let site = MatmulSite::seeded(Epilogue::of_qkv(architecture), weights, target, size, 91).only(matrix);
        let kernel = kernel_of(&variant, &site, KernelShape::Vector);
        tally.check(&variant, &kernel, &site.case(3), site.grid(KernelShape::Vector), "one matrix of three");
    }
}

#[test]
fn more_workgroups_than_one_axis_holds() {
    // A workgroup of the vector kernel has one panel, or two, in every family but one.
    let variant = own_device();
    let target = variant.target(64, ActivationFormat::Int8, KV_F16);
    let n_out = 32 * 65_537 * target.vector_panels(Epilogue::Output).min(2) + 1;
    let size = MatmulSize { n_rows: 1, row_len: 32, n_out, n_heads: 0, n_kv_heads: 0 };
    let site = MatmulSite::seeded(Epilogue::Output, TensorType::Q4_1, target, size, 92);
    let (x, y, _) = site.grid(KernelShape::Vector);
    assert!(x * y > 65_535 || target.vector_panels(Epilogue::Output) > 2, "{x} x {y} workgroups");
    let kernel = kernel_of(&variant, &site, KernelShape::Vector);
    let mut tally = Tally::default();
    let what = format!("{n_out} rows");
    let found = tally.check(&variant, &kernel, &site.case(1), site.grid(KernelShape::Vector), &what);
    truth::check(&mut tally, &site, &found, &what);
    tally.print(&variant, "more than 65,535 workgroups");
}

#[test]
fn grids_of_two_axes_cover_n_and_stay_within_the_limit() {
    for n in [1, 2, 65_534, 65_535, 65_536, 131_070, 131_071, 524_289, 1 << 24] {
        let (x, y) = grid(n);
        assert!(x <= 65_535 && y <= 65_535 && u64::from(x) * u64::from(y) >= u64::from(n), "{n}: {x} x {y}");
        assert!(x * (y - 1) < n, "{n}: a whole line of workgroups too many");
    }
}

#[test]
fn the_shape_of_the_grid_changes_nothing() {
    for variant in variants() {
        let target = variant.target(64, ActivationFormat::Int8, KV_F16);
        let size = MatmulSize { n_rows: 5, row_len: 96, n_out: 32 * 19 - 3, n_heads: 0, n_kv_heads: 0 };
        let site = MatmulSite::seeded(Epilogue::Output, TensorType::Q4_1, target, size, 93);
        let mut tally = Tally::default();
        for shape in [KernelShape::Vector, KernelShape::Tiled] {
            let kernel = kernel_of(&variant, &site, shape);
            let (x, y, z) = site.grid(shape);
            for across in [1, 2, 7] {
                let folded = (across, (x * y).div_ceil(across), z);
                tally.check(&variant, &kernel, &site.case(3), folded, &format!("grid {folded:?}"));
            }
        }
    }
}
