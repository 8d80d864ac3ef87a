//! The whole forward pass on the GPU gives the bits of the whole forward pass on the CPU.

use lastbit::gguf::{self, LoadedGguf, TensorInfo};
use lastbit::model::{ModelConfig, Outputs, TapRun, TapTensor, TappedRow, in_kernel_order};
use lastbit::numerics::{ActivationFormat, Formats, Numerics, Order, Orders, Reduction, Site, TieRule, WeightFormat};
use lastbit::quant::{self, TensorType};
use lastbit::reference::forward::{TwinModel, TwinRow};
use lastbit::reference::tap::hash;
use lastbit::tiny_model::TinyModel;

use crate::{all_numerics, engine_under, ids, rows, two_arithmetics};

/// Steps that a sequence of 41 tokens is run in: many rows, few, one.
const STEPS: [usize; 5] = [33, 4, 2, 1, 1];

fn bits(logits: &[f32]) -> Vec<u32> {
    logits.iter().map(|logit| logit.to_bits()).collect()
}

pub(crate) async fn check(tiny: &TinyModel, numerics: Numerics) {
    let bytes = tiny.gguf_bytes();
    let file = gguf::load(bytes.as_slice(), None).expect("the tiny model is a file");
    let mut engine = engine_under(&bytes, numerics).await;
    let config = engine.model().config.clone();
    let tensors = requantised(&file, &config, numerics.weights);
    let factors = file.header.tensor_index("rope_freqs.weight").map(|i| bytemuck::pod_collect_to_vec(&file.tensors[i]));
    let twin_config = config.twin(256, factors);
    let twin = TwinModel::new(twin_config, |name| {
        let (tensor_type, bytes) = &tensors[file.header.tensor_index(name)?];
        Some((*tensor_type, bytes.as_slice()))
    })
    .expect("the twin takes the same file");
    let mut cache = twin.cache(1);

    let tokens = ids(STEPS.iter().sum(), 11);
    let pass = engine.pass();
    pass.set_block_table(0, 0, &(0..16).collect::<Vec<_>>());
    let mut position = 0;
    for n in STEPS {
        let step = &tokens[position..position + n];
        let step_rows = rows(0, position, step, 0);
        let tapped = TappedRow { row: n as u32 - 1, run: TapRun::First };
        let (tops, taps) = if n % 2 == 1 {
            pass.forward_tapped(&step_rows, Outputs::All, tapped).await.expect("a step")
        } else {
            (pass.forward(&step_rows, Outputs::All).await.expect("a step"), Vec::new())
        };
        let logits = pass.read_logits(n as u32).await.expect("logits");
        let twin_rows: Vec<TwinRow> = step
            .iter()
            .enumerate()
            .map(|(i, &token_id)| TwinRow { sequence: 0, position: position + i, token_id })
            .collect();
        let at = format!("{numerics:?} {:?}: step of {n} rows", tiny.weight_type);
        let expected = twin.forward_tapped(&numerics, &mut cache, &twin_rows, n, |twin| {
            let found = taps.iter().find(|tap| {
                (tap.layer, Some(tap.tensor)) == (twin.layer.map(|i| i as u32), tensor(twin.name, &numerics))
            });
            if let Some(found) = found {
                let last_row = &twin.values[twin.values.len() / n * (n - 1)..];
                assert_eq!(found.hash, hash(last_row), "{at}: {} of layer {:?}", twin.name, twin.layer);
            }
        });
        for (row, (got, expected)) in logits.iter().zip(expected.chunks_exact(got_len(&logits))).enumerate() {
            let at = format!("{at}, row {row}");
            assert_eq!(bits(got), bits(expected), "{at}");
            let top = lastbit::reference::top_k::top_k(expected, numerics.tie_rule);
            assert_eq!(tops[row].hash, top.hash, "{at}");
            assert_eq!(tops[row].ids, top.entries.map(|(id, _)| id), "{at}");
        }
        position += n;
    }
}

