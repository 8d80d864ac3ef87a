//! The best five logits of a row, a hash of all of them, and whether every one is a number.

use crate::numerics::TieRule;

/// How many logits of a row are reported.
pub const TOP_K: usize = 5;

/// Token id of an entry that no logit fills: the vocabulary is smaller than five, or logits are not finite.
pub const NO_TOKEN: u32 = u32::MAX;

/// Logit of an entry that no logit fills.
pub const NO_LOGIT: f32 = f32::MIN;

/// What is known of a row's logits without reading them back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TopK {
    /// Token ids and logits, by logit descending, equals as the tie rule says.
    pub entries: [(u32, f32); TOP_K],
    /// Four sums over all logits: equal bits give equal hashes, in whatever order they are summed.
    pub hash: [u32; 4],
    /// Whether any logit is infinite or not a number; such logits are never among the entries.
    pub not_finite: bool,
}

/// Summarises one row of logits; `[vocab_size]`.
pub fn top_k(logits: &[f32], tie_rule: TieRule) -> TopK {
    let mut summary = TopK { entries: [(NO_TOKEN, NO_LOGIT); TOP_K], hash: [0; 4], not_finite: false };
    for (id, &logit) in (0_u32..).zip(logits) {
        for (lane, sum) in (0_u32..).zip(&mut summary.hash) {
            *sum = sum.wrapping_add(mix(logit.to_bits(), id, lane));
        }
        if is_finite(logit) {
            insert(&mut summary.entries, id, logit, tie_rule);
        } else {
            summary.not_finite = true;
        }
    }
    summary
}

/// Whether the exponent bits are not all ones; on the bits, because a shader compiler may assume that NaN does not occur.
fn is_finite(logit: f32) -> bool {
    logit.to_bits() & 0x7F80_0000 != 0x7F80_0000
}

/// Puts a logit in its place, before an unused entry.
fn insert(entries: &mut [(u32, f32); TOP_K], id: u32, logit: f32, tie_rule: TieRule) {
    let comes_first = |other: u32| tie_rule.rank(id) < tie_rule.rank(other);
    let place = entries
        .iter()
        .position(|&(other, value)| other == NO_TOKEN || value < logit || (value == logit && comes_first(other)));
    if let Some(place) = place {
        entries[place..].rotate_right(1);
        entries[place] = (id, logit);
    }
}

/// Spreads one logit's bits, its place and the hash's lane over 32 bits.
pub fn mix(bits: u32, index: u32, lane: u32) -> u32 {
    let mut h = bits ^ index.wrapping_mul(0x9E37_79B9).wrapping_add((lane + 1).wrapping_mul(0x85EB_CA6B));
    h ^= h >> 16;
    h = h.wrapping_mul(0x7FEB_352D);
    h ^= h >> 15;
    h = h.wrapping_mul(0x846C_A68B);
    h ^ (h >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::TieRule::{HighestId, LaneOrder, LowestId};
    use crate::reference::test_data::Seeded;

    #[test]
    fn equal_logits_go_by_id() {
        let logits = [1.0, 3.0, 2.0, 3.0, 0.0, 2.0, -1.0];
        let found = top_k(&logits, LowestId);
        assert_eq!(found.entries, [(1, 3.0), (3, 3.0), (2, 2.0), (5, 2.0), (0, 1.0)]);
        assert!(!found.not_finite);
        assert_eq!(top_k(&logits, HighestId).entries, [(3, 3.0), (1, 3.0), (5, 2.0), (2, 2.0), (0, 1.0)]);
        // Ids 0 and 64 share lane 0 of 64, 1 and 65 lane 1, 5 and 69 lane 5.
        assert_eq!(top_k(&logits, LaneOrder).entries, found.entries);
        let mut wide = vec![0.0; 70];
        (wide[1], wide[64], wide[69]) = (1.0, 1.0, 1.0);
        let ids = |rule| top_k(&wide, rule).entries.map(|(id, _)| id);
        assert_eq!(ids(LaneOrder), [64, 1, 69, 0, 65]);
        assert_eq!(ids(HighestId), [69, 64, 1, 68, 67]);
    }

    #[test]
    fn zeros_of_either_sign_are_equal_but_hash_differently() {
        let (plus, minus) = (top_k(&[0.0, -0.0], LowestId), top_k(&[-0.0, 0.0], LowestId));
        assert_eq!(plus.entries[..2], minus.entries[..2]);
        assert_eq!(plus.entries[0].0, 0);
        assert_ne!(plus.hash, minus.hash);
    }

    #[test]
    fn what_is_not_finite_never_wins() {
        let found = top_k(&[f32::NAN, 1.0, f32::INFINITY, f32::MIN, f32::NEG_INFINITY], HighestId);
        assert_eq!(found.entries[..2], [(1, 1.0), (3, f32::MIN)]); // an unused entry never comes before a logit
        assert!(found.entries[2..].iter().all(|entry| *entry == (NO_TOKEN, NO_LOGIT)));
        assert!(found.not_finite);
    }

    #[test]
    fn agrees_with_a_sort() {
        for n in [1, 4, 5, 6, 63, 64, 65, 1000] {
            let logits: Vec<f32> = Seeded::new(n).normals(n as usize).iter().map(|v| (v * 4.0).round()).collect();
            let mut sorted: Vec<(u32, f32)> = (0..).zip(logits.iter().copied()).collect();
            sorted.sort_by(|a, b| b.1.partial_cmp(&a.1).expect("finite").then(a.0.cmp(&b.0)));
            sorted.resize(TOP_K.max(sorted.len()), (NO_TOKEN, NO_LOGIT));
            assert_eq!(top_k(&logits, LowestId).entries[..], sorted[..TOP_K]);
        }
    }

    #[test]
    fn the_hash_sees_one_bit_and_one_swap() {
        let mut logits = Seeded::new(61).normals(500);
        let before = top_k(&logits, LowestId).hash;
        logits[250] = f32::from_bits(logits[250].to_bits() ^ 1);
        let flipped = top_k(&logits, LowestId).hash;
        assert!((0..4).all(|lane| before[lane] != flipped[lane]));
        logits[250] = f32::from_bits(logits[250].to_bits() ^ 1);
        assert_eq!(top_k(&logits, LowestId).hash, before);
        logits.swap(3, 4);
        assert!((0..4).all(|lane| before[lane] != top_k(&logits, LowestId).hash[lane]));
    }

    #[test]
    fn mix_by_hand() {
        // index 0, lane 0 cancels: h = bits ^ 0x85EBCA6B = 0 stays 0.
        assert_eq!(mix(0x85EB_CA6B, 0, 0), 0);
        // h = 1: 1 * 0x7FEB352D; ^ >> 15 = 0x7FEB352D ^ 0xFFD6 = 0x7FEBCAFB; the rest is two steps.
        let h = 0x7FEB_CAFB_u32.wrapping_mul(0x846C_A68B);
        assert_eq!(mix(0x85EB_CA6B ^ 1, 0, 0), h ^ (h >> 16));
    }
}
