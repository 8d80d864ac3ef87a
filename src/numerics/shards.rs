//! One dot product split over several devices, as tensor parallelism does with products whose terms lie on different devices.

use std::ops::Range;

use super::{Numerics, NumericsError, Site};

/// How many devices a product can be split over.
pub const SHARD_COUNTS: [u32; 4] = [1, 2, 4, 8];

/// The blocks of 32 terms that one of `n_shards` devices holds, of `n_blocks`: neighbours, and as many for each as whole blocks allow.
pub fn shard_blocks(n_blocks: u32, n_shards: u32, shard: u32) -> Range<u32> {
    n_blocks * shard / n_shards..n_blocks * (shard + 1) / n_shards
}

impl Numerics {
    /// Whether every shard has something to add at a site that is split and whose products have `n_terms` terms, a multiple of 32.
    ///
    /// # Errors
    /// [`NumericsError::MoreShardsThanBlocks`].
    pub fn check_shards(&self, site: Site, n_terms: u32) -> Result<(), NumericsError> {
        let n_blocks = n_terms / 32;
        if self.shards > n_blocks {
            return Err(NumericsError::MoreShardsThanBlocks { site: site.name(), shards: self.shards, n_blocks });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::{Formats, Order};

    #[test]
    fn shards_cover_all_blocks_and_none_is_empty() {
        for n_shards in SHARD_COUNTS {
            for n_blocks in n_shards..100 {
                let shards: Vec<_> = (0..n_shards).map(|shard| shard_blocks(n_blocks, n_shards, shard)).collect();
                assert_eq!((shards[0].start, shards[shards.len() - 1].end), (0, n_blocks));
                assert!(shards.windows(2).all(|pair| pair[0].end == pair[1].start));
                let (least, most) = (n_blocks / n_shards, n_blocks.div_ceil(n_shards));
                assert!(shards.iter().all(|shard| (least..=most).contains(&(shard.end - shard.start))), "{shards:?}");
            }
        }
    }

    #[test]
    fn a_shard_without_a_block_is_refused() {
        let numerics = Numerics { shards: 4, ..Numerics::new(Formats::Int8, Order::Invariant, 64) };
        assert_eq!(numerics.check_shards(Site::FfnDown, 128), Ok(()));
        let refused = NumericsError::MoreShardsThanBlocks { site: "ffn_down", shards: 4, n_blocks: 3 };
        assert_eq!(numerics.check_shards(Site::FfnDown, 96), Err(refused));
    }
}
