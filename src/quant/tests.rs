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

fn q4_0_block(scale: u16, quants: [u8; 16]) -> Vec<u8> {
    [&scale.to_le_bytes()[..], &quants].concat()
}

/// Numbers around zero and off it, large and small, without a pattern.
fn wave(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 37 % 101) as f32 - 50.0) / 40.0 + i as f32 / 500.0).collect()
}

#[test]
fn the_table_has_a_row_for_each_format_and_no_number_twice() {
    for tensor_type in TensorType::in_files() {
        let id = tensor_type.ggml_id().expect("files hold it");
        assert_eq!(TensorType::from_ggml_id(id), Ok(tensor_type));
        let unsupported = UnsupportedType::from_ggml_id(id);
        assert_eq!(unsupported.name, Some(tensor_type.name()), "the name is ggml's");
    }
    let in_memory: Vec<TensorType> = TensorType::all().filter(|format| format.ggml_id().is_none()).collect();
    assert_eq!(in_memory, [TensorType::Q3_32, TensorType::Q2_32]);
    assert_eq!((TensorType::in_files().count(), TensorType::all().count()), (16, 18));
    for weights in WeightFormat::ALL {
        let name = serde_json::to_value(weights).expect("a name");
        let own = TensorType::for_weights(weights).map_or("as-in-file".to_owned(), |of| of.name().to_lowercase());
        assert_eq!(name, own, "one name for one format");
    }
    assert_eq!(TensorType::from_ggml_id(38).map_err(|error| error.status), Err(TypeStatus::Removed));
    let refused = TensorType::from_ggml_id(16).expect_err("no kernel reads it");
    assert_eq!(
        refused.to_string(),
        "type IQ2_XXS (number 16) is not supported; supported: F32, F16, BF16, Q8_0, Q5_0, Q5_1, Q4_0, Q4_1, Q6_K, Q5_K, Q4_K, Q3_K, \
         Q2_K, IQ4_NL, IQ4_XS, MXFP4"
    );
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
fn q4_0_by_hand() {
    let block = q4_0_block(HALF, std::array::from_fn(|j| j as u8 | (15 - j as u8) << 4));
    let expected: Vec<f32> = (0..16).chain((0..16).rev()).map(|q| 0.5 * (q as f32 - 8.0)).collect();
    assert_eq!(dequantized(TensorType::Q4_0, &block), expected);
}

#[test]
fn q5_0_and_q5_1_by_hand() {
    // Quant i is i: the upper bits are those of numbers 16 to 31.
    let nibbles: [u8; 16] = std::array::from_fn(|j| j as u8 | (j as u8) << 4);
    let block = [&HALF.to_le_bytes()[..], &0xffff_0000_u32.to_le_bytes(), &nibbles].concat();
    let expected: Vec<f32> = (0..32).map(|q| 0.5 * (q as f32 - 16.0)).collect();
    assert_eq!(dequantized(TensorType::Q5_0, &block), expected);
    let block = [&HALF.to_le_bytes()[..], &MINUS_TWO.to_le_bytes(), &0xffff_0000_u32.to_le_bytes(), &nibbles].concat();
    let expected: Vec<f32> = (0..32).map(|q| 0.5 * q as f32 - 2.0).collect();
    assert_eq!(dequantized(TensorType::Q5_1, &block), expected);
}

#[test]
fn tables_by_hand() {
    let nibbles: [u8; 16] = std::array::from_fn(|j| j as u8 | (15 - j as u8) << 4);
    let table = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];
    let both = |table: [i32; 16], d: f32| -> Vec<f32> {
        table.iter().chain(table.iter().rev()).map(|entry| d * *entry as f32).collect()
    };
    let block = [&HALF.to_le_bytes()[..], &nibbles].concat();
    assert_eq!(dequantized(TensorType::IQ4NL, &block), both(table, 0.5));
    // Scale 45 is 13 in the lower and 2 in the upper bits, scale 32 is none: sub-block 5 is 13 times 0.5, the others are zero.
    let upper = 0b10_10_10_10_10_10_10_10_u16;
    let block = [&HALF.to_le_bytes()[..], &upper.to_le_bytes(), &[0, 0, 13 << 4, 0], &nibbles.repeat(8)].concat();
    let numbers = dequantized(TensorType::IQ4XS, &block);
    assert_eq!(numbers[160..192], both(table, 6.5));
    assert!(numbers[..160].iter().chain(&numbers[192..]).all(|number| *number == 0.0));
    let floats = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];
    for (e, d) in [(128, 1.0), (127, 0.5), (2, 2f32.powi(-126)), (1, 2f32.powi(-127)), (0, 2f32.powi(-128))] {
        assert_eq!(dequantized(TensorType::MXFP4, &[&[e][..], &nibbles].concat()), both(floats, d), "exponent {e}");
    }
    assert!(check_finite(TensorType::MXFP4, &[&[252][..], &nibbles].concat()).is_ok(), "12 * 2^124");
    assert!(check_finite(TensorType::MXFP4, &[&[253][..], &nibbles].concat()).is_err(), "12 * 2^125");
    assert!(check_finite(TensorType::MXFP4, &[&[255][..], &[0; 16]].concat()).is_ok(), "zeros");
}

