//! In order invariant a row's bits depend on neither the number of rows nor the kernel; in order by-shape they do.

use lastbit::gpu::select::{KernelShape, slices};
use lastbit::gpu::wgsl::Epilogue;
use lastbit::model::self_test::attention::AttentionStep;
use lastbit::model::self_test::case::{Found, POISON, run};
use lastbit::model::self_test::matmul::{MatmulSite, MatmulSize};
use lastbit::numerics::{ActivationFormat, Order};
use lastbit::quant::TensorType;

use crate::support::{KV_F16, KV_F32, Variant, own_device, variants};

const SITES: [(Epilogue, TensorType, ActivationFormat); 6] = [
    (Epilogue::Qkv, TensorType::Q8_0, ActivationFormat::F32),
    (Epilogue::Residual, TensorType::Q4_1, ActivationFormat::Int8),
    (Epilogue::GateUp, TensorType::F16, ActivationFormat::F32),
    (Epilogue::Output, TensorType::Q4_1, ActivationFormat::F32),
    (Epilogue::Residual, TensorType::Q6K, ActivationFormat::Int8),
    (Epilogue::Output, TensorType::Q4K, ActivationFormat::F32),
];

/// One site's rows on both kernels: what `order` leaves for every row count asked for. // [row count, (vector, tiled)]
fn both_kernels(
    variant: &Variant,
    (epilogue, weights, activations): (Epilogue, TensorType, ActivationFormat),
    order: Order,
    row_counts: impl Iterator<Item = u32>,
) -> Vec<(Found, Found)> {
    let target = variant.target(64, activations, KV_F32);
    let [vector, tiled] = [KernelShape::Vector, KernelShape::Tiled]
        .map(|shape| variant.compile(epilogue.name(), target.matmul(weights, shape, epilogue)));
    row_counts
        .map(|n_rows| {
            let row_len = u32::next_multiple_of(384, weights.run_len() as u32);
            let size = MatmulSize { n_rows, row_len, n_out: 64, n_heads: 3, n_kv_heads: 1 };
            let site = MatmulSite::seeded(epilogue, weights, target, size, u64::from(n_rows));
            let [few, many] =
                [KernelShape::Vector, KernelShape::Tiled].map(|shape| site.case(slices(order, shape, size.row_len)));
            let dispatches =
                [(&vector, &few, site.grid(KernelShape::Vector)), (&tiled, &many, site.grid(KernelShape::Tiled))];
            let mut found = pollster::block_on(run(&variant.device, &dispatches)).expect("two dispatches");
            let many = found.pop().expect("the second");
            (found.pop().expect("the first"), many)
        })
        .collect()
}

/// Differing words and all words that at least one of two dispatches wrote.
fn differing(a: &Found, b: &Found) -> (usize, usize) {
    let pairs = a.iter().flatten().zip(b.iter().flatten()).filter(|pair| *pair != (&POISON, &POISON));
    (pairs.clone().filter(|(a, b)| a != b).count(), pairs.count())
}

#[test]
fn invariant_vector_and_tiled_kernels_agree_in_every_bit() {
    for variant in variants() {
        // Making pipelines is what takes time: the variants that are not the device's own show two sites.
        let sites = if variant.own { &SITES[..] } else { &SITES[1..3] };
        for &site in sites {
            let row_counts = if variant.own { 1..=64 } else { 1..=9 };
            for (i, (few, many)) in both_kernels(&variant, site, Order::Invariant, row_counts).iter().enumerate() {
                let (n_differing, n_words) = differing(few, many);
                assert_eq!(n_differing, 0, "{site:?} {:?} {} rows: of {n_words} words", variant.lanes, i + 1);
            }
        }
    }
}

#[test]
fn by_shape_vector_and_tiled_kernels_differ() {
    let variant = own_device();
    for site in SITES {
        for (few, many) in both_kernels(&variant, site, Order::ByShape, [1, 16].into_iter()) {
            let (n_differing, n_words) = differing(&few, &many);
            println!("{site:?}: {n_differing} of {n_words} words differ between vector and tiled in order by-shape");
            // int8 activations round most of the difference away, in what is handed on but not in the residual stream.
            assert!(n_differing > n_words / 20, "{site:?}: the invariance check could not fail");
        }
    }
}

/// A prompt of 66 tokens in one step, and its rows from each cut on in a step of their own: attention of the common rows.
fn cut_prompts(order: Order, check: impl Fn(&str, usize, usize, usize)) {
    let variant = own_device();
    let target = variant.target(64, ActivationFormat::F32, KV_F16);
    let split = variant.compile("attention_split", target.attention_split());
    let fold = variant.compile("attention_fold", target.attention_fold());
    let rows: Vec<(u32, u32)> = (0..66).map(|position| (0, position)).collect();
    let prompt = AttentionStep::seeded(target, 3, 1, &rows, 5);
    let attend = |step: &AttentionStep| {
        let partials = step.partials(order);
        let (split_case, fold_case) = (step.split_case(order, &partials), step.fold_case(order, &partials));
        let dispatches = [(&split, &split_case, step.split_grid(order)), (&fold, &fold_case, step.fold_grid())];
        pollster::block_on(run(&variant.device, &dispatches)).expect("two dispatches")
    };
    let whole = attend(&prompt);
    let row_len = 3 * 64;
    for cut in [1, 63, 64, 65] {
        let rest = attend(&prompt.with_rows(|row| row >= cut));
        let common = (66 - cut) * row_len;
        let pairs = whole[1][0][cut * row_len..][..common].iter().zip(&rest[1][0][..common]);
        check("attention", cut, pairs.filter(|(a, b)| a != b).count(), common);
    }
}

#[test]
fn invariant_attention_does_not_depend_on_the_cut() {
    cut_prompts(Order::Invariant, |what, cut, n_differing, n_values| {
        assert_eq!(n_differing, 0, "{what} cut at {cut}: of {n_values} values");
    });
}

#[test]
fn by_shape_attention_depends_on_the_cut() {
    cut_prompts(Order::ByShape, |what, cut, n_differing, n_values| {
        println!("{what} cut at {cut}: {n_differing} of {n_values} values differ in order by-shape");
        // With 65 rows left the step still runs on the tiled kernels' single split.
        assert_eq!(n_differing > n_values / 20, cut > 60, "{what} cut at {cut}: {n_differing} of {n_values}");
    });
}
