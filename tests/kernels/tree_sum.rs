//! The lesson's kernel: many trees over a few values, in every format, bit for bit as the twin; and the answers it gives.

use lastbit::gpu::step::TreeShape;
use lastbit::gpu::tree_sum as tree_sum_source;
use lastbit::lesson::{Computed, Lesson, LessonAnswer, LessonRequest, Shape, TreeRequest, answer_on_twin};
use lastbit::model::self_test::case::{Case, Input, Output, Words};
use lastbit::numerics::SumFormat;
use lastbit::reference::tree_sum::{ADD, kept, tree_sum};

use crate::support::{Tally, variants};

/// A fixed sequence of numbers per seed (splitmix64).
fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// Of either sign, from 2^-`below_one` on over 16 powers of two, with few bits of significand, so that ties are common.
fn values(next: &mut impl FnMut() -> u64, below_one: i32) -> Vec<f32> {
    let value = |bits: u64| {
        let size = (1.0 + (bits & 0xFFF) as f32 / 4096.0) * 2.0_f32.powi((bits >> 12 & 0xF) as i32 - below_one);
        if bits >> 63 == 0 { size } else { -size }
    };
    (0..8).map(|_| value(next())).collect()
}

/// The words of a tree over 8 leaves, in any order and with any brackets.
fn any_tree(next: &mut impl FnMut() -> u64) -> Vec<u32> {
    let mut parts: Vec<Vec<u32>> = (0..8).map(|leaf| vec![leaf]).collect();
    while parts.len() > 1 {
        let left = parts.swap_remove(next() as usize % parts.len());
        let right = parts.swap_remove(next() as usize % parts.len());
        parts.push([left, right, vec![ADD]].concat());
    }
    parts.remove(0)
}

#[test]
fn sums_along_any_tree_are_the_twins() {
    for variant in variants() {
        let mut tally = Tally::default();
        for format in SumFormat::ALL {
            let kernel = variant.compile("tree_sum", tree_sum_source(format));
            let mut next = random(4);
            // Down to the numbers of f16 below its smallest power of two.
            for below_one in [8, 20] {
                let values = values(&mut next, below_one);
                // Beyond a workgroup, and no multiple of one.
                let n_trees = 100;
                let trees: Vec<u32> = (0..n_trees).flat_map(|_| any_tree(&mut next)).collect();
                let expected: Vec<f32> =
                    trees.chunks_exact(15).flat_map(|tree| tree_sum(format, &values, tree)).collect();
                let n_rounded = expected.iter().filter(|sum| kept(format, **sum) == **sum).count();
                assert_eq!(n_rounded, expected.len(), "every sum is a number of the format");
                let shape = TreeShape { n_trees, n_words: 15, ..TreeShape::default() };
                let case = Case {
                    inputs: vec![
                        Input::uniform(0, bytemuck::bytes_of(&shape)),
                        Input::storage(1, bytemuck::cast_slice(&values)),
                        Input::storage(2, bytemuck::cast_slice(&trees)),
                    ],
                    outputs: vec![Output::filled(
                        3,
                        "sums",
                        Words::F32,
                        expected.into_iter().map(f32::to_bits).collect(),
                    )],
                    limit: 1e-3,
                };
                tally.check(&variant, &kernel, &case, (2, 1, 1), &format!("{format:?}, from 2^-{below_one}"));
            }
        }
        tally.print(&variant, "tree_sum");
    }
}

#[test]
fn the_lesson_on_a_device_gives_the_twins_answers() {
    let variant = variants().remove(0);
    let mut lesson = Lesson::new(&variant.device);
    let eight = vec![1024.0, 0.5, 0.5, 0.5, -1024.0, 0.25, 0.25, 3.0];
    let shapes = vec![TreeRequest::Shape(Shape::Sequential), TreeRequest::Shape(Shape::Pairwise)];
    let trees = |format, values| LessonRequest::Trees { format, values, trees: shapes.clone() };
    let mut requests = vec![
        LessonRequest::Orders { format: SumFormat::F16, values: eight.clone() },
        LessonRequest::Number { format: SumFormat::F16, bits: 0x7C00, plus: 1.0 },
    ];
    for format in SumFormat::ALL {
        requests.extend([trees(format, vec![1.0; 4096]), trees(format, eight.clone())]);
        requests.push(LessonRequest::Number { format, bits: 0x3C01, plus: 1.0 });
    }
    for request in requests {
        let on_twin = answer_on_twin(&request).expect("an answer");
        let on_device = pollster::block_on(lesson.answer(&request)).expect("an answer");
        let Computed::Gpu { n_sums, n_differing } = on_device.computed else { panic!("{on_device:?}") };
        if variant.device.report().software {
            assert_eq!((&on_device.answer, n_differing), (&on_twin.answer, 0), "{request:?}");
        }
        if let LessonAnswer::Orders { n_orders, .. } = &on_device.answer {
            assert_eq!((*n_orders, n_sums), (40_320, 7 * 40_320));
        }
    }
}
