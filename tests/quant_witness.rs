//! An independent witness of ggml's block formats: candle decodes the same bytes to the same bits.
//!
//! Every pattern of every 16-bit scale and minimum, with seeded bytes for the rest of the block, among them every byte of the packed
//! scales of super-blocks. Formats that candle does not know (IQ4_NL, IQ4_XS, MXFP4) are decoded by hand in src/quant/tests.rs.
#![cfg(not(target_arch = "wasm32"))]

use std::borrow::Cow;

use candle_core::Device;
use candle_core::quantized::{GgmlDType, QStorage, QTensor};
use lastbit::quant::{TensorType, dequantize};

/// Patterns of 16 bits.
const N_PATTERNS: usize = 1 << 16;

/// A format, candle's name of it, and where in its block the 16-bit floats stand.
const FORMATS: [(TensorType, GgmlDType, &[usize]); 12] = [
    (TensorType::F16, GgmlDType::F16, &[0]),
    (TensorType::BF16, GgmlDType::BF16, &[0]),
    (TensorType::Q4_0, GgmlDType::Q4_0, &[0]),
    (TensorType::Q4_1, GgmlDType::Q4_1, &[0, 2]),
    (TensorType::Q5_0, GgmlDType::Q5_0, &[0]),
    (TensorType::Q5_1, GgmlDType::Q5_1, &[0, 2]),
    (TensorType::Q8_0, GgmlDType::Q8_0, &[0]),
    (TensorType::Q2K, GgmlDType::Q2K, &[80, 82]),
    (TensorType::Q3K, GgmlDType::Q3K, &[108]),
    (TensorType::Q4K, GgmlDType::Q4K, &[0, 2]),
    (TensorType::Q5K, GgmlDType::Q5K, &[0, 2]),
    (TensorType::Q6K, GgmlDType::Q6K, &[208]),
];

/// Bytes that look like chance and are the same every time.
fn seeded_bytes(n: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..n).map(|_| next()).collect()
}

fn decoded_by_candle(format: GgmlDType, bytes: &[u8], n_values: usize) -> Vec<f32> {
    let storage = QStorage::from_data(Cow::Borrowed(bytes), &Device::Cpu, format).expect("whole blocks");
    let tensor = QTensor::new(storage, n_values).and_then(|tensor| tensor.dequantize(&Device::Cpu));
    tensor.and_then(|tensor| tensor.to_vec1()).expect("numbers")
}

#[test]
fn every_pattern_of_every_scale_decodes_to_the_bits_of_candle() {
    for (format, candles, fields) in FORMATS {
        let block = format.block();
        // A float is a block of one element, which its own 16 bits fill.
        let (block_bytes, n_values) = (block.bytes, N_PATTERNS * block.elements);
        for &field in fields {
            let mut bytes = seeded_bytes(N_PATTERNS * block_bytes, field as u64 + 7);
            for (pattern, block) in bytes.chunks_exact_mut(block_bytes).enumerate() {
                block[field..field + 2].copy_from_slice(&(pattern as u16).to_le_bytes());
            }
            let mut ours = vec![0.0_f32; n_values];
            dequantize(format, &bytes, &mut ours);
            let theirs = decoded_by_candle(candles, &bytes, n_values);
            let differing =
                ours.iter().zip(&theirs).position(|(a, b)| a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan()));
            assert_eq!(
                differing.map(|i| (i, ours[i], theirs[i])),
                None,
                "{} with every pattern at byte {field}",
                format.name()
            );
            let n_numbers = ours.iter().filter(|value| value.is_finite() && **value != 0.0).count();
            assert!(n_numbers > n_values / 2, "{}: only {n_numbers} of {n_values} are numbers", format.name());
        }
    }
}