/// Every tensor of a file with heads in the order of the kernels and the matrices in another format, made here from the file's bytes.
fn requantised(file: &LoadedGguf, config: &ModelConfig, weights: WeightFormat) -> Vec<(TensorType, Vec<u8>)> {
    let file_order = file.header.tensors.iter().zip(&file.tensors);
    let ordered: Vec<_> =
        file_order.map(|(info, bytes)| (info, in_kernel_order(config, info, bytes).into_owned())).collect();
    let one = |(info, bytes): &(&TensorInfo, Vec<u8>)| match TensorType::for_weights(weights) {
        Some(wanted) if info.shape.len() == 2 && info.tensor_type != wanted => {
            let mut values = vec![0.0; info.shape.iter().product::<u64>() as usize];
            quant::dequantize(info.tensor_type, bytes, &mut values);
            (wanted, quant::quantize(wanted, &values))
        }
        _ => (info.tensor_type, bytes.clone()),
    };
    ordered.iter().map(one).collect()
}

/// The tap of a twin's tensor. What attention leaves is tapped as attn_output reads it, which is the twin's own only in f32.
fn tensor(twin_name: &str, numerics: &Numerics) -> Option<TapTensor> {
    let in_f32 = [numerics.decode, numerics.prefill].iter().all(|of| of.activations == ActivationFormat::F32);
    match twin_name {
        "q" => Some(TapTensor::Q),
        "k" => Some(TapTensor::K),
        "v" => Some(TapTensor::V),
        "attention" if in_f32 => Some(TapTensor::AttentionOutput),
        "attn_output" => Some(TapTensor::ResidualAfterAttention),
        "ffn_down" => Some(TapTensor::ResidualAfterFfn),
        _ => None,
    }
}

fn got_len(logits: &[Vec<f32>]) -> usize {
    logits[0].len()
}

#[test]
fn gpu_and_cpu_twin_give_the_same_bits_in_every_format_and_order() {
    pollster::block_on(async {
        for order in [Order::ByShape, Order::Invariant, Order::Vector, Order::Tiled] {
            for numerics in all_numerics(order) {
                check(&TinyModel::default(), numerics).await;
            }
        }
        for numerics in two_arithmetics() {
            check(&TinyModel::default(), numerics).await;
        }
    });
}

#[test]
fn gpu_and_cpu_twin_give_the_same_bits_for_every_weight_format_and_a_head_of_its_own() {
    let named = |formats, order| Numerics::new(formats, order, 128);
    pollster::block_on(async {
        for (i, weight_type) in TensorType::in_files().enumerate() {
            // The head is the embedding, or a matrix of its own.
            let output_type = [None, Some(TensorType::Q4_1)][i % 2];
            let numerics = [
                named(Formats::Int8, Order::ByShape),
                named(Formats::F32, Order::Invariant),
                named(Formats::Half, Order::Invariant),
            ];
            let tiny = TinyModel {
                seed: 3,
                weight_type,
                embedding_type: weight_type,
                output_type,
                ..TinyModel::fitting(weight_type)
            };
            check(&tiny, numerics[i % 3]).await;
        }
    });
}

#[test]
fn gpu_and_cpu_twin_give_the_same_bits_for_every_reduction_and_tie_rule_and_for_orders_that_are_mixed() {
    pollster::block_on(async {
        let plain = Numerics::new(Formats::Int8, Order::Invariant, 128);
        let mixed = Orders::all(Order::ByShape).with(Site::AttnQkv, Order::Invariant).with(Site::FfnDown, Order::Tiled);
        for (norm, softmax, tie_rule, orders) in [
            (Reduction::Pairwise, Reduction::Sequential, TieRule::HighestId, plain.orders),
            (Reduction::WorkgroupTree, Reduction::Pairwise, TieRule::LaneOrder, mixed),
        ] {
            check(&TinyModel::default(), Numerics { norm, softmax, tie_rule, orders, ..plain }).await;
        }
    });
}

#[test]
fn gpu_and_cpu_twin_give_the_same_bits_for_every_format_that_weights_are_requantised_to() {
    pollster::block_on(async {
        for (i, weights) in WeightFormat::ALL.into_iter().enumerate() {
            let tiny = TinyModel::fitting(TensorType::for_weights(weights).unwrap_or(TensorType::Q4_1));
            let (formats, order) = [(Formats::Int8, Order::ByShape), (Formats::Float, Order::Invariant)][i % 2];
            check(&tiny, Numerics { weights, ..Numerics::new(formats, order, 128) }).await;
        }
        let floats = TinyModel {
            seed: 5,
            weight_type: TensorType::F32,
            embedding_type: TensorType::F16,
            output_type: Some(TensorType::Q4_0),
            ..TinyModel::default()
        };
        let int8 = Numerics::new(Formats::Int8, Order::Invariant, 128);
        check(&floats, Numerics { weights: WeightFormat::Q3_32, ..int8 }).await;
    });
}
