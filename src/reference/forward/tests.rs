//! The composed forward pass on a tiny llama: against f64, and what each order does to its bits.

use super::*;
use crate::numerics::{Accumulation, ActivationFormat, Formats, KvFormat, Order, Orders};
use crate::quant::dequantize;
use crate::reference::forward_f64::{ModelF64, ShapeF64};
use crate::reference::test_data::{Seeded, TinyLlama, normalised_error};

/// Enough for a second tile of 64 keys and three splits by length.
const N_TOKENS: usize = 80;

fn numerics(arithmetic: Arithmetic, kv: KvFormat, order: Order) -> Numerics {
    Numerics { decode: arithmetic, prefill: arithmetic, k: kv, v: kv, ..Numerics::new(Formats::F32, order, 64) }
}

const F32: Arithmetic = Arithmetic::of(ActivationFormat::F32);
const INT8: Arithmetic = Arithmetic::of(ActivationFormat::Int8);

fn formats() -> impl Iterator<Item = (Arithmetic, KvFormat)> {
    let activations = [ActivationFormat::F32, ActivationFormat::F16, ActivationFormat::Int8].into_iter();
    let arithmetics = activations.flat_map(|activations| {
        [Accumulation::F32, Accumulation::F16].map(|accumulation| Arithmetic { activations, accumulation })
    });
    arithmetics.flat_map(|arithmetic| [(arithmetic, KvFormat::F32), (arithmetic, KvFormat::F16)])
}

fn token_ids(seed: u64) -> Vec<u32> {
    let mut seeded = Seeded::new(seed);
    (0..N_TOKENS).map(|_| (seeded.bits() % 300) as u32).collect()
}

