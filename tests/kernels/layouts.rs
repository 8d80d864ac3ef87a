//! Structs that Rust and WGSL share have one layout.

use std::mem::{offset_of, size_of};

use lastbit::gpu::select::Lanes;
use lastbit::gpu::step::{
    AttentionShape, KvPair, KvRowDifference, MAX_ROWS, PART_LOGITS, RowDifference, Shape, StepHeader, StepRow,
    TapRecord, TapShape, TapStep, Top, TopShape, TreeShape,
};
use lastbit::gpu::wgsl::Target;
use lastbit::gpu::{TapSource, tree_sum};
use lastbit::numerics::{ActivationFormat, Arithmetic, KvFormat, SumFormat};
use lastbit::quant::TensorType;
use lastbit::reference::tree_sum::{ADD, MAX_DEPTH};
use naga::{Module, TypeInner};

const TARGET: Target =
    Target::new(Lanes::Alone, 64, Arithmetic::of(ActivationFormat::Int8), KvFormat::F16, KvFormat::F16);

/// Name and offset of every field of a WGSL struct, and its size.
fn layout(module: &Module, name: &str) -> (Vec<(String, usize)>, usize) {
    let found = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
    let (_, ty) = found.unwrap_or_else(|| panic!("no struct {name}"));
    let TypeInner::Struct { members, span } = &ty.inner else { panic!("{name} is not a struct") };
    let fields = members.iter().map(|m| (m.name.clone().unwrap_or_default(), m.offset as usize)).collect();
    (fields, *span as usize)
}

/// Holds a WGSL struct against the Rust fields; padding fields are called `unused…` on both sides and only count in the size.
fn check(module: &Module, name: &str, fields: &[(&str, usize)], size: usize) {
    let (wgsl, span) = layout(module, name);
    let wgsl: Vec<_> = wgsl.iter().filter(|f| !f.0.starts_with("unused")).map(|f| (f.0.as_str(), f.1)).collect();
    assert_eq!(wgsl, fields, "{name}");
    assert_eq!(span, size, "size of {name}");
}

macro_rules! fields {
    ($rust:ty: $($field:ident),*) => { [$((stringify!($field), offset_of!($rust, $field))),*] };
}

fn parsed(source: &str) -> Module {
    naga::front::wgsl::parse_str(source).expect("the modules are valid")
}

#[test]
fn the_step_uniform() {
    let module = parsed(&TARGET.embed(TensorType::Q4_1));
    let mut header =
        fields!(StepHeader: n_rows, first_output_row, n_output_rows, fixed_splits, max_splits, max_blocks).to_vec();
    header.push(("rows", size_of::<StepHeader>()));
    check(&module, "Step", &header, size_of::<StepHeader>() + MAX_ROWS as usize * size_of::<StepRow>());
    check(&module, "StepRow", &fields!(StepRow: sequence, position, token, slot), size_of::<StepRow>());
}

#[test]
fn the_shape_of_a_matrix_product() {
    let module = parsed(&TARGET.embed(TensorType::Q4_1));
    let shape = fields!(Shape: n_blocks, first_block, end_block, blocks_per_slice, n_tasks, q_dim, kv_dim, inverse_dim, norm_eps, first_task, shard, n_shards, row_tasks, embedding_scale);
    check(&module, "Shape", &shape, size_of::<Shape>());
}

#[test]
fn the_shape_of_attention() {
    let module = parsed(&TARGET.attention_split());
    let shape = fields!(AttentionShape: n_heads, n_kv_heads, part_splits, scale, window);
    check(&module, "AttentionShape", &shape, size_of::<AttentionShape>());
}

#[test]
fn top_k_and_its_shape() {
    let source = TARGET.top_k_parts();
    let module = parsed(&source);
    check(&module, "TopShape", &fields!(TopShape: n_vocab, n_padded, n_parts), size_of::<TopShape>());
    check(&module, "Top", &fields!(Top: ids, values, hash, not_finite), size_of::<Top>());
    assert_eq!(size_of::<Top>(), 64, "a decode step reads back 64 bytes");
    assert!(source.contains(&format!("const PART_LOGITS: u32 = {PART_LOGITS}u;")), "PART_LOGITS");
}

#[test]
fn taps_and_what_they_leave() {
    let module = parsed(&TARGET.tap(TapSource::F32));
    let shape = fields!(TapShape: n_values, row_len, place, tape_at, record);
    check(&module, "TapShape", &shape, size_of::<TapShape>());
    check(&module, "TapStep", &fields!(TapStep: places, run, tape_len), size_of::<TapStep>());
    let module = parsed(&TARGET.kv_difference(KvFormat::F16));
    let pair = fields!(KvPair: sequences, n_positions, max_blocks, max_positions);
    check(&module, "KvPair", &pair, size_of::<KvPair>());
    let difference = fields!(RowDifference: largest_ulp, n_differing, first_from_end, largest_bits);
    check(&module, "RowDifference", &difference, size_of::<RowDifference>());
    let of_cache = fields!(KvRowDifference: row, difference_squares, first_squares, largest_steps);
    check(&module, "KvRowDifference", &of_cache, size_of::<KvRowDifference>());
    assert_eq!((size_of::<TapRecord>(), offset_of!(TapRecord, difference)), (32, 16), "eight words, four of them hash");
}

#[test]
fn the_shape_of_trees() {
    let source = tree_sum(SumFormat::F16);
    check(&parsed(&source), "TreeShape", &fields!(TreeShape: n_trees, n_words), size_of::<TreeShape>());
    for constant in [format!("ADD: u32 = {ADD:#X}u;"), format!("MAX_DEPTH: u32 = {MAX_DEPTH}u;")] {
        assert!(source.contains(&constant), "{constant}");
    }
}

#[test]
fn a_uniform_may_be_bound_whole() {
    // WebGPU's default limit on a uniform binding.
    assert!(size_of::<StepHeader>() + MAX_ROWS as usize * size_of::<StepRow>() <= 65_536);
}
