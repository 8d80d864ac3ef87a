//! What the matrix products' sites compute, in f64 from the same stored weights and the same (quantised) activations.

use lastbit::architecture::Activation;
use lastbit::gpu::wgsl::Epilogue;
use lastbit::model::self_test::case::Found;
use lastbit::model::self_test::matmul::{MatmulSite, NORM_EPS};
use lastbit::numerics::{Accumulation, ActivationFormat, KvFormat};
use lastbit::reference::exact_math::f32_from_f16_bits;
use lastbit::reference::matmul::matmul_truth_of;

use crate::support::{Tally, floats, nmse_within};

/// Tolerances of issue 2: operations on single values, and sums.
pub(crate) const ELEMENTWISE: f64 = 1e-7;
pub(crate) const SUMS: f64 = 1e-6;
/// Sums in f16, whose every step is up to 2^-11 off; measured are at most 4.2e-6.
pub(crate) const SUMS_IN_F16: f64 = 1e-5;

/// Holds what a kernel left against the truth.
pub(crate) fn check(tally: &mut Tally, site: &MatmulSite, found: &Found, what: &str) {
    let n_rows = site.size.n_rows as usize;
    let sums_limit = match site.target.arithmetic.accumulation {
        Accumulation::F32 => SUMS,
        Accumulation::F16 => SUMS_IN_F16,
    };
    match site.epilogue {
        Epilogue::QkvRaw => {
            let (q, k) = (products(site, 0), products(site, 1));
            let (q_dim, kv_dim) = (q.len() / n_rows, k.len() / n_rows);
            let heads: Vec<f64> = q.chunks(q_dim).zip(k.chunks(kv_dim)).flat_map(|(q, k)| [q, k].concat()).collect();
            in_f32(tally, &found[0], &found[1], &heads, sums_limit, what);
            let v = site.target.v;
            cached(tally, &site.cached(v, &found[2]), &products(site, 2), v, sums_limit, what);
        }
        Epilogue::Total => in_f32(tally, &found[0], &found[1], &products(site, 0), sums_limit, what),
        Epilogue::Qkv => {
            let q = products(site, 0);
            tally.truth(&floats(&found[0], q.len()), &rotated(site, q), sums_limit, what);
            let (k, v) = (site.target.k, site.target.v);
            cached(tally, &site.cached(k, &found[1]), &rotated(site, products(site, 1)), k, sums_limit, what);
            cached(tally, &site.cached(v, &found[2]), &products(site, 2), v, sums_limit, what);
        }
        Epilogue::Residual => {
            let dim = site.size.n_out as usize;
            let stream: Vec<f64> =
                products(site, 0).iter().zip(&site.residual).map(|(total, x)| f64::from(*x) + total).collect();
            let weighted: Vec<f64> =
                stream.iter().enumerate().map(|(i, x)| x * f64::from(site.next_norm[i % dim])).collect();
            let squares: Vec<f64> = stream.chunks(32).map(|block| block.iter().map(|x| x * x).sum()).collect();
            let info = floats(&found[1], n_rows * dim / 8);
            activations(tally, site.target.arithmetic.activations, &found[0], &info, &weighted, sums_limit, what);
            let sums: Vec<f32> = info.iter().skip(2).step_by(4).copied().collect();
            tally.truth(&sums, &squares, sums_limit, what);
            tally.truth(&floats(&found[2], stream.len()), &stream, sums_limit, what);
        }
        Epilogue::Partial => {
            let truth = products(site, 0);
            let words = &found[0][site.words_before()..];
            tally.truth(&floats(words, truth.len()), &truth, sums_limit, what);
        }
        Epilogue::GateUp => {
            let (gate, up) = (products(site, 0), products(site, 1));
            let hidden: Vec<f64> = gate.iter().zip(&up).map(|(g, u)| activated(site, *g) * u).collect();
            let info = floats(&found[1], hidden.len() / 8);
            activations(tally, site.target.arithmetic.activations, &found[0], &info, &hidden, sums_limit, what);
        }
        Epilogue::Output => {
            let (n_out, logits) = (site.size.n_out as usize, products(site, 0));
            let n_padded = n_out.next_multiple_of(32);
            let values = floats(&found[0], n_rows * n_padded);
            let values: Vec<f32> = values.chunks(n_padded).flat_map(|row| row[..n_out].to_vec()).collect();
            tally.truth(&values, &logits, sums_limit, what);
        }
    }
}

