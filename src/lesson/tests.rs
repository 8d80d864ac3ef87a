//! The lesson's facts, as the twin gives them. Those who teach it say these numbers aloud.

use super::*;

const EIGHT: [f32; 8] = [1024.0, 0.5, 0.5, 0.5, -1024.0, 0.25, 0.25, 3.0];

fn ask(request: &str) -> LessonAnswer {
    let request: LessonRequest = serde_json::from_str(request).expect("a request");
    let reply = answer_on_twin(&request).expect("an answer");
    assert_eq!(reply.computed, Computed::CpuTwin);
    reply.answer
}

fn totals(answer: LessonAnswer) -> Vec<f32> {
    let LessonAnswer::Trees { trees, .. } = answer else { panic!("{answer:?}") };
    trees.iter().map(|tree| tree.total).collect()
}

#[test]
fn three_numbers_have_two_sums_in_every_format() {
    for (format, large) in [("f16", 2048.0), ("bf16", 256.0), ("f32", 16_777_216.0)] {
        let request =
            format!(r#"{{"kind":"trees","format":"{format}","values":[{large},1,1],"trees":[[[0,1],2],[0,[1,2]]]}}"#);
        assert_eq!(totals(ask(&request)), [large, large + 2.0], "{format}");
    }
}

#[test]
fn the_gap_is_a_1024th_near_1_and_2_from_2048_on() {
    for (bits, value, gap_exponent, sum) in
        [(0x3C00, 1.0, -10, 2.0), (0x6800, 2048.0, 1, 2048.0), (0x6801, 2050.0, 1, 2052.0), (0x67FF, 2047.0, 0, 2048.0)]
    {
        let found = ask(&format!(r#"{{"kind":"number","format":"f16","bits":{bits},"plus":1}}"#));
        let LessonAnswer::Number { facts, sum: found } = found else { panic!("{found:?}") };
        assert_eq!((facts.value, facts.gap_exponent, found), (Some(value), Some(gap_exponent), Some(sum)), "{bits:#x}");
        assert_eq!(facts.next, Some(value + 2.0_f32.powi(gap_exponent)), "{bits:#x}");
    }
}

#[test]
fn bits_are_read_as_what_they_are() {
    for (format, bits, class, value, gap) in [
        (SumFormat::F16, 0x0000, Class::Zero, Some(0.0), Some(-24)),
        (SumFormat::F16, 0x0001, Class::Subnormal, Some(2.0_f32.powi(-24)), Some(-24)),
        (SumFormat::F16, 0x7BFF, Class::Normal, Some(65_504.0), Some(5)),
        (SumFormat::F16, 0xFC00, Class::Infinite, None, None),
        (SumFormat::F16, 0x7C01, Class::NotANumber, None, None),
        (SumFormat::Bf16, 0x4380, Class::Normal, Some(256.0), Some(1)),
        (SumFormat::F32, 0x4B80_0000, Class::Normal, Some(16_777_216.0), Some(1)),
        (SumFormat::F32, 0x8000_0001, Class::Subnormal, Some(-f32::from_bits(1)), Some(-149)),
    ] {
        let found = NumberFacts::new(format, bits);
        assert_eq!((found.class, found.value, found.gap_exponent), (class, value, gap), "{format:?} {bits:#x}");
    }
    assert_eq!(NumberFacts::new(SumFormat::F16, 0x7BFF).next, None, "behind the largest number lies none");
    let at_the_end = ask(r#"{"kind":"number","format":"f16","bits":31743,"plus":1}"#);
    assert!(matches!(at_the_end, LessonAnswer::Number { sum: None, .. }), "{at_the_end:?}");
}

#[test]
fn eight_numbers_have_fourteen_sums() {
    let request = LessonRequest::Orders { format: SumFormat::F16, values: EIGHT.to_vec() };
    let reply = answer_on_twin(&request).expect("an answer");
    let LessonAnswer::Orders { n_orders, results, exact } = reply.answer else { panic!("{reply:?}") };
    assert_eq!((n_orders, results.len(), exact), (40_320, 14, Some(5.0)));
    assert_eq!((results[0].value, results[13].value), (3.0, 6.25));
    assert!(results.windows(2).all(|pair| pair[0].value < pair[1].value), "{results:?}");
    assert_eq!(results.iter().map(|result| result.n_orders).sum::<usize>(), 40_320);
    assert_eq!(results.iter().find(|result| result.value == 5.0).map(|result| result.n_orders), Some(14_640));
}

#[test]
fn four_thousand_ones_stop_at_2048_in_sequence() {
    let ones = vec![1.0; 4096];
    let trees = vec![TreeRequest::Shape(Shape::Sequential), TreeRequest::Shape(Shape::Pairwise)];
    let request = LessonRequest::Trees { format: SumFormat::F16, values: ones, trees };
    let answer = answer_on_twin(&request).expect("an answer").answer;
    let LessonAnswer::Trees { trees, exact } = answer else { panic!("{answer:?}") };
    assert_eq!((trees[0].total, trees[1].total, exact), (2048.0, 4096.0, Some(4096.0)));
    assert_eq!((trees[0].partial[2046], trees[0].partial[2047], trees[0].partial.len()), (2048.0, 2048.0, 4095));
}

#[test]
fn partial_sums_are_in_postfix_order() {
    let answer = ask(r#"{"kind":"trees","format":"f32","values":[1,2,4,8],"trees":[[[0,1],[2,3]],[[3,[2,1]],0]]}"#);
    let LessonAnswer::Trees { trees, .. } = answer else { panic!("{answer:?}") };
    assert_eq!((&trees[0].partial[..], &trees[1].partial[..]), (&[3.0, 12.0, 15.0][..], &[6.0, 14.0, 15.0][..]));
    assert_eq!(trees[0].bits, 15.0_f32.to_bits());
}

#[test]
fn what_is_not_exact_in_f64_is_not_called_exact() {
    let answer = ask(r#"{"kind":"trees","format":"f32","values":[1e20,1e-20],"trees":["sequential"]}"#);
    assert!(matches!(answer, LessonAnswer::Trees { exact: None, .. }), "{answer:?}");
}

#[test]
fn what_cannot_be_is_refused() {
    for (request, expected) in [
        (r#"{"kind":"trees","format":"f16","values":[1],"trees":["sequential"]}"#, "1 numbers: it must be 2 to 4,096"),
        (r#"{"kind":"trees","format":"f16","values":[1,2,3],"trees":[[0,1]]}"#, "each of the 3 numbers once"),
        (r#"{"kind":"trees","format":"f16","values":[1,2,3],"trees":[[[0,1],1]]}"#, "each of the 3 numbers once"),
        (r#"{"kind":"trees","format":"f16","values":[60000,6000],"trees":["pairwise"]}"#, "together at most 60000"),
        (r#"{"kind":"trees","format":"f32","values":[1,1e-38],"trees":["pairwise"]}"#, "at least 1e-30"),
        (r#"{"kind":"orders","format":"f16","values":[1,2,3,4,5,6,7,8,9]}"#, "9 numbers: it must be 2 to 8"),
    ] {
        let request: LessonRequest = serde_json::from_str(request).expect("a request");
        let error = answer_on_twin(&request).expect_err("it cannot be").to_string();
        assert!(error.contains(expected), "{error}");
    }
}
