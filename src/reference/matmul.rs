//! Products of weight rows and activation rows: blocks of 32, slices of blocks, in the kernels' order.
//!
//! A row of K weights is cut into S slices of equal length. Inside a slice block after block is added to the slice's sum
//! from zero on; then the slices' sums are added in ascending order, from zero on. S depends on the shape of the step
//! ([`Order::ByShape`]) or on K alone (every other order): nothing else in the order of addition differs.

use std::ops::Range;

use super::accumulate_f16::{add_block_f16, add_slices_f16};
use super::activations::Activations;
use super::block_product::add_block;
use super::weights::{BLOCK_LEN, Block, Matrix};
use crate::numerics::{Accumulation, Order};

/// Up to this many rows run on the vector kernel, more on the tiled kernel.
pub const MAX_VECTOR_ROWS: usize = 4;

/// Most slices that a row is cut into.
const MAX_SLICES: usize = 8;

/// How many multiplications make it worth starting a thread.
#[cfg(not(target_arch = "wasm32"))]
const WORK_PER_THREAD: usize = 1 << 18;

/// Slices of a row of `row_len` weights in a step of `n_rows` rows.
///
/// By shape, up to four rows are sliced (vector kernel) and more are not (tiled kernel); in every other order the slices are the
/// same for any number of rows.
pub fn slices(order: Order, n_rows: usize, row_len: usize) -> usize {
    match order {
        Order::Tiled => 1,
        Order::ByShape if n_rows > MAX_VECTOR_ROWS => 1,
        Order::ByShape | Order::Vector | Order::Invariant => slices_of(row_len),
    }
}

/// The largest number of equal slices, at most 8, into which the blocks of a row can be cut.
pub fn slices_of(row_len: usize) -> usize {
    let n_blocks = row_len / BLOCK_LEN;
    (1..=MAX_SLICES).rev().find(|s| n_blocks.is_multiple_of(*s)).expect("one slice divides any number of blocks")
}

/// How a dot product is added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summation {
    /// Slices that its terms are cut into.
    pub n_slices: usize,
    /// Format of its sums.
    pub accumulation: Accumulation,
}

impl Summation {
    /// Sums in f32.
    pub const fn f32(n_slices: usize) -> Self {
        Self { n_slices, accumulation: Accumulation::F32 }
    }
}

/// Product of some blocks of a weight row, from `first_block` on, and one row of activations, added up as `summation` says.
pub fn sliced_dot(
    weights: &[Block],
    first_block: usize,
    activations: &Activations,
    row: usize,
    summation: Summation,
) -> f32 {
    let Summation { n_slices, accumulation } = summation;
    assert!(weights.len().is_multiple_of(n_slices), "{} blocks do not make {n_slices} slices", weights.len());
    let slice_len = weights.len() / n_slices;
    let mut total = 0.0;
    for (slice, blocks) in weights.chunks_exact(slice_len).enumerate() {
        let mut sum = 0.0;
        for (i, block) in blocks.iter().enumerate() {
            let activations = activations.block(row, first_block + slice * slice_len + i);
            sum = match accumulation {
                Accumulation::F32 => add_block(sum, block, activations),
                Accumulation::F16 => add_block_f16(sum, block, activations),
            };
        }
        total = match accumulation {
            Accumulation::F32 => total + sum,
            Accumulation::F16 => add_slices_f16(total, sum),
        };
    }
    total
}

/// Every weight row times every row of activations, added up as `summation` says; `[row, matrix.n_rows]`.
pub fn matmul(matrix: &Matrix<'_>, activations: &Activations, summation: Summation) -> Vec<f32> {
    matmul_of(matrix, activations, 0..matrix.row_len / BLOCK_LEN, summation)
}

/// [`matmul`] over some of the blocks of every row.
pub fn matmul_of(
    matrix: &Matrix<'_>,
    activations: &Activations,
    blocks: Range<usize>,
    summation: Summation,
) -> Vec<f32> {
    assert_eq!(matrix.row_len, activations.row_len(), "row length of weights and of activations");
    let n_rows = activations.n_rows();
    let by_weight_row = products_by_weight_row(matrix, activations, blocks, summation);
    (0..n_rows * matrix.n_rows).map(|i| by_weight_row[i % matrix.n_rows * n_rows + i / matrix.n_rows]).collect()
}