/// Runs one sequence in chunks of the given sizes, the last of which takes the rest; the logits of the last row.
fn run(model: &TwinModel<'_>, numerics: &Numerics, token_ids: &[u32], chunks: &[usize]) -> (Vec<f32>, TwinCache) {
    let mut cache = model.cache(1);
    let mut logits = Vec::new();
    let mut position = 0;
    let rest = token_ids.len() - chunks.iter().sum::<usize>();
    for &n_rows in chunks.iter().chain([&rest]).filter(|n_rows| **n_rows > 0) {
        let rows: Vec<TwinRow> = (position..position + n_rows)
            .map(|position| TwinRow { sequence: 0, position, token_id: token_ids[position] })
            .collect();
        logits = model.forward(numerics, &mut cache, &rows, 1);
        position += n_rows;
    }
    (logits, cache)
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn f32_everywhere_is_close_to_the_forward_pass_in_f64() {
    let tiny = TinyLlama::new(1);
    let config = &tiny.config;
    let shape = ShapeF64 {
        n_blocks: config.n_layers,
        n_heads: config.n_heads,
        n_kv_heads: config.n_kv_heads,
        head_dim: config.rope.head_dim,
        embedding_dim: config.embedding_dim,
        feed_forward_dim: config.ffn_dim,
        vocab_size: config.vocab_size,
        rope_dim: config.rope.rope_dim,
        rope_freq_base: f64::from(config.rope.base),
        rope_scale: 1.0,
        norm_epsilon: f64::from(config.norm_epsilon),
        architecture: config.architecture,
        window: config.window,
    };
    let mut truth = ModelF64::from_tensors(shape, 1, |name| {
        let (tensor_type, bytes) = tiny.tensors.get(name)?;
        let block = tensor_type.block();
        let mut numbers = vec![0.0; bytes.len() / block.bytes * block.elements];
        dequantize(*tensor_type, bytes, &mut numbers);
        Some(numbers)
    })
    .expect("the tiny llama is whole");
    let ids = token_ids(7);
    let normed = truth.forward(&ids);
    let truth = truth.logits(&normed[normed.len() - config.embedding_dim..]);
    let model = tiny.model();
    for order in [Order::ByShape, Order::Invariant] {
        for shards in [1, 2, 4] {
            let exact = Numerics { shards, ..numerics(F32, KvFormat::F32, order) };
            for chunks in [&[][..], &[79], &[1; 80]] {
                let error = normalised_error(&run(&model, &exact, &ids, chunks).0, &truth);
                assert!(error <= 1e-10, "{order:?}, {shards} shards: {error:e}");
            }
            let int8 = Numerics { shards, ..numerics(INT8, KvFormat::F16, order) };
            let error = normalised_error(&run(&model, &int8, &ids, &[]).0, &truth);
            assert!((1e-8..1e-2).contains(&error), "{order:?} in int8, {shards} shards: {error:e}");
        }
    }
}

#[test]
fn invariant_order_gives_the_same_bits_for_any_chunks() {
    let tiny = TinyLlama::new(2);
    let (model, ids) = (tiny.model(), token_ids(8));
    for (arithmetic, kv) in formats() {
        let numerics = &numerics(arithmetic, kv, Order::Invariant);
        let (logits, cache) = run(&model, numerics, &ids, &[]);
        for chunks in [&[79][..], &[1, 3, 5, 16, 50], &[63, 1, 1, 1], &[1; 80]] {
            let (other_logits, other_cache) = run(&model, numerics, &ids, chunks);
            assert_eq!(bits(&logits), bits(&other_logits), "{arithmetic:?} {kv:?} {chunks:?}");
            assert!(cache == other_cache, "{arithmetic:?} {kv:?} {chunks:?}: cached keys or values differ");
        }
    }
}

#[test]
fn by_shape_order_does_not() {
    let tiny = TinyLlama::new(2);
    let model = tiny.model();
    for (arithmetic, kv) in formats() {
        let numerics = &numerics(arithmetic, kv, Order::ByShape);
        let n_differing = (8..12).map(|seed| {
            let ids = token_ids(seed);
            let cold = run(&model, numerics, &ids, &[]).0;
            assert_eq!(bits(&cold), bits(&run(&model, numerics, &ids, &[]).0), "cold and cold");
            let warm = run(&model, numerics, &ids, &[79]).0;
            bits(&cold).iter().zip(bits(&warm)).filter(|(a, b)| **a != *b).count()
        });
        let n_differing: Vec<usize> = n_differing.collect();
        let n_many = n_differing.iter().filter(|n| **n > 100).count();
        // f16 activations round what sums in f32 differ by to nothing in some prompts.
        let least = if arithmetic == Arithmetic::of(ActivationFormat::F16) { 2 } else { 4 };
        assert!(n_many >= least, "{arithmetic:?} {kv:?}: {n_differing:?} of 300 logits differ");
    }
}

#[test]
fn the_order_of_each_site_alone_is_enough_to_change_bits() {
    let tiny = TinyLlama::new(2);
    let (model, ids) = (tiny.model(), token_ids(8));
    // All but the head, which computes one row in either run.
    for site in &Site::ALL[..5] {
        let orders = Orders::all(Order::Invariant).with(*site, Order::ByShape);
        let numerics = &Numerics { orders, ..numerics(F32, KvFormat::F16, Order::Invariant) };
        let (cold, warm) = (run(&model, numerics, &ids, &[]).0, run(&model, numerics, &ids, &[79]).0);
        assert_ne!(bits(&cold), bits(&warm), "{site:?}");
    }
}

#[test]
fn neighbours_do_not_change_a_row_in_the_invariant_order() {
    let tiny = TinyLlama::new(3);
    let model = tiny.model();
    let numerics = &numerics(INT8, KvFormat::F16, Order::Invariant);
    let (first, second) = (token_ids(9), token_ids(10));
    let mut cache = model.cache(2);
    let row = |sequence, position, token_id| TwinRow { sequence, position, token_id };
    let prefill: Vec<TwinRow> = (0..20)
        .map(|position| row(0, position, first[position]))
        .chain((0..7).map(|position| row(1, position, second[position])))
        .collect();
    model.forward(numerics, &mut cache, &prefill, 0);
    let together = model.forward(numerics, &mut cache, &[row(1, 7, second[7]), row(0, 20, first[20])], 2);
    let alone = [run(&model, numerics, &second[..8], &[]).0, run(&model, numerics, &first[..21], &[]).0].concat();
    assert_eq!(bits(&together), bits(&alone));
}

#[test]
fn a_sequence_goes_on_from_any_of_its_positions() {
    let tiny = TinyLlama::new(4);
    let (model, ids) = (tiny.model(), token_ids(11));
    let numerics = &numerics(INT8, KvFormat::F16, Order::Invariant);
    let (cold, mut cache) = run(&model, numerics, &ids, &[]);
    let rows: Vec<TwinRow> =
        (50..N_TOKENS).map(|position| TwinRow { sequence: 0, position, token_id: ids[position] }).collect();
    assert_eq!(bits(&model.forward(numerics, &mut cache, &rows, 1)), bits(&cold));
}

#[test]
fn taps_come_in_the_order_of_the_kernels() {
    let tiny = TinyLlama::new(5);
    let model = tiny.model();
    let numerics = &numerics(F32, KvFormat::F32, Order::Invariant);
    let row = TwinRow { sequence: 0, position: 0, token_id: 1 };
    let mut seen = Vec::new();
    model.forward_tapped(numerics, &mut model.cache(1), &[row], 1, |tap| {
        seen.push((tap.layer, tap.name, tap.values.len()));
    });
    assert_eq!(seen[0], (None, "embed", 192));
    let names = [("q", 192), ("k", 64), ("v", 64), ("attention", 192), ("attn_output", 192), ("ffn_down", 192)];
    for (i, (name, len)) in names.into_iter().enumerate() {
        assert_eq!(seen[1 + i], (Some(0), name, len));
        assert_eq!(seen[7 + i], (Some(1), name, len));
    }
    assert_eq!(seen.len(), 13);
}

#[test]
fn what_does_not_fit_is_named() {
    let mut tiny = TinyLlama::new(6);
    let build = |tiny: &TinyLlama| {
        TwinModel::new(tiny.config.clone(), |name| tiny.tensors.get(name).map(|(t, bytes)| (*t, &bytes[..])))
            .map(|model| model.config().n_layers)
    };
    let name = "blk.1.ffn_up.weight".to_owned();
    tiny.tensors.get_mut(&name).expect("it was made").1.pop();
    let (expected, found) = (320 * 192 / 32 * 20, 320 * 192 / 32 * 20 - 1);
    assert_eq!(build(&tiny), Err(TwinError::WrongSize { name: name.clone(), expected, found }));
    tiny.tensors.remove(&name);
    assert_eq!(build(&tiny), Err(TwinError::MissingTensor { name }));
}

#[test]
fn without_a_head_of_its_own_the_embedding_is_the_head() {
    let mut tiny = TinyLlama::new(7);
    let embedding = tiny.tensors["token_embd.weight"].clone();
    tiny.tensors.insert("output.weight".to_owned(), embedding);
    let numerics = &numerics(F32, KvFormat::F32, Order::Invariant);
    let own = run(&tiny.model(), numerics, &[1, 2, 3], &[]).0;
    tiny.tensors.remove("output.weight");
    assert_eq!(bits(&run(&tiny.model(), numerics, &[1, 2, 3], &[]).0), bits(&own));
}
