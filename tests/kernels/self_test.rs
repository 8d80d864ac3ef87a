//! The load-time self-test: passes on good kernels, and names a broken one.

use lastbit::architecture::Architecture;
use lastbit::gpu::select::PerShape;
use lastbit::gpu::wgsl::{Epilogue, Target};
use lastbit::gpu::{Kernel, Kernels, MatmulFormats};
use lastbit::model::self_test::{SelfTest, SelfTestError, self_test};
use lastbit::numerics::{ActivationFormat, Arithmetic, Formats, KvFormat, Numerics, Order};
use lastbit::quant::TensorType;

use crate::support::{KV_F16, Variant, own_device};

/// The formats of SmolLM2 in Q4_1: its embedding is also its head.
fn formats() -> MatmulFormats {
    MatmulFormats {
        embed: TensorType::Q8_0,
        matmuls: vec![
            (Epilogue::Output, TensorType::Q8_0),
            (Epilogue::Qkv, TensorType::Q4_1),
            (Epilogue::Residual, TensorType::Q4_1),
            (Epilogue::GateUp, TensorType::Q4_1),
        ],
    }
}

fn named(formats: Formats) -> Numerics {
    Numerics::new(formats, Order::ByShape, 64)
}

/// The same with attn_output and ffn_down split over so many shards.
fn formats_of(shards: u32) -> MatmulFormats {
    let MatmulFormats { embed, mut matmuls } = formats();
    matmuls[2].0 = Epilogue::onto_stream(Architecture::LLAMA, shards);
    MatmulFormats { embed, matmuls }
}

fn kernels(variant: &Variant, numerics: Numerics) -> Kernels {
    kernels_of(variant, numerics, &formats_of(numerics.shards))
}

fn kernels_of(variant: &Variant, numerics: Numerics, formats: &MatmulFormats) -> Kernels {
    let target = |arithmetic: &Arithmetic| Target {
        arithmetic: *arithmetic,
        ..variant.target(64, ActivationFormat::F32, (numerics.k, numerics.v))
    };
    pollster::block_on(Kernels::new(&variant.device, PerShape::of(&numerics).map(target), formats))
        .expect("good kernels")
}

fn test(variant: &Variant, kernels: &Kernels) -> Result<SelfTest, SelfTestError> {
    let shards = if kernels.ring_sum.is_some() { 2 } else { 1 };
    pollster::block_on(self_test(&variant.device, kernels, &formats_of(shards)))
}

#[test]
fn good_kernels_pass_in_every_format() {
    let variant = own_device();
    let coarse = Numerics { k: KvFormat::Q8_0, v: KvFormat::Q4_0, ..named(Formats::Int8) };
    let formats = Formats::ALL.map(named);
    for numerics in formats.into_iter().chain([coarse]) {
        let kernels = kernels(&variant, numerics);
        let found = test(&variant, &kernels).unwrap_or_else(|error| panic!("{error}"));
        println!("self-test {numerics:?}: {:.0} ms", found.elapsed_ms);
        let names: Vec<&str> = found.kernels.iter().map(|check| check.name.as_str()).collect();
        assert_eq!(names.len(), 13, "five kernels and two for each of four sites: {names:?}");
        assert!(found.invariant_pipelines_agree);
        if variant.device.report().software {
            assert!(found.kernels.iter().all(|check| check.bit_equal && check.nmse == 0.0), "{found:?}");
        }
    }
}

#[test]
fn kernels_of_split_products_pass_and_a_ring_that_leaves_a_shard_out_does_not() {
    let variant = own_device();
    for formats in [Formats::Int8, Formats::Float, Formats::Half] {
        let mut kernels = kernels(&variant, Numerics { shards: 4, ..named(formats) });
        let found = test(&variant, &kernels).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(found.kernels.len(), 14, "one more, for the sum");
        assert!(found.invariant_pipelines_agree);
        assert!(!variant.device.report().software || found.kernels.iter().all(|check| check.bit_equal), "{found:?}");

        let text = kernels.target.vector.ring_sum();
        assert!(text.contains("i <= n_shards"));
        let ring_sum = kernels.ring_sum.as_mut().expect("products are split");
        ring_sum.vector = variant.compile("ring_sum", text.replace("i <= n_shards", "i < n_shards"));
        let error = test(&variant, &kernels).expect_err("the chunk's own shard is not added").to_string();
        assert!(error.contains("ring_sum"), "{error}");
    }
}