#[test]
fn super_blocks_by_hand() {
    // One number of each kind: quants of 1 everywhere, a scale of 3 and a minimum of 2 for what block 6 is in.
    let one = ONE_AND_A_HALF.to_le_bytes();
    let half = HALF.to_le_bytes();
    // Q4_K: scale 6 and minimum 6 have their lower bits in byte 10 of the twelve.
    let scales = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3 | 2 << 4, 0];
    let q4_k = [&one[..], &half, &scales, &[0x11; 128]].concat();
    let q5_k = [&one[..], &half, &scales, &[0; 32], &[0x11; 128]].concat();
    // Q2_K: sub-blocks 12 and 13.
    let mut nibbles = [0; 16];
    nibbles[12..14].fill(3 | 2 << 4);
    let q2_k = [&nibbles[..], &[0x55; 64], &one, &half].concat();
    for (tensor_type, block) in [(TensorType::Q4K, q4_k), (TensorType::Q5K, q5_k), (TensorType::Q2K, q2_k)] {
        let numbers = dequantized(tensor_type, &block);
        assert_eq!(numbers[192..224], [1.5 * 3.0 - 0.5 * 2.0; 32], "{tensor_type}");
        assert!(numbers[..192].iter().chain(&numbers[224..]).all(|number| *number == 0.0), "{tensor_type}");
    }
    // Q6_K: quants of 33 stand for 1. Q3_K: quants of 5 do; its scales of 35 for 3 and of 32 for none.
    let mut bytes = [0; 16];
    bytes[12..14].fill(3);
    let q6_k = [&[0x11; 128][..], &[0xaa; 64], &bytes, &one].concat();
    let scales = [0, 0, 0, 0, 3 << 4, 3 << 4, 0, 0, 0xaa, 0xaa, 0xaa, 0xaa];
    let q3_k = [&[0xff; 32][..], &[0x55; 64], &scales, &one].concat();
    for (tensor_type, block) in [(TensorType::Q6K, q6_k), (TensorType::Q3K, q3_k)] {
        let numbers = dequantized(tensor_type, &block);
        assert_eq!(numbers[192..224], [4.5; 32], "{tensor_type}");
        assert!(numbers[..192].iter().chain(&numbers[224..]).all(|number| *number == 0.0), "{tensor_type}");
    }
}

