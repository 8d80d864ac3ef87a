//! Taps and the comparison of caches: what they say of a row is what the twin says of its values.

use lastbit::gpu::TapSource;
use lastbit::gpu::step::{KvPair, KvRowDifference, RowDifference, TapRecord, TapShape, TapStep};
use lastbit::model::self_test::case::{Case, Input, Output, POISON, Words, bits};
use lastbit::model::self_test::seeded::Seeded;
use lastbit::numerics::ulp::{Difference, format_steps};
use lastbit::numerics::{ActivationFormat, KvFormat};
use lastbit::reference::activations::Activations;
use lastbit::reference::kv_cache::{self, kv_store};
use lastbit::reference::tap::{difference, hash, squares};

use crate::support::{KV, KV_F16, Tally, variants};

const HEAD_DIM: u32 = 64;

/// Positions of a cache block.
const BLOCK: u32 = 16;

/// A row like `row`, but for some last bits, signs and values that are not numbers. No subnormals: a device may take them for zero when
/// it subtracts (SwiftShader does).
fn altered(row: &[f32], seeded: &mut Seeded) -> Vec<f32> {
    let one = |value: f32| match seeded.below(12) {
        0 => f32::from_bits(value.to_bits() ^ 1),
        1 => -value,
        2 => f32::NAN,
        3 => f32::INFINITY,
        4 => f32::NEG_INFINITY,
        5 => -0.0,
        6 => value + 0.25,
        _ => value,
    };
    row.iter().copied().map(one).collect()
}

fn words_of(difference: &Difference) -> RowDifference {
    RowDifference {
        largest_ulp: difference.largest_ulp,
        n_differing: difference.n_differing,
        first_from_end: difference.first_index.map_or(0, |i| u32::MAX - i),
        largest_bits: difference.largest_absolute.to_bits(),
    }
}

/// The tap of a row that holds `row`, in `run`, where the other run's half of the tape holds `other`.
fn tap_case(source: Vec<Input>, shape: TapShape, places: [u32; 4], row: &[f32], other: &[f32], run: u32) -> Case {
    let (at, len) = (5, row.len() as u32 + 9);
    let shape = TapShape { n_values: row.len() as u32, tape_at: at, record: 1, ..shape };
    let step = TapStep { places, run, tape_len: len, unused: [0; 2] };
    let mut before = vec![POISON; 2 * len as usize];
    let half = |run: u32| (run * len + at) as usize..(run * len + at) as usize + row.len();
    before[half(1 - run)].copy_from_slice(&bits(other));
    let mut after = before.clone();
    after[half(run)].copy_from_slice(&bits(row));
    let record = TapRecord { hash: hash(row), difference: words_of(&difference(row, other)) };
    let mut records = vec![TapRecord::default(); 3];
    let records_before: Vec<u32> = bytemuck::cast_slice(&records).to_vec();
    records[1] = record;
    let mut inputs = vec![Input::uniform(0, bytemuck::bytes_of(&step)), Input::uniform(1, bytemuck::bytes_of(&shape))];
    inputs.extend(source);
    let outputs = vec![
        Output::filled(4, "tape", Words::Exact, after).over(&before),
        Output::filled(5, "records", Words::Exact, bytemuck::cast_slice(&records).to_vec()).over(&records_before),
    ];
    Case { inputs, outputs, limit: 0.0 }
}

fn tap_grid(n_values: usize) -> (u32, u32, u32) {
    ((n_values as u32).div_ceil(32).div_ceil(8), 1, 1)
}

/// K or V of `n_slots` slots as the cache holds them, and the values that every slot stands for. // [slot, kv_dim]
fn cached(format: KvFormat, n_slots: u32, kv_dim: u32, seeded: &mut Seeded) -> (Vec<u32>, Vec<Vec<f32>>) {
    let rows: Vec<Vec<f32>> = (0..n_slots).map(|_| seeded.normals(kv_dim as usize)).collect();
    let mut words = Vec::new();
    for block in rows.chunks(BLOCK as usize) {
        for head in 0..(kv_dim / HEAD_DIM) as usize {
            for row in block {
                let of_head = &row[head * HEAD_DIM as usize..][..HEAD_DIM as usize];
                words.extend(of_head.as_chunks().0.iter().flat_map(|values| kv_store(format, values)));
            }
        }
    }
    (words, rows.iter().map(|row| kv_cache::cached(format, row)).collect())
}