#[test]
fn kernels_of_super_blocks_and_of_several_formats_at_one_site_pass() {
    let variant = own_device();
    // As Gemma 3 270M in Q4_K_M has them, and an embedding in super-blocks.
    let formats = MatmulFormats {
        embed: TensorType::Q6K,
        matmuls: vec![
            (Epilogue::Output, TensorType::Q8_0),
            (Epilogue::Qkv, TensorType::Q5_0),
            (Epilogue::Qkv, TensorType::Q8_0),
            (Epilogue::Residual, TensorType::Q4K),
            (Epilogue::Residual, TensorType::Q6K),
            (Epilogue::GateUp, TensorType::Q5_0),
        ],
    };
    let kernels = kernels_of(&variant, named(Formats::Int8), &formats);
    let found = pollster::block_on(self_test(&variant.device, &kernels, &formats));
    let found = found.unwrap_or_else(|error| panic!("{error}"));
    assert!(found.invariant_pipelines_agree);
    assert!(!variant.device.report().software || found.kernels.iter().all(|check| check.bit_equal), "{found:?}");
}

#[test]
fn kernels_of_every_architecture_pass_and_a_norm_without_its_weight_does_not() {
    let variant = own_device();
    for architecture in Architecture::ALL {
        for shards in [1, 2] {
            let mut formats = formats();
            formats.matmuls[1].0 = Epilogue::of_qkv(architecture);
            formats.matmuls[2].0 = Epilogue::onto_stream(architecture, shards);
            let target = Target { architecture, ..variant.target(64, ActivationFormat::Int8, KV_F16) };
            let target = PerShape { vector: target, tiled: target };
            let mut kernels =
                pollster::block_on(Kernels::new(&variant.device, target, &formats)).expect("good kernels");
            let test = |kernels: &Kernels| pollster::block_on(self_test(&variant.device, kernels, &formats));
            let found = test(&kernels).unwrap_or_else(|error| panic!("{}: {error}", architecture.name));
            let n_more =
                [shards > 1, architecture.head_norms, architecture.post_norms].into_iter().filter(|more| *more);
            assert_eq!(found.kernels.len(), 13 + n_more.count(), "{}", architecture.name);
            assert!(found.invariant_pipelines_agree, "{}", architecture.name);
            assert!(
                !variant.device.report().software || found.kernels.iter().all(|check| check.bit_equal),
                "{found:?}"
            );

            let (head_norm, post_norm) = (target.vector.head_norm(), target.vector.post_norm());
            if let Some(kernel) = &mut kernels.head_norm {
                assert!(head_norm.contains("* head_norms[quad"));
                *kernel =
                    variant.compile("head_norm", head_norm.replace("* head_norms[quad", "+ 0.0 * head_norms[quad"));
                let error = test(&kernels).expect_err("heads without weights").to_string();
                assert!(error.contains("head_norm"), "{error}");
                kernels.head_norm = None;
            }
            if let Some(kernel) = &mut kernels.post_norm {
                assert!(post_norm.contains("* post_norm[task"));
                kernel.vector =
                    variant.compile("post_norm", post_norm.replace("* post_norm[task", "+ 0.0 * post_norm[task"));
                let error = test(&kernels).expect_err("a stream without weights").to_string();
                assert!(error.contains("post_norm"), "{error}");
            }
        }
    }
}

