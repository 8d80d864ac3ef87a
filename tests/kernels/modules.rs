//! Every module that can be composed is valid WGSL and stays within WebGPU's default limits.

use std::collections::BTreeMap;

use lastbit::architecture::Architecture;
use lastbit::gpu::select::{KernelShape, Lanes};
use lastbit::gpu::wgsl::{Epilogue, Target};
use lastbit::gpu::{TapSource, tree_sum};
use lastbit::numerics::SumFormat;
use lastbit::quant::TensorType;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, Module, TypeInner};

use crate::support::{EVERYWHERE, KV_F16, arithmetics, kv_pairs};

const LANES: [Lanes; 5] = [Lanes::Subgroup8, Lanes::Subgroup4, Lanes::Alone, Lanes::Shuffle8, Lanes::Workgroup];

/// The epilogues of products of an architecture.
fn epilogues(architecture: Architecture) -> Vec<Epilogue> {
    let onto_stream = [1, 2].map(|shards| Epilogue::onto_stream(architecture, shards));
    [&[Epilogue::of_qkv(architecture), Epilogue::GateUp, Epilogue::Output], &onto_stream[..]].concat()
}

/// Every distinct module text under the name of one combination that gives it.
fn modules() -> BTreeMap<String, String> {
    let mut modules = BTreeMap::new();
    for format in SumFormat::ALL {
        modules.insert(tree_sum(format), format!("tree_sum {format:?}"));
    }
    for lanes in LANES {
        for arithmetic in arithmetics() {
            for (k, v) in kv_pairs(true) {
                for (head_dim, architecture) in [
                    (32, Architecture::LLAMA),
                    (64, Architecture::QWEN2),
                    (128, Architecture::QWEN3),
                    (256, Architecture::GEMMA3),
                ] {
                    let target = Target { architecture, ..Target::new(lanes, head_dim, arithmetic, k, v) };
                    let mut add = |name: &str, source: String| {
                        modules.insert(source, format!("{name} {target:?}"));
                    };
                    add("attention_split", target.attention_split());
                    add("attention_fold", target.attention_fold());
                    add("ring_sum", target.ring_sum());
                    add("head_norm", target.head_norm());
                    add("post_norm", target.post_norm());
                    add("top_k_parts", target.top_k_parts());
                    add("top_k_merge", target.top_k_merge());
                    for source in [TapSource::F32, TapSource::Activations, TapSource::Kv(k)] {
                        add(source.name(), target.tap(source));
                    }
                    add("kv_difference", target.kv_difference(k));
                    for weights in TensorType::all() {
                        // Beside Q, K and V and attention no kernel looks at the head dimension or the cache.
                        let plain = Target { head_dim: 64, k: KV_F16.0, v: KV_F16.1, ..target };
                        add(&format!("embed {weights}"), plain.embed(weights));
                        for shape in [KernelShape::Vector, KernelShape::Tiled] {
                            for epilogue in epilogues(architecture) {
                                let is_qkv = epilogue == Epilogue::of_qkv(architecture);
                                let of = if is_qkv { &target } else { &plain };
                                // How weights are read, what becomes of a product and how the cache is written do not touch each
                                // other.
                                if is_qkv && weights != EVERYWHERE[0] && (k, v) != KV_F16 {
                                    continue;
                                }
                                if epilogue != Epilogue::Output && !EVERYWHERE.contains(&weights) {
                                    continue;
                                }
                                let name = format!("{} {weights} {shape:?}", epilogue.name());
                                add(&name, of.matmul(weights, shape, epilogue));
                            }
                        }
                    }
                }
            }
        }
    }
    modules
}

/// What is wrong with a module under WebGPU's default limits.
fn over_the_limits(module: &Module) -> Vec<String> {
    let mut wrong = Vec::new();
    let of_space = |space: AddressSpace| module.global_variables.iter().filter(move |(_, v)| v.space == space);
    let storages =
        module.global_variables.iter().filter(|(_, v)| matches!(v.space, AddressSpace::Storage { .. })).count();
    if storages > 8 {
        wrong.push(format!("{storages} storage buffers"));
    }
    let workgroup_bytes: u32 =
        of_space(AddressSpace::WorkGroup).map(|(_, v)| module.types[v.ty].inner.size(module.to_ctx())).sum();
    if workgroup_bytes > 16_384 {
        wrong.push(format!("{workgroup_bytes} bytes of workgroup memory"));
    }
    let [x, y, z] = module.entry_points[0].workgroup_size;
    if x * y * z > 256 {
        wrong.push(format!("{} threads in a workgroup", x * y * z));
    }
    for (_, variable) in of_space(AddressSpace::Uniform) {
        if !matches!(module.types[variable.ty].inner, TypeInner::Struct { .. }) {
            wrong.push(format!("uniform {:?} is no struct", variable.name));
        }
    }
    wrong
}

#[test]
fn every_module_is_valid_and_modest() {
    let modules = modules();
    // Without f16 arithmetic: the features that a kernel may need are subgroup operations and f16 as storage.
    let capabilities = Capabilities::SUBGROUP | Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    let mut failures = Vec::new();
    for (source, name) in &modules {
        let wrong = match naga::front::wgsl::parse_str(source) {
            Err(error) => vec![error.emit_to_string(source)],
            Ok(module) => match Validator::new(ValidationFlags::all(), capabilities).validate(&module) {
                Err(error) => vec![error.emit_to_string(source)],
                Ok(_) if module.entry_points.len() != 1 => vec!["not one entry point".to_owned()],
                Ok(_) => over_the_limits(&module),
            },
        };
        failures.extend(wrong.into_iter().map(|wrong| format!("{name}: {wrong}")));
    }
    println!("{} distinct modules", modules.len());
    assert!(modules.len() > 400, "only {} modules were tried", modules.len());
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), modules.len(), failures.join("\n"));
}

#[test]
fn modules_without_subgroups_use_no_subgroup_operation() {
    for (source, name) in modules() {
        let asks = source.contains("subgroup")
            && source.lines().any(|l| !l.trim_start().starts_with("//") && l.contains("subgroup"));
        let may =
            [Lanes::Subgroup8, Lanes::Subgroup4, Lanes::Shuffle8].iter().any(|l| name.contains(&format!("{l:?}")));
        assert!(may || !asks, "{name}");
    }
}
