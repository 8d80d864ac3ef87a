//! Every format's numbers against those of ggml's own Python package (`gguf` 0.19.0), for every bit pattern of its scales.

use sha2::{Digest, Sha256};

use super::{TensorType, dequantize};

/// Format, where the f16 scales of a block lie in it (MXFP4: the byte of its exponent), and the SHA-256 of the numbers of 65,536 blocks as
/// f32, little-endian, every NaN as 0x7FC00000.
///
/// The blocks are the bytes of splitmix64 from zero on, in which the first scale of block `n` is `n` and the second is 40,503 times that.
const NUMBERS: [(TensorType, &[usize], &str); 14] = [
    (TensorType::BF16, &[0], "f12e27efe34841dfd6391497b86f389096b03a376586e1d9691bba0a8de3980a"),
    (TensorType::Q8_0, &[0], "1c3208f7b409a454200e151622a4f65107218271e9b09fbf867c90946b8e5069"),
    (TensorType::Q5_0, &[0], "c6792fb589b6890fc9b1412e1891ab34fdfebda5966a66d16b180253fef534e3"),
    (TensorType::Q5_1, &[0, 2], "e7e86818b77f8dd07e2fb790fdb0e92a4106f4ce43b0033a829f4d25bc95114a"),
    (TensorType::Q4_0, &[0], "15bb0cf1602b35ed7af0f31d600f76f323a978866d59446a58194613998b13d0"),
    (TensorType::Q4_1, &[0, 2], "95da01480694d8844a337519ca1b17a0803561bc9c0c9f354dc6e9fb72e81c99"),
    (TensorType::Q6K, &[208], "01e27a72b3d52d1d1996f9085365819e02e2092d1d040dc77be2e586fcd51f12"),
    (TensorType::Q5K, &[0, 2], "9bedd0391ef3f78db1ff39d3d67b8415cf7d24bec03eee3699f058cd27bd6db3"),
    (TensorType::Q4K, &[0, 2], "2a4ac6eabf21b638d4ccf966539e7134e821bf179633033e480e5fb1b383fe9e"),
    (TensorType::Q3K, &[108], "fe8c4aa9c573db719add05c8c4aac8dfec0b43d432c93e257ad2f764b61d2de9"),
    (TensorType::Q2K, &[80, 82], "0f3310084d3527b4a6254b130150de411d79d8e5d02b8dac9618134f3c6ec0bb"),
    (TensorType::IQ4NL, &[0], "a49655fa7889bd5e2b38305aaa1bd0d413e1a64b98777bedd2adf59fe2add670"),
    (TensorType::IQ4XS, &[0], "3aedf80a183db3360f0b5f579468ac0cb6d5e6fad759de883a3f2b4dcc9aa38e"),
    (TensorType::MXFP4, &[0], "05226a5b231c119b67fc910ec96f7d88e2b60fdd4438a780847c39f8f236c5de"),
];

/// Bytes of splitmix64 from state zero on.
fn stream() -> impl Iterator<Item = u8> {
    let word = |i: u64| {
        let mut z = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)).to_le_bytes()
    };
    (1..).flat_map(word)
}

#[test]
fn every_format_has_the_numbers_of_ggml_for_every_pattern_of_its_scales() {
    for (tensor_type, scales, expected) in NUMBERS {
        let block = tensor_type.block();
        let mut stream = stream();
        let mut hash = Sha256::new();
        let mut numbers = vec![0.0; block.elements];
        for n in 0..=u16::MAX {
            let mut bytes: Vec<u8> = stream.by_ref().take(block.bytes).collect();
            for (at, factor) in scales.iter().zip([1, 40_503]) {
                let pattern = n.wrapping_mul(factor).to_le_bytes();
                let len = if tensor_type == TensorType::MXFP4 { 1 } else { 2 };
                bytes[*at..at + len].copy_from_slice(&pattern[..len]);
            }
            dequantize(tensor_type, &bytes, &mut numbers);
            for number in &numbers {
                hash.update(if number.is_nan() { f32::NAN } else { *number }.to_bits().to_le_bytes());
            }
        }
        let found: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found, expected, "{tensor_type}");
    }
}