#[test]
fn kernels_of_two_arithmetics_pass_and_are_few() {
    let variant = own_device();
    let numerics = Numerics { prefill: Arithmetic::of(ActivationFormat::Int8), ..named(Formats::Half) };
    let before = variant.device.counters().pipelines.get();
    let kernels = kernels(&variant, numerics);
    // Embedding, fold and output head once more than for one arithmetic.
    assert_eq!(variant.device.counters().pipelines.get() - before, 13 + 3);
    let found = test(&variant, &kernels).unwrap_or_else(|error| panic!("{error}"));
    assert!(!found.invariant_pipelines_agree, "they compute different things");
    assert!(!variant.device.report().software || found.kernels.iter().all(|check| check.bit_equal), "{found:?}");
}

/// Replaces a piece of one kernel's text and returns the self-test's complaint.
fn broken(of: fn(&mut Kernels) -> (&mut Kernel, String), from: &str, to: &str) -> SelfTestError {
    let variant = own_device();
    let mut kernels = kernels(&variant, named(Formats::Float));
    let (kernel, source) = of(&mut kernels);
    assert!(source.contains(from), "{from} is not in the kernel");
    *kernel = variant.compile(kernel.name(), source.replace(from, to));
    let Err(error) = test(&variant, &kernels) else { panic!("{to} for {from} passed") };
    println!("{error}");
    error
}

fn embed(kernels: &mut Kernels) -> (&mut Kernel, String) {
    let source = kernels.target.vector.embed(TensorType::Q8_0);
    (&mut kernels.embed.vector, source)
}

fn attention_split(kernels: &mut Kernels) -> (&mut Kernel, String) {
    let source = kernels.target.vector.attention_split();
    (&mut kernels.attention_split, source)
}

fn top_k_parts(kernels: &mut Kernels) -> (&mut Kernel, String) {
    let source = kernels.target.vector.top_k_parts();
    (&mut kernels.top_k_parts, source)
}

#[test]
fn a_kernel_that_is_slightly_off_is_named() {
    let error = broken(embed, "v * next_norm[quad]", "v * next_norm[quad] * 1.01");
    let SelfTestError::Inaccurate { kernel, nmse, limit, .. } = error else { panic!("{error}") };
    assert_eq!(kernel, "embed");
    assert!(nmse > limit && (nmse - 1e-4).abs() < 1e-5, "{nmse:e}");
}

#[test]
fn a_kernel_that_leaves_outputs_alone_is_named() {
    let error = broken(embed, "if store {\n            residual", "if store && lane == 0u {\n            residual");
    assert!(matches!(error, SelfTestError::Unwritten { ref kernel, .. } if kernel == "embed"), "{error}");
}

#[test]
fn a_kernel_that_writes_elsewhere_is_named() {
    let error = broken(
        attention_split,
        "parts[part + HEAD_QUADS] = vec4<f32>(maximum, total, 0.0, 0.0);",
        "parts[part + HEAD_QUADS] = vec4<f32>(maximum, total, 0.0, 0.0);\n parts[part + HEAD_QUADS + PART_QUADS] = vec4<f32>(0.0);",
    );
    assert!(matches!(error, SelfTestError::WroteOutside { ref kernel, .. } if kernel == "attention_split"), "{error}");
}

#[test]
fn a_kernel_that_gives_nan_is_named() {
    let error = broken(
        attention_split,
        "parts[part + octet * 2u] = values[o].first;",
        "parts[part + octet * 2u] = bitcast<vec4<f32>>(vec4<u32>(0x7f800000u));",
    );
    assert!(matches!(error, SelfTestError::NotFinite { ref kernel, .. } if kernel == "attention_split"), "{error}");
}

#[test]
fn a_wrong_choice_among_equals_is_named() {
    let error = broken(top_k_parts, "tie_rank(i) < tie_rank(above_id)", "tie_rank(i) > tie_rank(above_id)");
    assert!(matches!(error, SelfTestError::Inexact { ref kernel, .. } if kernel == "top_k_parts"), "{error}");
}