/// Written activations: f32 within the tolerance, int8 within half a step (and the last bits of the sum before the rounding).
pub(crate) fn activations(
    tally: &mut Tally,
    format: ActivationFormat,
    words: &[u32],
    info: &[f32],
    truth: &[f64],
    sums_limit: f64,
    what: &str,
) {
    match format {
        ActivationFormat::F32 => tally.truth(&floats(words, truth.len()), truth, sums_limit, what),
        ActivationFormat::F16 => {
            let halves = words.iter().take(truth.len() / 2).flat_map(|word| [word & 0xFFFF, word >> 16]);
            tally.truth(&halves.map(f32_from_f16_bits).collect::<Vec<_>>(), truth, sums_limit, what);
        }
        ActivationFormat::Int8 => {
            // Squared: the errors, half a step each, the truth.
            let (mut errors, mut halves, mut power) = (0.0, 0.0, 0.0);
            for (i, truth) in truth.iter().enumerate() {
                let quant = words[i / 4].to_le_bytes()[i % 4] as i8;
                let scale = f64::from(info[i / 32 * 4]);
                let (error, half) = ((f64::from(quant) * scale - truth).abs(), 0.505 * scale);
                let within = error <= half || sums_limit == SUMS_IN_F16;
                assert!(within, "{what}: value {i} is {quant} steps of {scale:e}, truth {truth:e}");
                errors += error * error;
                halves += half * half;
                power += truth * truth;
            }
            // Sums in f16 are off by more than half a step, so value by value that holds only with sums in f32. Over all values the rounding
            // and the sums before it together are off by no more than both: the triangle's inequality, whatever the format of sums.
            let limit = f64::sqrt(halves) + f64::sqrt(sums_limit * power);
            assert!(f64::sqrt(errors) <= limit, "{what}: off by {:e}, allowed are {limit:e}", f64::sqrt(errors));
            for (block, info) in info.chunks(4).enumerate() {
                let quants = words[block * 8..block * 8 + 8].iter().flat_map(|word| word.to_le_bytes());
                let sum: i32 = quants.map(|quant| i32::from(quant as i8)).sum();
                assert_eq!(info[1], info[0] * sum as f32, "{what}: scaled sum of block {block}");
            }
        }
    }
}

/// Cached keys or values: the wider formats within the tolerance, the quantised ones within what rounding costs bell-shaped numbers.
fn cached(tally: &mut Tally, values: &[f32], truth: &[f64], format: KvFormat, sums_limit: f64, what: &str) {
    match format {
        KvFormat::F32 | KvFormat::F16 => tally.truth(values, truth, sums_limit, what),
        KvFormat::Q8_0 => {
            nmse_within(values, truth, 1e-4, what);
        }
        KvFormat::Q4_0 => {
            nmse_within(values, truth, 3e-2, what);
        }
    }
}

/// Products with one of the site's matrices, normalised where a norm stands in front. // [row, n_out]
fn products(site: &MatmulSite, number: usize) -> Vec<f64> {
    let input = site.wanted_input();
    let matrix = site.matrix(number);
    let blocks = site.blocks();
    let mut products = matmul_truth_of(&matrix, &input.weighted, blocks.start as usize..blocks.end as usize);
    if site.epilogue.is_normed() {
        let row_len = matrix.row_len;
        for (row, x) in products.chunks_mut(matrix.n_rows).zip(input.x.chunks(row_len)) {
            let mean = x.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() / row_len as f64;
            row.iter_mut().for_each(|product| *product /= (mean + f64::from(NORM_EPS)).sqrt());
        }
    }
    if let Some(biases) = &site.bias {
        for row in products.chunks_mut(matrix.n_rows) {
            row.iter_mut().zip(&biases[number]).for_each(|(product, bias)| *product += f64::from(*bias));
        }
    }
    products
}

/// The bent gate of the feed-forward layer.
fn activated(site: &MatmulSite, x: f64) -> f64 {
    match site.target.architecture.activation {
        Activation::Silu => x / (1.0 + (-x).exp()),
        Activation::GeluTanh => {
            0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh())
        }
    }
}

/// Rows in f32 and the sums of squares of their blocks.
pub(crate) fn in_f32(tally: &mut Tally, words: &[u32], info: &[u32], truth: &[f64], limit: f64, what: &str) {
    tally.truth(&floats(words, truth.len()), truth, limit, what);
    let sums: Vec<f32> = floats(info, truth.len() / 8).into_iter().skip(2).step_by(4).collect();
    let squares: Vec<f64> = truth.chunks(32).map(|block| block.iter().map(|x| x * x).sum()).collect();
    tally.truth(&sums, &squares, limit, what);
}

/// RoPE at each row's position, base 10,000.
fn rotated(site: &MatmulSite, values: Vec<f64>) -> Vec<f64> {
    let head_dim = site.target.head_dim as usize;
    let row_len = values.len() / site.rows.len();
    let at = |i: usize| {
        let position = f64::from(site.rows[i / row_len].position);
        let (sin, cos) = (position * 1e4_f64.powf(-((i % head_dim / 2 * 2) as f64) / head_dim as f64)).sin_cos();
        if i.is_multiple_of(2) { values[i] * cos - values[i + 1] * sin } else { values[i - 1] * sin + values[i] * cos }
    };
    (0..values.len()).map(at).collect()
}
