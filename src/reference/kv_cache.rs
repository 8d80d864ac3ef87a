//! What the cache makes of keys and values: the words that it holds, a block of 32 at a time, and the values that those stand for.

use super::activations::{SMALLEST_AMAX, largest_magnitude, quantise_block};
use super::exact_math::{exact_reciprocal, f16_bits_from_f32, f32_from_f16_bits};
use super::weights::BLOCK_LEN;
use crate::numerics::KvFormat;

/// 32 values as the cache holds them, [`KvFormat::block_words`] words.
pub fn kv_store(format: KvFormat, block: &[f32; BLOCK_LEN]) -> Vec<u32> {
    match format {
        KvFormat::F32 => block.iter().map(|v| v.to_bits()).collect(),
        KvFormat::F16 => {
            block.as_chunks().0.iter().map(|&[a, b]| f16_bits_from_f32(a) | f16_bits_from_f32(b) << 16).collect()
        }
        KvFormat::Q8_0 => {
            let (quants, [scale, _]) = quantise_block(block);
            let words = quants.as_chunks().0.iter().map(|q: &[i8; 4]| u32::from_le_bytes(q.map(|b| b as u8)));
            words.chain([f16_bits_from_f32(scale)]).collect()
        }
        KvFormat::Q4_0 => {
            let (quants, scale) = quantise_q4_0(block);
            let word = |octet: &[u8; 8]| octet.iter().rev().fold(0, |word, q| word << 4 | u32::from(*q));
            quants.as_chunks().0.iter().map(word).chain([f16_bits_from_f32(scale)]).collect()
        }
    }
}

/// Rounds 32 values to q4_0: quants 0 to 15 and the scale d; a value is about d * (quant - 8).
///
/// As in ggml d = -v / 8 for the value v of the largest magnitude, and a quant is value / d + 8.5 cut off, at most 15. Where v and -v are
/// both in the block, v is the positive one, wherever they stand (ggml takes the first).
fn quantise_q4_0(values: &[f32; BLOCK_LEN]) -> ([u8; BLOCK_LEN], f32) {
    let amax = largest_magnitude(values);
    if amax < SMALLEST_AMAX {
        return ([8; BLOCK_LEN], 0.0);
    }
    let sign = if values.contains(&amax) { -1.0 } else { 1.0 };
    let inverse = sign * exact_reciprocal(amax * 0.125);
    (values.map(|v| ((v * inverse + 8.5) as u32).min(15) as u8), sign * (amax * 0.125))
}

/// The 32 values that a block of words stands for.
///
/// # Panics
/// If there are fewer words than a block has.
pub fn kv_load(format: KvFormat, words: &[u32]) -> [f32; BLOCK_LEN] {
    match format {
        KvFormat::F32 => std::array::from_fn(|i| f32::from_bits(words[i])),
        KvFormat::F16 => std::array::from_fn(|i| f32_from_f16_bits(words[i / 2] >> (16 * (i % 2)) & 0xFFFF)),
        KvFormat::Q8_0 => {
            let scale = f32_from_f16_bits(words[8]);
            std::array::from_fn(|i| scale * f32::from(words[i / 4].to_le_bytes()[i % 4] as i8))
        }
        KvFormat::Q4_0 => {
            let scale = f32_from_f16_bits(words[4]);
            std::array::from_fn(|i| scale * ((words[i / 8] >> (4 * (i % 8)) & 15) as f32 - 8.0))
        }
    }
}

