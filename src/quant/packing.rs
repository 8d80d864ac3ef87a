//! How quants of a few bits lie in the blocks that kernels read. Each group of bits has bytes of its own, in which one shift and one mask
//! bring out what belongs together, four quants to a word.
//!
//! Quad `k` of a block of 32 is its numbers `4k` to `4k + 3`; component `i` is the one at `4k + i`.

use std::array;

/// The lowest four bits of each: byte `j` holds number `j` in its low half and number `j + 16` in its high half.
pub(super) fn nibbles(quants: &[u8; 32]) -> [u8; 16] {
    array::from_fn(|j| quants[j] & 15 | (quants[j + 16] & 15) << 4)
}

/// Two bits of each, from `shift` on: bits `2k` and `2k + 1` of byte `4h + i` are of component `i` of quad `4h + k`.
pub(super) fn bit_pairs(quants: &[u8; 32], shift: usize) -> [u8; 8] {
    array::from_fn(|byte| {
        let (half, i) = (byte / 4, byte % 4);
        (0..4).fold(0, |bits, k| bits | (quants[16 * half + 4 * k + i] >> shift & 3) << (2 * k))
    })
}

/// One bit of each, number `shift`: bit `k` of byte `i` is of component `i` of quad `k`.
pub(super) fn bits(quants: &[u8; 32], shift: usize) -> [u8; 4] {
    array::from_fn(|i| (0..8).fold(0, |bits, k| bits | (quants[4 * k + i] >> shift & 1) << k))
}

/// The four bits of number `element` in [`nibbles`].
pub(super) fn nibble(bytes: &[u8], element: usize) -> u8 {
    bytes[element % 16] >> (4 * (element / 16)) & 15
}

/// The two bits of number `element` in [`bit_pairs`].
pub(super) fn bit_pair(bytes: &[u8], element: usize) -> u8 {
    bytes[element / 16 * 4 + element % 4] >> (2 * (element / 4 % 4)) & 3
}

/// The bit of number `element` in [`bits`].
pub(super) fn bit(bytes: &[u8], element: usize) -> u8 {
    bytes[element % 4] >> (element / 4) & 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_out_again_and_no_bit_is_unused() {
        let quants: [u8; 32] = array::from_fn(|i| (i * 151 + 7) as u8);
        let (low, high, two, one) =
            (nibbles(&quants), nibbles(&quants.map(|q| q >> 4)), bit_pairs(&quants, 3), bits(&quants, 6));
        for (i, q) in quants.into_iter().enumerate() {
            assert_eq!((nibble(&low, i), nibble(&high, i)), (q & 15, q >> 4), "number {i}");
            assert_eq!((bit_pair(&two, i), bit(&one, i)), (q >> 3 & 3, q >> 6 & 1), "number {i}");
        }
        let full = [255; 32];
        assert_eq!((nibbles(&full), bit_pairs(&full, 0), bits(&full, 0)), ([255; 16], [255; 8], [255; 4]));
    }

    #[test]
    fn places_by_hand() {
        let one = |place: usize| array::from_fn(|i| u8::from(i == place));
        // Component 2 of quad 5: number 22.
        assert_eq!(nibbles(&one(22))[6], 16);
        assert_eq!(bit_pairs(&one(22), 0)[4 + 2], 1 << 2);
        assert_eq!(bits(&one(22), 0)[2], 1 << 5);
    }
}
