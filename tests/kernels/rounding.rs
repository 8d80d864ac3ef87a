//! The quick rounding to f16 that sums use gives the bits of the recipe on the device too.

use lastbit::model::self_test::case::{Case, Input, Output, Words};
use lastbit::reference::exact_math::{f16_bits_from_f32, f32_from_f16_bits};

use crate::support::{Tally, variants};

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&x) {
        y[id.x] = round_f16_quad(x[id.x]);
    }
}
";

/// Around every third f16 and the tie above it, of both signs.
fn values() -> Vec<f32> {
    let centers = (0..0x7C00_u32).step_by(3).flat_map(|half| {
        let (value, next) = (f32_from_f16_bits(half), f32_from_f16_bits(half + 1).min(65536.0));
        [value, ((f64::from(value) + f64::from(next)) / 2.0) as f32]
    });
    let around = centers.flat_map(|center| (-2..=2).map(move |step| center.to_bits().saturating_add_signed(step)));
    let mut values: Vec<f32> = around.map(f32::from_bits).flat_map(|x| [x, -x]).collect();
    values.extend([1e-30, 65519.996, 65520.0, 65536.0, 1e9, f32::MAX, f32::INFINITY, f32::NEG_INFINITY]);
    values.resize(values.len().next_multiple_of(4), 0.0);
    values
}

#[test]
fn rounding_to_f16_is_the_recipe() {
    let values = values();
    let expected = values.iter().map(|x| f32_from_f16_bits(f16_bits_from_f32(*x)).to_bits()).collect();
    let case = Case {
        inputs: vec![Input::storage(0, bytemuck::cast_slice(&values))],
        outputs: vec![Output::filled(1, "y", Words::Exact, expected)],
        limit: 0.0,
    };
    let n_workgroups = (values.len() as u32 / 4).div_ceil(64);
    for variant in variants() {
        let source = format!("{}{KERNEL}", include_str!("../../shaders/shared/accumulate_f16.wgsl"));
        let kernel = variant.compile("round_f16", source);
        let mut tally = Tally::default();
        tally.check(&variant, &kernel, &case, (n_workgroups, 1, 1), "around every third f16");
        tally.print(&variant, "round_f16");
    }
}