/// What a cache of `format` returns for `values`, whole blocks of 32.
pub fn cached(format: KvFormat, values: &[f32]) -> Vec<f32> {
    values.as_chunks().0.iter().flat_map(|block| kv_load(format, &kv_store(format, block))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::test_data::{Seeded, normalised_error};

    const FORMATS: [KvFormat; 4] = [KvFormat::F32, KvFormat::F16, KvFormat::Q8_0, KvFormat::Q4_0];

    #[test]
    fn a_block_has_its_words_and_zeros_stay_zeros() {
        for format in FORMATS {
            assert_eq!(kv_store(format, &[1.0; BLOCK_LEN]).len(), format.block_words());
            assert_eq!(cached(format, &[0.0; BLOCK_LEN]), [0.0; BLOCK_LEN]);
            let tiny = if format == KvFormat::F32 { 1e-31 } else { 0.0 };
            assert_eq!(cached(format, &[1e-31; BLOCK_LEN]), [tiny; BLOCK_LEN], "{format:?}");
        }
    }

    #[test]
    fn what_was_cached_is_cached_as_it_is() {
        let values = Seeded::new(3).normals(64 * BLOCK_LEN);
        for format in FORMATS {
            for block in values.as_chunks().0 {
                let words = kv_store(format, block);
                assert_eq!(kv_store(format, &kv_load(format, &words)), words, "{format:?}");
            }
        }
    }

    #[test]
    fn coarser_formats_are_further_off() {
        let values = Seeded::new(4).normals(64 * BLOCK_LEN);
        let truth: Vec<f64> = values.iter().map(|v| f64::from(*v)).collect();
        let errors = FORMATS.map(|format| normalised_error(&cached(format, &values), &truth));
        assert_eq!(errors[0], 0.0);
        for (error, (least, most)) in errors[1..].iter().zip([(1e-9, 1e-7), (1e-6, 1e-4), (1e-3, 1e-2)]) {
            assert!((least..most).contains(error), "{errors:?}");
        }
        let expected: Vec<f32> = values.iter().map(|v| half::f16::from_f32(*v).to_f32()).collect();
        assert_eq!(cached(KvFormat::F16, &values), expected);
    }

    #[test]
    fn q8_0_by_hand() {
        let mut values = [0.0; BLOCK_LEN];
        values[..4].copy_from_slice(&[-127.0, 2.5, 3.4, 1.0]);
        let words = kv_store(KvFormat::Q8_0, &values);
        assert_eq!(words[0], u32::from_le_bytes([-127_i8 as u8, 2, 3, 1]));
        assert_eq!(words[1..], [0, 0, 0, 0, 0, 0, 0, 0x3C00]);
        assert_eq!(cached(KvFormat::Q8_0, &values)[..4], [-127.0, 2.0, 3.0, 1.0]);
    }

    #[test]
    fn q4_0_by_hand() {
        let mut values = [0.0; BLOCK_LEN];
        values[..6].copy_from_slice(&[-8.0, 7.0, 7.9, 1.2, 2.5, -2.5]);
        // d = 1: the ends of the range, and halves go up.
        assert_eq!(cached(KvFormat::Q4_0, &values)[..6], [-8.0, 7.0, 7.0, 1.0, 3.0, -2.0]);
        assert_eq!(kv_store(KvFormat::Q4_0, &values)[4], 0x3C00);
        // The largest magnitude is positive: d = -1, all signs the other way round.
        let mirrored = values.map(|v| -v);
        assert_eq!(cached(KvFormat::Q4_0, &mirrored)[..6], [8.0, -7.0, -7.0, -1.0, -3.0, 2.0]);
        assert_eq!(kv_store(KvFormat::Q4_0, &mirrored)[4], 0xBC00);
    }

    #[test]
    fn of_two_equal_magnitudes_the_positive_value_is_kept_whole() {
        for (first, second) in [(8.0, -8.0), (-8.0, 8.0)] {
            let mut values = [0.0; BLOCK_LEN];
            (values[3], values[20]) = (first, second);
            let found = cached(KvFormat::Q4_0, &values);
            assert_eq!((found[3].max(found[20]), found[3].min(found[20])), (8.0, -7.0));
        }
    }

    #[test]
    fn what_f16_cannot_hold_is_not_finite_afterwards() {
        let scales =
            [(KvFormat::F16, 65520.0, 1), (KvFormat::Q8_0, 127.0 * 65520.0, 32), (KvFormat::Q4_0, 8.0 * 65520.0, 32)];
        for (format, limit, n_lost) in scales {
            for value in [limit, -limit, f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
                let mut values = [1.0; BLOCK_LEN];
                values[17] = value;
                let n = cached(format, &values).iter().filter(|v| !v.is_finite()).count();
                assert!(n >= n_lost, "{format:?}: {value} leaves {n} of 32 that are not finite");
            }
            let mut values = [1.0; BLOCK_LEN];
            values[17] = limit * 0.99;
            assert!(cached(format, &values).iter().all(|v| v.is_finite()), "{format:?}");
        }
    }
}