/// The products of `matmul` by weight row, so that each of these is unpacked once; `[matrix.n_rows, row]`.
fn products_by_weight_row(
    matrix: &Matrix<'_>,
    activations: &Activations,
    blocks: Range<usize>,
    summation: Summation,
) -> Vec<f32> {
    let n_rows = activations.n_rows();
    let mut products = vec![0.0; matrix.n_rows * n_rows];
    let fill = |first_weight_row: usize, products: &mut [f32]| {
        for (i, products) in products.chunks_exact_mut(n_rows).enumerate() {
            let weights = matrix.row_blocks(first_weight_row + i);
            for (row, product) in products.iter_mut().enumerate() {
                *product = sliced_dot(&weights[blocks.clone()], blocks.start, activations, row, summation);
            }
        }
    };
    if n_rows == 0 {
        return products;
    }
    // Each product is a sum of its own, so how they are dealt out to threads cannot change a bit.
    #[cfg(not(target_arch = "wasm32"))]
    {
        let useful = matrix.n_rows * n_rows * blocks.len() * BLOCK_LEN / WORK_PER_THREAD;
        let n_threads = std::thread::available_parallelism().map_or(1, usize::from).min(useful).max(1);
        let weight_rows = matrix.n_rows.div_ceil(n_threads).max(1);
        std::thread::scope(|scope| {
            let mut chunks = products.chunks_mut(weight_rows * n_rows).enumerate();
            let own = chunks.next();
            for (i, products) in chunks {
                let fill = &fill;
                scope.spawn(move || fill(i * weight_rows, products));
            }
            if let Some((_, products)) = own {
                fill(0, products);
            }
        });
    }
    #[cfg(target_arch = "wasm32")]
    fill(0, &mut products);
    products
}

/// The same products in f64, of the same stored weights and activations without a rounding; `[row, matrix.n_rows]`.
pub fn matmul_truth(matrix: &Matrix<'_>, activations: &Activations) -> Vec<f64> {
    matmul_truth_of(matrix, activations, 0..matrix.row_len / BLOCK_LEN)
}

