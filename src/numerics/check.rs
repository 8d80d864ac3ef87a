//! Numerics that cannot be are refused when they are chosen, never later.

use super::{Numerics, Order, Reduction, SHARD_COUNTS, Site};

/// Most rows of one prefill step.
pub const MAX_CHUNK_ROWS: u32 = 256;

/// Why numerics cannot run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NumericsError {
    /// No rows, or more than one step takes.
    #[error("a prefill step of {found} rows: it must have 1 to {MAX_CHUNK_ROWS}")]
    ChunkRows {
        /// Rows asked for.
        found: u32,
    },
    /// A product over so many shards.
    #[error("products over {found} shards: it must be 1, 2, 4 or 8")]
    Shards {
        /// Shards asked for.
        found: u32,
    },
    /// A shard would have nothing to add.
    #[error("products of {site} over {shards} shards: they have only {n_blocks} blocks of 32 terms to share out")]
    MoreShardsThanBlocks {
        /// The site.
        site: &'static str,
        /// Shards asked for.
        shards: u32,
        /// Blocks of 32 terms of one product.
        n_blocks: u32,
    },
    /// The device's own subgroup sum in order invariant.
    #[error("a reduction by subgroup has no order that is known, so no site can be in order invariant")]
    SubgroupInInvariant,
    /// The device's own subgroup sum where kernels cannot use it.
    #[error("this device's kernels have no sum over a subgroup there")]
    NoSubgroupSum,
    /// Arithmetic that depends on the number of rows, in an order that must not, or that has but one kernel for all.
    #[error(
        "steps of few and of many rows have different arithmetic, which only order by-shape allows, and site {site} has order {order}"
    )]
    UnequalArithmetic {
        /// The first site in another order.
        site: &'static str,
        /// Its order.
        order: &'static str,
    },
}

impl NumericsError {
    /// Stable: programs decide by it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ChunkRows { .. } => "NUMERICS_CHUNK_ROWS",
            Self::Shards { .. } | Self::MoreShardsThanBlocks { .. } => "NUMERICS_SHARDS",
            Self::SubgroupInInvariant | Self::NoSubgroupSum => "NUMERICS_SUBGROUP",
            Self::UnequalArithmetic { .. } => "NUMERICS_ARITHMETIC",
        }
    }

    /// The combinations nearest to it that run.
    pub fn what_to_do(&self) -> String {
        match self {
            Self::ChunkRows { .. } => format!("Choose 1 to {MAX_CHUNK_ROWS} rows."),
            Self::Shards { .. } => "Choose 1, 2, 4 or 8 shards.".to_owned(),
            Self::MoreShardsThanBlocks { n_blocks, .. } => {
                let possible = SHARD_COUNTS.into_iter().filter(|shards| shards <= n_blocks);
                format!(
                    "For this model, choose {} shards.",
                    possible.map(|n| n.to_string()).collect::<Vec<_>>().join(" or ")
                )
            }
            Self::SubgroupInInvariant => {
                "Choose the reduction sequential, pairwise or workgroup-tree, or order by-shape at every site."
                    .to_owned()
            }
            Self::NoSubgroupSum => "Choose the reduction sequential, pairwise or workgroup-tree.".to_owned(),
            Self::UnequalArithmetic { .. } => {
                "Choose order by-shape, or the same arithmetic for steps of few and of many rows.".to_owned()
            }
        }
    }
}

impl Numerics {
    /// Whether these choices go together.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), NumericsError> {
        if !(1..=MAX_CHUNK_ROWS).contains(&self.chunk_rows) {
            return Err(NumericsError::ChunkRows { found: self.chunk_rows });
        }
        if !SHARD_COUNTS.contains(&self.shards) {
            return Err(NumericsError::Shards { found: self.shards });
        }
        let by_subgroup = self.norm == Reduction::Subgroup || self.softmax == Reduction::Subgroup;
        if by_subgroup && self.orders.any(Order::Invariant) {
            return Err(NumericsError::SubgroupInInvariant);
        }
        let ordered = Site::ALL.into_iter().find(|site| self.orders.of(*site) != Order::ByShape);
        if let (false, Some(site)) = (self.decode == self.prefill, ordered) {
            return Err(NumericsError::UnequalArithmetic { site: site.name(), order: self.orders.of(site).name() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::{ActivationFormat, Arithmetic, Formats, Orders};

    #[test]
    fn arithmetic_by_rows_goes_with_order_by_shape_alone() {
        let unequal = |order| {
            let numerics = Numerics::new(Formats::Float, order, 64);
            Numerics { prefill: Arithmetic::of(ActivationFormat::Int8), ..numerics }
        };
        assert_eq!(unequal(Order::ByShape).check(), Ok(()));
        for order in [Order::Invariant, Order::Vector, Order::Tiled] {
            for site in Site::ALL {
                let orders = Orders::all(Order::ByShape).with(site, order);
                let refused = NumericsError::UnequalArithmetic { site: site.name(), order: order.name() };
                assert_eq!(Numerics { orders, ..unequal(Order::ByShape) }.check(), Err(refused));
                assert_eq!(Numerics { orders, ..Numerics::new(Formats::Half, order, 64) }.check(), Ok(()));
            }
        }
    }

    #[test]
    fn chunks_have_rows_and_fit_a_step() {
        let check = |chunk_rows| Numerics::new(Formats::Int8, Order::ByShape, chunk_rows).check();
        for chunk_rows in [1, 64, MAX_CHUNK_ROWS] {
            assert_eq!(check(chunk_rows), Ok(()));
        }
        for found in [0, MAX_CHUNK_ROWS + 1, u32::MAX] {
            assert_eq!(check(found), Err(NumericsError::ChunkRows { found }));
        }
    }

    #[test]
    fn shards_are_a_power_of_two_up_to_eight() {
        for shards in 0..20 {
            let numerics = Numerics { shards, ..Numerics::new(Formats::Int8, Order::ByShape, 64) };
            let refused = Err(NumericsError::Shards { found: shards });
            assert_eq!(numerics.check(), if matches!(shards, 1 | 2 | 4 | 8) { Ok(()) } else { refused });
        }
    }

    #[test]
    fn an_order_of_the_device_s_own_is_not_invariant() {
        for order in [Order::ByShape, Order::Invariant, Order::Vector, Order::Tiled] {
            let plain = Numerics::new(Formats::Int8, order, 64);
            for numerics in
                [Numerics { norm: Reduction::Subgroup, ..plain }, Numerics { softmax: Reduction::Subgroup, ..plain }]
            {
                assert_eq!(numerics.check().is_err(), order == Order::Invariant, "{order:?}");
            }
            assert_eq!(Numerics { norm: Reduction::Pairwise, ..plain }.check(), Ok(()));
        }
    }
}
