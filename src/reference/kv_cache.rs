//! What the cache makes of keys and values: the words that it holds, a block of 32 at a time, and the values that those stand for.

use super::exact_math::{f16_bits_from_f32, f32_from_f16_bits};
use super::weights::BLOCK_LEN;
use crate::numerics::KvFormat;

/// 32 values as the cache holds them, [`KvFormat::block_words`] words.
pub fn kv_store(format: KvFormat, block: &[f32; BLOCK_LEN]) -> Vec<u32> {
    match format {
        KvFormat::F32 => block.iter().map(|v| v.to_bits()).collect(),
        KvFormat::F16 => {
            block.as_chunks().0.iter().map(|&[a, b]| f16_bits_from_f32(a) | f16_bits_from_f32(b) << 16).collect()
        }
    }
}

/// The 32 values that a block of words stands for.
///
/// # Panics
/// If there are fewer words than a block has.
pub fn kv_load(format: KvFormat, words: &[u32]) -> [f32; BLOCK_LEN] {
    match format {
        KvFormat::F32 => std::array::from_fn(|i| f32::from_bits(words[i])),
        KvFormat::F16 => std::array::from_fn(|i| f32_from_f16_bits(words[i / 2] >> (16 * (i % 2)) & 0xFFFF)),
    }
}

/// What a cache of `format` returns for `values`, whole blocks of 32.
pub fn cached(format: KvFormat, values: &[f32]) -> Vec<f32> {
    values.as_chunks().0.iter().flat_map(|block| kv_load(format, &kv_store(format, block))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::test_data::Seeded;

    const FORMATS: [KvFormat; 2] = [KvFormat::F32, KvFormat::F16];

    #[test]
    fn what_was_cached_is_cached_as_it_is() {
        let values = Seeded::new(3).normals(256);
        for format in FORMATS {
            let once = cached(format, &values);
            assert_eq!(cached(format, &once), once, "{format:?}");
            assert_eq!(kv_store(format, &[1.0; BLOCK_LEN]).len(), format.block_words());
        }
    }

    #[test]
    fn f16_is_rounded_to_nearest() {
        let values = Seeded::new(4).normals(BLOCK_LEN);
        let expected: Vec<f32> = values.iter().map(|v| half::f16::from_f32(*v).to_f32()).collect();
        assert_eq!(cached(KvFormat::F16, &values), expected);
        assert_eq!(cached(KvFormat::F32, &values), values);
    }
}
