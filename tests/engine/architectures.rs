//! Every architecture on the tiny model: the engine against the CPU twin, the twin's arithmetic against the pass in f64, which reads the
//! file's own order of heads, and order invariant over chunks, neighbours and reuse.

use lastbit::architecture::{Activation, Architecture, RopePairs};
use lastbit::generate::{CancelToken, RunOptions};
use lastbit::gguf;
use lastbit::model::{Outputs, check_header};
use lastbit::numerics::{Formats, Numerics, Order, Reduction};
use lastbit::quant::{self, TensorType};
use lastbit::reference::forward_f64::{ModelF64, ShapeF64};
use lastbit::tiny_model::TinyModel;

use crate::invariance::hashes;
use crate::{engine_under, ids, rows, twin};

/// One model of each kind: those whose files say `llama` differ in their rotations and in a window.
fn models() -> [(&'static str, TinyModel); 7] {
    let like = TinyModel::like;
    let llama = like(Architecture::LLAMA);
    [
        ("Llama 3", TinyModel { rope_factors: true, ..llama.clone() }),
        ("Mistral", TinyModel { window: Some(20), ..llama }),
        ("Qwen 2", like(Architecture::QWEN2)),
        ("Qwen 2 that rotates half a head", TinyModel { rope_dim: Some(16), ..like(Architecture::QWEN2) }),
        ("Qwen 3", like(Architecture::QWEN3)),
        ("Gemma 3", like(Architecture::GEMMA3)),
        (
            "Gemma 3 with wide heads",
            TinyModel { head_dim: 256, n_heads: 2, n_kv_heads: 1, ..like(Architecture::GEMMA3) },
        ),
    ]
}

/// The pass in f64 of a file, whose description may be changed first.
fn in_f64(bytes: &[u8], change: fn(&mut ShapeF64)) -> ModelF64 {
    let file = gguf::load(bytes, None).expect("the tiny model is a file");
    let mut shape = check_header(&file.header).expect("the header is a model's").in_f64();
    change(&mut shape);
    ModelF64::from_tensors(shape, 1, |name| {
        let index = file.header.tensor_index(name)?;
        let info = &file.header.tensors[index];
        let mut numbers = vec![0.0; info.n_elements() as usize];
        quant::dequantize(info.tensor_type, &file.tensors[index], &mut numbers);
        Some(numbers)
    })
    .expect("the tiny model is whole")
}

/// Root of the mean square.
fn spread(values: &[f64]) -> f64 {
    (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt()
}

fn named(formats: Formats, order: Order) -> Numerics {
    Numerics::new(formats, order, 128)
}

#[test]
fn gpu_and_cpu_twin_give_the_same_bits_for_every_architecture() {
    pollster::block_on(async {
        for (name, tiny) in models() {
            println!("{name}");
            for order in [Order::ByShape, Order::Invariant] {
                for formats in [Formats::Int8, Formats::Half, Formats::F32] {
                    twin::check(&tiny, named(formats, order)).await;
                }
            }
            let int8 = named(Formats::Int8, Order::ByShape);
            twin::check(&tiny, Numerics { shards: 2, norm: Reduction::Pairwise, ..int8 }).await;
        }
    });
}

/// At every position of a prompt. The engine rotates neighbours, the pass in f64 what the file's own order has as pairs.
#[test]
fn f32_is_close_to_the_pass_in_f64_for_every_architecture() {
    pollster::block_on(async {
        for (name, tiny) in models() {
            // Floats, so that nothing but the arithmetic differs.
            let tiny = TinyModel { weight_type: TensorType::F32, embedding_type: TensorType::F16, ..tiny };
            let (bytes, tokens) = (tiny.gguf_bytes(), ids(100, 3));
            let mut truth = in_f64(&bytes, |_| ());
            let normed = truth.forward(&tokens);
            let truth = truth.logits(&normed);
            let mut engine = engine_under(&bytes, named(Formats::F32, Order::Invariant)).await;
            let pass = engine.pass();
            pass.set_block_table(0, 0, &(0..16).collect::<Vec<_>>());
            pass.forward(&rows(0, 0, &tokens, 0), Outputs::All).await.expect("a step");
            let logits = pass.read_logits(tokens.len() as u32).await.expect("logits").concat();
            assert_eq!(logits.len(), truth.len());
            let differences = logits.iter().zip(&truth).map(|(logit, truth)| (f64::from(*logit) - truth).abs());
            let (largest, spread) = (differences.fold(0.0, f64::max), spread(&truth));
            println!("{name}: largest difference {largest:.2e}, logits of {spread:.2}");
            assert!(largest <= 1e-4 * spread, "{name}: {largest:e} of {spread}");
        }
    });
}

#[test]
fn invariant_gives_the_same_bits_for_every_chunk_and_reuse_and_by_shape_does_not() {
    pollster::block_on(async {
        for (name, tiny) in models() {
            let bytes = tiny.gguf_bytes();
            for formats in [Formats::Int8, Formats::Float] {
                let mut engine = engine_under(&bytes, named(formats, Order::Invariant)).await;
                assert!(engine.self_test().invariant_pipelines_agree, "{name}");
                let tokens = ids(100, 5);
                let expected = hashes(&mut engine, &tokens, 100).await;
                for chunk in [1, 3, 5, 16, 33, 64, 99] {
                    assert_eq!(hashes(&mut engine, &tokens, chunk).await, expected, "{name} {formats:?} by {chunk}");
                }
                let mut run = async |max_reused_tokens| {
                    let options = RunOptions { max_tokens: 4, max_reused_tokens };
                    let trace = engine.run(&tokens, options, &CancelToken::default(), |_| ()).await.expect("a run");
                    (trace.reused_tokens, trace.steps.iter().map(|step| step.logits_hash).collect::<Vec<_>>())
                };
                let (none, cold) = run(0).await;
                assert_eq!(none, 0);
                for reuse in [1, 19, 20, 21, 64, 99] {
                    assert_eq!(run(reuse).await, (reuse, cold.clone()), "{name} {formats:?}, {reuse} reused");
                }

                let mut engine = engine_under(&bytes, named(formats, Order::ByShape)).await;
                let mut n_differing = 0;
                for seed in 5..9 {
                    let tokens = ids(100, seed);
                    let whole = hashes(&mut engine, &tokens, 100).await;
                    n_differing += usize::from(hashes(&mut engine, &tokens, 1).await != whole);
                    if n_differing > 0 {
                        break;
                    }
                }
                assert!(n_differing > 0, "{name} {formats:?}: no prompt of four differs");
            }
        }
    });
}

/// To leave out any one thing that sets an architecture apart moves the logits by far more than the comparison above allows.
#[test]
fn each_difference_matters() {
    type Change = fn(&mut ShapeF64);
    let changes: [(&str, Change); 8] = [
        ("pairs of halves", |shape| shape.architecture.rope_pairs = RopePairs::Neighbours),
        ("biases", |shape| shape.architecture.qkv_bias = false),
        ("norms of heads", |shape| shape.architecture.head_norms = false),
        ("post norms", |shape| shape.architecture.post_norms = false),
        ("scale of the embedding", |shape| shape.architecture.scaled_embedding = false),
        ("GELU", |shape| shape.architecture.activation = Activation::Silu),
        ("window", |shape| shape.window = None),
        ("local base", |shape| {
            if let Some(window) = &mut shape.window {
                window.pattern.local_rope_base = None;
            }
        }),
    ];
    for (name, tiny) in models() {
        let bytes = tiny.gguf_bytes();
        let logits = |change| {
            let mut model = in_f64(&bytes, change);
            let normed = model.forward(&ids(60, 3));
            model.logits(&normed[normed.len() - tiny.embedding_dim()..])
        };
        let right = logits(|_| ());
        let mut n_that_matter = 0;
        for (what, change) in changes {
            let largest = right.iter().zip(logits(change)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            n_that_matter += usize::from(largest > 0.0);
            assert!(largest == 0.0 || largest > 0.01 * spread(&right), "{name} without {what}: {largest:e}");
        }
        let expected = match name {
            "Llama 3" => 0,
            "Mistral" => 1,
            "Qwen 2" | "Qwen 2 that rotates half a head" | "Qwen 3" => 2,
            _ => 7,
        };
        assert_eq!(n_that_matter, expected, "{name}");
    }
}