/// [`matmul_truth`] over some of the blocks of every row.
pub fn matmul_truth_of(matrix: &Matrix<'_>, activations: &Activations, blocks: Range<usize>) -> Vec<f64> {
    let terms = blocks.start * BLOCK_LEN..blocks.end * BLOCK_LEN;
    let rows: Vec<Vec<f64>> =
        (0..activations.n_rows()).map(|row| activations.exact_row(row)[terms.clone()].to_vec()).collect();
    let weights: Vec<Vec<f64>> = (0..matrix.n_rows)
        .map(|row| matrix.row_blocks(row)[blocks.clone()].iter().flat_map(Block::exact_values).collect())
        .collect();
    rows.iter().flat_map(|x| weights.iter().map(move |w| w.iter().zip(x).map(|(w, x)| w * x).sum())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::ActivationFormat;
    use crate::quant::TensorType;
    use crate::reference::test_data::{Seeded, normalised_error};

    const FORMATS: [ActivationFormat; 3] = [ActivationFormat::F32, ActivationFormat::F16, ActivationFormat::Int8];

    /// A seeded matrix and seeded activations, handed to `check` for every pair of formats; rows are as long as the format's blocks allow.
    fn for_every_format(
        n_weight_rows: usize,
        row_len: usize,
        n_rows: usize,
        check: impl Fn(TensorType, ActivationFormat, &Matrix<'_>, &Activations),
    ) {
        for tensor_type in TensorType::all() {
            let row_len = row_len.next_multiple_of(tensor_type.run_len());
            for format in FORMATS {
                let mut seeded = Seeded::new(n_weight_rows as u64 * 31 + row_len as u64 + n_rows as u64);
                let bytes = seeded.weight_bytes(tensor_type, n_weight_rows * row_len);
                let matrix = Matrix { tensor_type, n_rows: n_weight_rows, row_len, bytes: &bytes };
                let activations = Activations::from_rows(format, row_len, &seeded.normals(n_rows * row_len));
                check(tensor_type, format, &matrix, &activations);
            }
        }
    }

    #[test]
    fn slices_of_the_known_row_lengths() {
        for (row_len, expected) in
            [(32, 1), (64, 2), (96, 3), (224, 7), (352, 1), (576, 6), (640, 5), (1024, 8), (1536, 8), (2048, 8)]
        {
            assert_eq!(slices_of(row_len), expected, "row length {row_len}");
        }
        assert_eq!(slices(Order::ByShape, 4, 576), 6);
        assert_eq!(slices(Order::ByShape, 5, 576), 1);
        assert_eq!(slices(Order::Invariant, 1, 576), slices(Order::Invariant, 60, 576));
    }

    #[test]
    fn the_order_of_addition_is_the_one_promised() {
        // 2^24 + 1 + 1: one after another both ones are lost, in a slice of their own they survive.
        let mut values = vec![0.0_f32; 64];
        values[0] = 16_777_216.0;
        values[32] = 1.0;
        values[33] = 1.0;
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let matrix = Matrix { tensor_type: TensorType::F32, n_rows: 1, row_len: 64, bytes: &bytes };
        let ones = Activations::from_rows(ActivationFormat::F32, 64, &[1.0; 64]);
        assert_eq!(matmul(&matrix, &ones, Summation::f32(1)), [16_777_218.0]);
        // Across blocks: 2^24, then 1, then 1 in one slice; 2^24 and 1 + 1 in two.
        let mut values = vec![0.0_f32; 128];
        values[0] = 16_777_216.0;
        values[64] = 1.0;
        values[96] = 1.0;
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let matrix = Matrix { tensor_type: TensorType::F32, n_rows: 1, row_len: 128, bytes: &bytes };
        let ones = Activations::from_rows(ActivationFormat::F32, 128, &[1.0; 128]);
        assert_eq!(matmul(&matrix, &ones, Summation::f32(1)), [16_777_216.0]);
        assert_eq!(matmul(&matrix, &ones, Summation::f32(2)), [16_777_218.0]);
    }

    #[test]
    fn sums_in_f16_lose_what_f16_cannot_hold() {
        // 2048 + 1 + 1 in f16: each one is a tie that goes to the even 2048, in one block, across blocks and across slices.
        for places in [[0, 4, 8], [0, 32, 64], [0, 1, 2]] {
            let mut values = vec![0.0_f32; 96];
            for (place, value) in places.into_iter().zip([2048.0, 1.0, 1.0]) {
                values[place] = value;
            }
            let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            let matrix = Matrix { tensor_type: TensorType::F32, n_rows: 1, row_len: 96, bytes: &bytes };
            let ones = Activations::from_rows(ActivationFormat::F32, 96, &[1.0; 96]);
            for n_slices in [1, 3] {
                let f16 = Summation { n_slices, accumulation: Accumulation::F16 };
                assert_eq!(matmul(&matrix, &ones, f16), [2048.0], "{places:?}");
                assert_eq!(matmul(&matrix, &ones, Summation::f32(n_slices)), [2050.0], "{places:?}");
            }
        }
    }

    #[test]
    fn a_sum_in_f16_beyond_its_range_is_infinite() {
        let bytes: Vec<u8> = [300.0_f32; 32].iter().flat_map(|v| v.to_le_bytes()).collect();
        let matrix = Matrix { tensor_type: TensorType::F32, n_rows: 1, row_len: 32, bytes: &bytes };
        for (x, expected) in [(1.0, 9600.0), (300.0, f32::INFINITY), (-300.0, f32::NEG_INFINITY)] {
            let x = Activations::from_rows(ActivationFormat::F16, 32, &[x; 32]);
            assert_eq!(matmul(&matrix, &x, Summation { n_slices: 1, accumulation: Accumulation::F16 }), [expected]);
        }
    }

    #[test]
    fn twin_is_close_to_the_truth() {
        for (n_weight_rows, row_len, n_rows) in [(2, 32, 1), (3, 96, 2), (33, 576, 1), (31, 640, 7), (40, 1536, 3)] {
            for_every_format(n_weight_rows, row_len, n_rows, |tensor_type, format, matrix, activations| {
                let truth = matmul_truth(matrix, activations);
                for (n_slices, accumulation, limit) in [
                    (1, Accumulation::F32, 1e-11),
                    (slices_of(matrix.row_len), Accumulation::F32, 1e-11),
                    (1, Accumulation::F16, 1e-3),
                    (slices_of(matrix.row_len), Accumulation::F16, 1e-4),
                ] {
                    let error =
                        normalised_error(&matmul(matrix, activations, Summation { n_slices, accumulation }), &truth);
                    assert!(error <= limit, "{tensor_type:?} {format:?} {row_len} {accumulation:?}: error {error:e}");
                    assert!(
                        error > 1e-9 || accumulation == Accumulation::F32 || truth.len() < 10,
                        "{error:e}: f16 sums are not that good"
                    );
                }
            });
        }
    }

    #[test]
    fn slices_change_bits() {
        for_every_format(64, 576, 4, |tensor_type, format, matrix, activations| {
            let (one, six) =
                (matmul(matrix, activations, Summation::f32(1)), matmul(matrix, activations, Summation::f32(6)));
            let n_differing = one.iter().zip(&six).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
            // Products of MXFP4's few bits and f16 activations are short, so most sums of them are exact.
            let least = if tensor_type == TensorType::MXFP4 { 20 } else { 100 };
            assert!(n_differing > least, "{tensor_type:?} {format:?}: only {n_differing} of 256 differ");
        });
    }

    #[test]
    fn a_row_does_not_depend_on_its_neighbours() {
        for_every_format(5, 96, 9, |tensor_type, format, matrix, activations| {
            let summation = Summation::f32(slices_of(matrix.row_len));
            let together = matmul(matrix, activations, summation);
            for row in 0..9 {
                let alone = matmul(matrix, &activations.select_rows([row].into_iter()), summation);
                assert_eq!(alone, together[row * 5..][..5], "{tensor_type:?} {format:?} row {row}");
            }
        });
    }

    #[test]
    fn threads_do_not_change_bits() {
        let mut seeded = Seeded::new(5);
        let bytes = seeded.weight_bytes(TensorType::Q4_1, 2049 * 576);
        let matrix = Matrix { tensor_type: TensorType::Q4_1, n_rows: 2049, row_len: 576, bytes: &bytes };
        let activations = Activations::from_rows(ActivationFormat::Int8, 576, &seeded.normals(2 * 576));
        let products = matmul(&matrix, &activations, Summation::f32(6));
        for (weight_row, row) in [(0, 0), (1024, 1), (1025, 0), (2048, 1)] {
            let expected = sliced_dot(&matrix.row_blocks(weight_row), 0, &activations, row, Summation::f32(6));
            assert_eq!(products[row * 2049 + weight_row].to_bits(), expected.to_bits());
        }
    }
}