#[test]
fn taps_of_rows_are_their_twin() {
    for variant in variants() {
        let mut tally = Tally::default();
        let mut seeded = Seeded::new(5);
        for format in [ActivationFormat::F32, ActivationFormat::F16, ActivationFormat::Int8] {
            let target = variant.target(HEAD_DIM, format, KV_F16);
            let kernel = variant.compile("tap_activations", target.tap(TapSource::Activations));
            for n_values in [1_usize, 31, 32, 33, 100, 256, 576, 5001] {
                let row_len = n_values.next_multiple_of(32);
                let rows = seeded.normals(3 * row_len);
                let activations = Activations::from_rows(format, row_len, &rows);
                let mut source = vec![Input::storage(2, bytemuck::cast_slice(&activations.words()))];
                if let Activations::Int8 { scales, .. } = &activations {
                    let info: Vec<[f32; 4]> = scales.iter().map(|[scale, sum]| [*scale, *sum, 0.0, 0.0]).collect();
                    source.push(Input::storage(3, bytemuck::cast_slice(&info)));
                }
                // A product of f32 that is rounded once, whichever way round.
                let row: Vec<f32> = activations.exact_row(2)[..n_values].iter().map(|v| *v as f32).collect();
                for (run, other) in [(0, row.clone()), (1, row.clone()), (1, altered(&row, &mut seeded))] {
                    let shape = TapShape { row_len: row_len as u32, ..TapShape::default() };
                    let case = tap_case(source.clone(), shape, [2, 9, 9, 9], &row, &other, run);
                    tally.check(
                        &variant,
                        &kernel,
                        &case,
                        tap_grid(n_values),
                        &format!("{format:?}, {n_values} values"),
                    );
                }
            }
        }
        tally.print(&variant, "taps of rows");
    }
}

#[test]
fn taps_of_cached_values_are_their_twin() {
    for variant in variants() {
        let mut tally = Tally::default();
        let mut seeded = Seeded::new(6);
        for format in KV {
            let target = variant.target(HEAD_DIM, ActivationFormat::Int8, KV_F16);
            let kernel = variant.compile("tap_kv", target.tap(TapSource::Kv(format)));
            for kv_dim in [64, 192] {
                let (words, rows) = cached(format, 3 * BLOCK, kv_dim, &mut seeded);
                for slot in [0_u32, 15, 16, 21, 47] {
                    let row = &rows[slot as usize];
                    let source = vec![Input::storage(2, bytemuck::cast_slice(&words))];
                    let shape = TapShape { row_len: kv_dim, place: 2, ..TapShape::default() };
                    let other = altered(row, &mut seeded);
                    let case = tap_case(source, shape, [9, 9, slot, 9], row, &other, 1);
                    tally.check(&variant, &kernel, &case, tap_grid(row.len()), &format!("{format:?}, slot {slot}"));
                }
            }
        }
        tally.print(&variant, "taps of K and V");
    }
}

#[test]
fn differences_of_caches_are_their_twin() {
    const KV_DIM: u32 = 128;
    const MAX_BLOCKS: u32 = 3;
    for variant in variants() {
        let mut tally = Tally::default();
        let mut seeded = Seeded::new(7);
        for format in KV {
            let target = variant.target(HEAD_DIM, ActivationFormat::Int8, KV_F16);
            let kernel = variant.compile("kv_difference", target.kv_difference(format));
            let (words, rows) = cached(format, 6 * BLOCK, KV_DIM, &mut seeded);
            // Sequence 2 shares its first block with sequence 0.
            let table = [[4_u32, 0, 5], [1, 1, 1], [4, 3, 2]];
            for n_positions in [1_u32, 16, 17, 41] {
                let shape = TapShape { n_values: KV_DIM, row_len: KV_DIM, record: 1, ..TapShape::default() };
                let pair = KvPair {
                    sequences: [0, 2],
                    n_positions,
                    max_blocks: MAX_BLOCKS,
                    max_positions: MAX_BLOCKS * BLOCK,
                    unused: [0; 3],
                };
                let slot = |sequence: usize, position: u32| {
                    (table[sequence][(position / BLOCK) as usize] * BLOCK + position % BLOCK) as usize
                };
                let mut after = vec![POISON; 7 * (MAX_BLOCKS * BLOCK) as usize];
                for position in 0..n_positions {
                    let [a, b] = [0, 2].map(|sequence| &rows[slot(sequence, position)]);
                    let found = difference(a, b);
                    let [difference_squares, first_squares] = squares(a, b);
                    assert_eq!(found.is_none(), position < BLOCK, "a shared block is equal, others are not");
                    let steps = a.iter().zip(b).map(|(a, b)| format_steps(format, *a, *b));
                    let largest_steps = steps.max().unwrap_or(0);
                    let row = words_of(&found);
                    let words = KvRowDifference { row, difference_squares, first_squares, largest_steps };
                    after.extend_from_slice(bytemuck::cast_slice(&[words]));
                }
                let case = Case {
                    inputs: vec![
                        Input::uniform(0, bytemuck::bytes_of(&pair)),
                        Input::uniform(1, bytemuck::bytes_of(&shape)),
                        Input::storage(2, bytemuck::cast_slice(&words)),
                        Input::storage(4, bytemuck::cast_slice(&table)),
                    ],
                    outputs: vec![Output::filled(5, "differences", Words::Exact, after)],
                    limit: 0.0,
                };
                let grid = (n_positions.div_ceil(8), 1, 1);
                tally.check(&variant, &kernel, &case, grid, &format!("{format:?}, {n_positions} positions"));
            }
        }
        tally.print(&variant, "differences of caches");
    }
}
