//! Blocks computed by hand, and what quantising loses.

use super::*;
use half::f16;

fn dequantized(tensor_type: TensorType, bytes: &[u8]) -> Vec<f32> {
    let block = tensor_type.block();
    let mut out = vec![0.0; bytes.len() / block.bytes * block.elements];
    dequantize(tensor_type, bytes, &mut out);
    out
}

/// f16 bits of 0.5, 1.5, -2, infinity and a NaN.
const HALF: u16 = 0x3800;
const ONE_AND_A_HALF: u16 = 0x3e00;
const MINUS_TWO: u16 = 0xc000;
const INFINITY: u16 = 0x7c00;
const NAN: u16 = 0x7e01;

fn q4_1_block(scale: u16, minimum: u16, quants: [u8; 16]) -> Vec<u8> {
    [&scale.to_le_bytes()[..], &minimum.to_le_bytes(), &quants].concat()
}

fn q8_0_block(scale: u16, quants: [i8; 32]) -> Vec<u8> {
    [&scale.to_le_bytes()[..], &quants.map(i8::cast_unsigned)].concat()
}

#[test]
fn the_table_has_a_row_for_each_format_and_no_number_twice() {
    for tensor_type in TensorType::all() {
        assert_eq!(TensorType::from_ggml_id(tensor_type.ggml_id()), Ok(tensor_type));
        let unsupported = UnsupportedType::from_ggml_id(tensor_type.ggml_id());
        assert_eq!(unsupported.name, Some(tensor_type.name()), "the name is ggml's");
    }
    assert_eq!(TensorType::all().count(), 4);
    assert_eq!(TensorType::from_ggml_id(38).map_err(|error| error.status), Err(TypeStatus::Removed));
    assert_eq!(TensorType::from_ggml_id(14).map_err(|error| error.name), Err(Some("Q6_K")));
    assert_eq!(TensorType::from_ggml_id(42).map_err(|error| error.status), Err(TypeStatus::Unknown));
}

#[test]
fn sizes_are_whole_blocks() {
    assert_eq!(TensorType::Q4_1.len_bytes(64), Some(40));
    assert_eq!(TensorType::Q8_0.len_bytes(64), Some(68));
    assert_eq!(TensorType::Q8_0.len_bytes(0), Some(0));
    assert_eq!(TensorType::Q4_1.len_bytes(33), None);
    assert_eq!(TensorType::F32.len_bytes(u64::MAX / 2), None);
}

#[test]
fn q4_1_by_hand() {
    // Byte j holds number j in its low half and number j + 16 in its high half: here j and 15 - j.
    let quants = std::array::from_fn(|j| j as u8 | (15 - j as u8) << 4);
    let block = q4_1_block(HALF, MINUS_TWO, quants);
    let expected: Vec<f32> = (0..16).chain((0..16).rev()).map(|q| 0.5 * q as f32 - 2.0).collect();
    assert_eq!(dequantized(TensorType::Q4_1, &block), expected);
}

#[test]
fn q4_1_rounds_once() {
    // For every pair of scale and quant the product is exact in f32, so the sum is the f64 sum rounded once.
    for scale_bits in (0..INFINITY).step_by(7) {
        let quants = std::array::from_fn(|j| j as u8);
        let numbers = dequantized(TensorType::Q4_1, &q4_1_block(scale_bits, ONE_AND_A_HALF, quants));
        let scale = f16::from_bits(scale_bits).to_f64();
        for (q, number) in numbers[..16].iter().enumerate() {
            assert_eq!(*number, (scale * q as f64 + 1.5) as f32, "scale {scale}, quant {q}");
        }
    }
}

#[test]
fn q8_0_by_hand() {
    let quants = std::array::from_fn(|i| [-128, -1, 0, 1, 2, 127][i % 6]);
    let numbers = dequantized(TensorType::Q8_0, &q8_0_block(ONE_AND_A_HALF, quants));
    assert_eq!(numbers[..6], [-192.0, -1.5, 0.0, 1.5, 3.0, 190.5]);
    assert_eq!(numbers.len(), 32);
    let smallest = dequantized(TensorType::Q8_0, &q8_0_block(1, quants));
    assert_eq!(smallest[5], 127.0 * 2f32.powi(-24), "subnormal scales are numbers too");
}