#[test]
fn q3_32_and_q2_32_by_hand() {
    // Scale 0.5, minimum -2; one number after the other is the only one that is not the minimum.
    for (tensor_type, largest) in [(TensorType::Q3_32, 7), (TensorType::Q2_32, 3)] {
        let n_bytes = tensor_type.block().bytes;
        let mut seen = vec![0_u8; n_bytes - 4];
        for (place, q) in (0..32).flat_map(|place| (1..=largest).map(move |q| (place, q))) {
            let mut values = [-2.0_f32; 32];
            values[place] = -2.0 + 0.5 * q as f32;
            // A second number pins the scale.
            let end = (place + 1) % 32;
            values[end] = -2.0 + 0.5 * largest as f32;
            let block = quantize(tensor_type, &values);
            assert_eq!(block[..4], [0x00, 0x38, 0x00, 0xc0]);
            assert_eq!(dequantized(tensor_type, &block), values, "{tensor_type}: quant {place} is {q}");
            seen.iter_mut().zip(&block[4..]).for_each(|(seen, byte)| *seen |= byte);
        }
        assert_eq!(seen, vec![0xff; n_bytes - 4], "{tensor_type} leaves no bit unused");
    }
    // Quad 0 in the lowest bits of the first word, its component 2 in byte 2.
    let mut values = [0.0; 32];
    (values[2], values[31]) = (1.0, 7.0);
    let q3 = quantize(TensorType::Q3_32, &values);
    assert_eq!(q3[4..], [0, 0, 1, 0, 0, 0, 0, 3 << 6, 0, 0, 0, 1 << 7]);
    values[31] = 3.0;
    let q2 = quantize(TensorType::Q2_32, &values);
    assert_eq!(q2[4..], [0, 0, 1, 0, 0, 0, 0, 3 << 6]);
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
    let wave = wave(2560);
    for tensor_type in TensorType::all() {
        let restored = dequantized(tensor_type, &quantize(tensor_type, &wave));
        for (values, restored) in wave.chunks(tensor_type.run_len()).zip(restored.chunks(tensor_type.run_len())) {
            let values: Vec<f64> = values.iter().copied().map(f64::from).collect();
            let largest = values.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
            let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
            let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let (range, range_from_zero) = (highest - smallest, highest - smallest.min(0.0));
            // Half a step, and the rounding of the scale (and minimum) to f16 on top.
            let f16_rounding = largest / 1024.0;
            let allowed = match tensor_type {
                TensorType::F32 => 0.0,
                TensorType::F16 => f16_rounding,
                TensorType::BF16 => largest / 256.0,
                TensorType::Q8_0 => largest / 127.0 * 0.5 + f16_rounding,
                // One step more below zero than above: an end may lie a whole step off.
                TensorType::Q5_0 => largest / 16.0 + f16_rounding,
                TensorType::Q4_0 => largest / 8.0 + f16_rounding,
                TensorType::Q5_1 => range / 31.0 * 0.5 + 2.0 * f16_rounding,
                TensorType::Q4_1 => range / 15.0 * 0.5 + 2.0 * f16_rounding,
                TensorType::Q3_32 => range / 7.0 * 0.5 + 2.0 * f16_rounding,
                TensorType::Q2_32 => range / 3.0 * 0.5 + 2.0 * f16_rounding,
                // Scales are rounded to whole numbers: half of one at the largest quant, and for minima half of one more.
                TensorType::Q6K => largest * (1.0 / 32.0 + 0.5 / 127.0) + f16_rounding,
                TensorType::Q3K => largest * (1.0 / 4.0 + 0.5 / 31.0) + f16_rounding,
                TensorType::Q5K => range_from_zero * (0.5 / 31.0 + 1.0 / 63.0) + 2.0 * f16_rounding,
                TensorType::Q4K => range_from_zero * (0.5 / 15.0 + 1.0 / 63.0) + 2.0 * f16_rounding,
                TensorType::Q2K => range_from_zero * (0.5 / 3.0 + 1.0 / 15.0) + 2.0 * f16_rounding,
                // Half of the table's widest gap, or what its upper end falls short of the lower.
                TensorType::IQ4NL => largest * 14.0 / 127.0 + f16_rounding,
                TensorType::IQ4XS => largest * (14.0 / 127.0 + 0.5 / 31.0) + f16_rounding,
                // A largest entry of 12 reaches at most twice too far, and its widest gap is 4.
                TensorType::MXFP4 => largest / 6.0 * 2.0,
            };
            for (value, restored) in values.iter().zip(restored) {
                let error = (value - f64::from(*restored)).abs();
                assert!(error <= allowed, "{tensor_type}: {value} became {restored}, allowed are {allowed}");
            }
        }
    }
}

#[test]
fn what_reaches_the_ends_of_its_scale_is_quantised_to_the_same_blocks_again() {
    for tensor_type in TensorType::all() {
        let blocks = quantize(tensor_type, &wave(2560));
        let again = quantize(tensor_type, &dequantized(tensor_type, &blocks));
        let rounds_once = match tensor_type {
            // Their minimum is rounded before the numbers are, so a block's smallest number need not stand at 0.
            TensorType::Q3_32 | TensorType::Q2_32 => false,
            // Nor need a block reach the end of a scale that is a power of two, or a sub-block that of one that is a whole number.
            TensorType::MXFP4 => false,
            _ => tensor_type.block().elements < 256,
        };
        if !rounds_once {
            continue;
        }
        assert_eq!(again, blocks, "{tensor_type}");
    }
    // A block that does not reach them gets a finer scale.
    let block = q8_0_block(ONE_AND_A_HALF, [64; 32]);
    assert_ne!(quantize(TensorType::Q8_0, &dequantized(TensorType::Q8_0, &block)), block);
}

#[test]
fn stress_formats_take_the_nearest_step_of_what_is_stored() {
    let wave = wave(3200);
    for (tensor_type, largest) in [(TensorType::Q3_32, 7), (TensorType::Q2_32, 3)] {
        let blocks = quantize(tensor_type, &wave);
        let restored = dequantized(tensor_type, &blocks);
        for (i, (value, restored)) in wave.iter().zip(&restored).enumerate() {
            let block = &blocks[i / 32 * tensor_type.block().bytes..];
            let (scale, minimum) = (f16_at(block).to_f64(), f16_at(&block[2..]).to_f64());
            let steps = (0..=largest).map(|q| scale * f64::from(q) + minimum);
            let nearest = steps.map(|step| (step - f64::from(*value)).abs()).fold(f64::INFINITY, f64::min);
            let error = (f64::from(*restored) - f64::from(*value)).abs();
            assert!(error <= nearest + 1e-6, "{tensor_type}: {value} became {restored}, a step is {nearest} off");
        }
    }
}