#[test]
fn floats_by_hand() {
    assert_eq!(dequantized(TensorType::F32, &[0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]), [1.0, -2.0]);
    let halves: Vec<u8> = [HALF, MINUS_TWO, 1].iter().flat_map(|bits| bits.to_le_bytes()).collect();
    assert_eq!(dequantized(TensorType::F16, &halves), [0.5, -2.0, 2f32.powi(-24)]);
}

#[test]
fn quantising_loses_half_a_step() {
    let wave: Vec<f32> = (0..320).map(|i| ((i * 37 % 101) as f32 - 50.0) / 40.0 + i as f32 / 500.0).collect();
    for tensor_type in TensorType::all() {
        let restored = dequantized(tensor_type, &quantize(tensor_type, &wave));
        for (values, restored) in wave.chunks(32).zip(restored.chunks(32)) {
            let largest = values.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
            let smallest = values.iter().copied().fold(f32::INFINITY, f32::min);
            let range = values.iter().copied().fold(f32::NEG_INFINITY, f32::max) - smallest;
            // Half a step, and the rounding of the scale (and minimum) to f16 on top.
            let f16_rounding = largest / 1024.0;
            let allowed = match tensor_type {
                TensorType::F32 => 0.0,
                TensorType::F16 => f16_rounding,
                TensorType::Q8_0 => largest / 127.0 * 0.5 + f16_rounding,
                TensorType::Q4_1 => range / 15.0 * 0.5 + 2.0 * f16_rounding,
            };
            for (value, restored) in values.iter().zip(restored) {
                assert!((value - restored).abs() <= allowed, "{tensor_type}: {value} became {restored}");
            }
        }
    }
}

#[test]
fn quantising_by_hand() {
    let ramp: [f32; 32] = std::array::from_fn(|i| i as f32 * 15.0 / 31.0 - 2.0);
    let q4_1 = quantize(TensorType::Q4_1, &ramp);
    assert_eq!(q4_1[..4], [0x00, 0x3c, 0x00, 0xc0], "scale 1, minimum -2");
    assert_eq!((q4_1[4] & 15, q4_1[19] >> 4), (0, 15), "the ends of the ramp");
    let mut peak = [0.0f32; 32];
    (peak[0], peak[1], peak[2]) = (-127.0, 63.4, 63.5);
    let q8_0 = quantize(TensorType::Q8_0, &peak);
    assert_eq!(q8_0[..5], [0x00, 0x3c, 129, 63, 64], "scale 1, then -127, 63 and 64");
    for tensor_type in TensorType::all() {
        for constant in [0.0, 1.0] {
            let restored = dequantized(tensor_type, &quantize(tensor_type, &[constant; 32]));
            assert!(restored.iter().all(|value| (value - constant).abs() < 1e-3), "{tensor_type}: {constant}");
        }
    }
}

#[test]
fn what_is_not_finite_is_found_in_every_format() {
    let check = |tensor_type: TensorType, good: &[u8], bad: &[u8]| {
        assert_eq!(check_finite(tensor_type, &good.repeat(3)), Ok(()));
        let bytes = [good, bad, good, bad].concat();
        let expected = NonFiniteBlocks { first_block: 1, n_blocks: 2 };
        assert_eq!(check_finite(tensor_type, &bytes), Err(expected), "{tensor_type}");
    };
    for bad in [INFINITY, INFINITY | 0x8000, NAN] {
        let good = q4_1_block(HALF, MINUS_TWO, [0xff; 16]);
        check(TensorType::Q4_1, &good, &q4_1_block(bad, MINUS_TWO, [0; 16]));
        check(TensorType::Q4_1, &good, &q4_1_block(HALF, bad, [0; 16]));
        check(TensorType::Q8_0, &q8_0_block(HALF, [-1; 32]), &q8_0_block(bad, [0; 32]));
        check(TensorType::F16, &HALF.to_le_bytes(), &bad.to_le_bytes());
    }
    for bad in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
        check(TensorType::F32, &1f32.to_le_bytes(), &bad.to_le_bytes());
    }
}