#[test]
fn a_scale_beyond_f16_is_found() {
    let mut values = wave(768);
    values[300] = 1e12;
    // These have the exponents of f32.
    let holds_it =
        |tensor_type: &TensorType| matches!(tensor_type, TensorType::F32 | TensorType::BF16 | TensorType::MXFP4);
    for tensor_type in TensorType::all() {
        let found = check_finite(tensor_type, &quantize(tensor_type, &values));
        if holds_it(&tensor_type) {
            assert_eq!(found, Ok(()), "{tensor_type}");
            continue;
        }
        let found = found.expect_err("no f16 holds it");
        let expected = 300 / tensor_type.block().elements;
        assert_eq!((found.first_block, found.n_blocks), (expected, 1), "{tensor_type}");
    }
}

#[test]
fn quantising_by_hand() {
    let ramp: [f32; 32] = std::array::from_fn(|i| i as f32 * 15.0 / 31.0 - 2.0);
    let q4_1 = quantize(TensorType::Q4_1, &ramp);
    assert_eq!(q4_1[..4], [0x00, 0x3c, 0x00, 0xc0], "scale 1, minimum -2");
    assert_eq!((q4_1[4] & 15, q4_1[19] >> 4), (0, 15), "the ends of the ramp");
    let mut signed = [0.0f32; 32];
    (signed[0], signed[1], signed[16], signed[31]) = (8.0, -7.0, 0.49, -0.51);
    let q4_0 = quantize(TensorType::Q4_0, &signed);
    assert_eq!(q4_0[..4], [0x00, 0xbc, 0x80, 0x8f], "scale -1: 8 is -8 of it, -7 is 7 of it, 0.49 nearest to 0");
    assert_eq!(q4_0[17], 0x98, "0, and -0.51 nearest to 1 of the scale");
    assert_eq!(quantize(TensorType::Q4_0, &[0.0; 32])[1..3], [0x80, 0x88], "zeros have scale -0 and quants 0");
    let mut peak = [0.0f32; 32];
    (peak[0], peak[1], peak[2]) = (-127.0, 63.4, 63.5);
    let q8_0 = quantize(TensorType::Q8_0, &peak);
    assert_eq!(q8_0[..5], [0x00, 0x3c, 129, 63, 64], "scale 1, then -127, 63 and 64");
    for tensor_type in TensorType::all() {
        for constant in [0.0, 1.0] {
            let restored = dequantized(tensor_type, &quantize(tensor_type, &[constant; 256]));
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
        check(TensorType::Q4_0, &q4_0_block(HALF, [0xff; 16]), &q4_0_block(bad, [0; 16]));
        for (tensor_type, n_quants) in [(TensorType::Q3_32, 12), (TensorType::Q2_32, 8)] {
            let block = |d: u16, m: u16| [&d.to_le_bytes()[..], &m.to_le_bytes(), &vec![0xff; n_quants]].concat();
            check(tensor_type, &block(HALF, MINUS_TWO), &block(bad, MINUS_TWO));
            check(tensor_type, &block(HALF, MINUS_TWO), &block(HALF, bad));
        }
        for (tensor_type, scales) in [
            (TensorType::F16, &[0][..]),
            (TensorType::Q5_0, &[0]),
            (TensorType::Q5_1, &[0, 2]),
            (TensorType::Q6K, &[208]),
            (TensorType::Q5K, &[0, 2]),
            (TensorType::Q4K, &[0, 2]),
            (TensorType::Q3K, &[108]),
            (TensorType::Q2K, &[80, 82]),
            (TensorType::IQ4NL, &[0]),
            (TensorType::IQ4XS, &[0]),
        ] {
            for at in scales {
                let good = vec![0x33; tensor_type.block().bytes];
                let mut broken = good.clone();
                broken[*at..at + 2].copy_from_slice(&bad.to_le_bytes());
                check(tensor_type, &good, &broken);
            }
        }
    }
    for bad in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
        check(TensorType::F32, &1f32.to_le_bytes(), &bad.to_le_bytes());
        check(TensorType::BF16, &[0x80, 0x3f], &bad.to_le_bytes()[2..]);
    }
}
