//! Which kernels run: the family by what the device is, the kernel by how many rows a step has.
//!
//! This is the only place where a row count chooses a kernel, and so the place where cold and warm part:
//! in order `by-shape` few rows get the vector kernel and many the tiled one, and the two add in different orders.

use serde::Serialize;

use crate::numerics::{Arithmetic, Numerics, Order};

/// A set of kernels that suits one kind of device. All families add in the same orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "KernelFamily"))]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Software adapters: one subgroup (or one thread) is a task, no barriers.
    CpuAdapter,
    /// Hardware with subgroups: slices of K over threads, exchange by shuffles.
    GpuSubgroup,
    /// Hardware without: exchange through workgroup memory.
    GpuPlain,
}

/// How the eight quads of a block of 32 lie on threads (a file `lanes_*.wgsl` each).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lanes {
    /// A subgroup of eight is a task.
    Subgroup8,
    /// A subgroup of four is a task.
    Subgroup4,
    /// A thread is a task.
    Alone,
    /// Eight lanes of a wider subgroup are a task.
    Shuffle8,
    /// A workgroup of eight threads is a task.
    Workgroup,
}

impl Family {
    /// The family for a device, from what the adapter says of itself. `smallest_subgroup` is 0 where kernels must not use subgroups;
    /// shuffles among eight lanes need subgroups that never have fewer.
    pub fn for_adapter(software: bool, smallest_subgroup: u32) -> Self {
        match (software, smallest_subgroup) {
            (true, _) => Self::CpuAdapter,
            (false, 8..) => Self::GpuSubgroup,
            (false, _) => Self::GpuPlain,
        }
    }

    /// How this family lays blocks on threads, given the device's fixed subgroup size if kernels may use subgroups.
    pub fn lanes(self, subgroup_size: Option<u32>) -> Lanes {
        match (self, subgroup_size) {
            (Self::CpuAdapter, Some(8)) => Lanes::Subgroup8,
            (Self::CpuAdapter, Some(4)) => Lanes::Subgroup4,
            (Self::CpuAdapter, _) => Lanes::Alone,
            (Self::GpuSubgroup, _) => Lanes::Shuffle8,
            (Self::GpuPlain, _) => Lanes::Workgroup,
        }
    }
}

/// Rows up to which the vector kernel runs.
pub const VECTOR_ROWS: u32 = 4;

/// The kernel that a step of `n_rows` rows runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KernelShape {
    /// K sliced over lanes, one row at a time.
    Vector,
    /// Several rows at a time.
    Tiled,
}

impl KernelShape {
    /// The kernel that `order` runs for `n_rows` rows.
    pub fn for_rows(order: Order, n_rows: u32) -> Self {
        match order {
            Order::Vector => Self::Vector,
            Order::Tiled => Self::Tiled,
            Order::ByShape | Order::Invariant if n_rows <= VECTOR_ROWS => Self::Vector,
            Order::ByShape | Order::Invariant => Self::Tiled,
        }
    }
}

/// One thing for the steps of few rows and one for those of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerShape<T> {
    /// For few rows.
    pub vector: T,
    /// For many.
    pub tiled: T,
}

impl<T> PerShape<T> {
    /// The one of this shape.
    pub fn get(&self, shape: KernelShape) -> &T {
        match shape {
            KernelShape::Vector => &self.vector,
            KernelShape::Tiled => &self.tiled,
        }
    }

    /// What `make` makes of each.
    pub fn map<U>(&self, make: impl Fn(&T) -> U) -> PerShape<U> {
        PerShape { vector: make(&self.vector), tiled: make(&self.tiled) }
    }
}

impl PerShape<Arithmetic> {
    /// The arithmetic of steps by their rows.
    pub fn of(numerics: &Numerics) -> Self {
        Self { vector: numerics.decode, tiled: numerics.prefill }
    }
}

/// The shape whose arithmetic a step of `n_rows` rows has, in all that stands between its matrix products.
pub fn step_shape(n_rows: u32) -> KernelShape {
    KernelShape::for_rows(Order::ByShape, n_rows)
}

/// Into how many contiguous slices `order` cuts a dot product of `k` terms (a multiple of 32) in the kernel of `shape`.
///
/// By shape, the vector kernel slices K as hardware spreads it over lanes and the tiled kernel adds it in one go;
/// `invariant` slices by K alone.
pub fn slices(order: Order, shape: KernelShape, k: u32) -> u32 {
    match (order, shape) {
        (Order::Invariant, _) | (_, KernelShape::Vector) => slices_of(k),
        (_, KernelShape::Tiled) => 1,
    }
}

/// The largest divisor of K/32 that is at most 8.
pub fn slices_of(k: u32) -> u32 {
    let n_blocks = k / 32;
    (1..=8).rev().find(|s| n_blocks.is_multiple_of(*s)).unwrap_or(1)
}

/// How attention cuts a row's keys into splits: `(fixed, most)`. Fixed: tiles of 64 at absolute positions. Otherwise the count
/// follows the KV length, up to `most`.
pub fn attention_splits(order: Order, n_rows: u32) -> (bool, u32) {
    match (order, KernelShape::for_rows(order, n_rows)) {
        (Order::Invariant, _) => (true, 0),
        (_, KernelShape::Vector) => (false, 8),
        (_, KernelShape::Tiled) => (false, 1),
    }
}

/// Splits of a row with `n_keys` keys, of which a window may hide the first (the shader's `split_count`, for sizing the grid).
pub fn n_splits(fixed: bool, most: u32, n_keys: u32, window: Option<u32>) -> u32 {
    let n_seen = window.map_or(n_keys, |window| n_keys.min(window));
    if fixed {
        return n_keys.div_ceil(64) - (n_keys - n_seen) / 64;
    }
    let wanted = most.min(n_seen.div_ceil(32)).max(1);
    n_seen.div_ceil(n_seen.div_ceil(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_follow_k_alone_in_the_invariant_order() {
        for (k, s) in [(32, 1), (576, 6), (640, 5), (1024, 8), (1536, 8), (2048, 8), (64, 2), (32 * 13, 1)] {
            assert_eq!(slices_of(k), s, "K = {k}");
            assert_eq!(
                slices(Order::Invariant, KernelShape::Vector, k),
                slices(Order::Invariant, KernelShape::Tiled, k)
            );
        }
        assert_eq!(slices(Order::ByShape, KernelShape::Tiled, 576), 1);
        for n_rows in [1, 4, 5, 64] {
            let forced =
                [Order::Vector, Order::Tiled].map(|order| slices(order, KernelShape::for_rows(order, n_rows), 576));
            assert_eq!(forced, [6, 1], "{n_rows} rows");
        }
    }

    #[test]
    fn shuffles_among_eight_lanes_run_only_where_every_subgroup_has_eight() {
        let families = [(true, 4), (true, 0), (false, 32), (false, 8), (false, 4), (false, 0)]
            .map(|(s, n)| Family::for_adapter(s, n));
        use Family::{CpuAdapter, GpuPlain, GpuSubgroup};
        assert_eq!(families, [CpuAdapter, CpuAdapter, GpuSubgroup, GpuSubgroup, GpuPlain, GpuPlain]);
    }

    #[test]
    fn a_window_has_the_tiles_that_it_touches_or_as_many_splits_as_a_short_sequence() {
        for (n_keys, n) in [(1, 1), (512, 8), (513, 9), (575, 9), (576, 8), (577, 9), (701, 9)] {
            assert_eq!(n_splits(true, 0, n_keys, Some(512)), n, "{n_keys} keys");
        }
        assert_eq!(n_splits(false, 8, 10_000, Some(100)), n_splits(false, 8, 100, None));
        assert_eq!(n_splits(false, 1, 10_000, Some(100)), 1);
    }

    #[test]
    fn splits_cover_all_keys_and_none_is_empty() {
        for n_keys in 1..2000 {
            for (fixed, most) in [(true, 0), (false, 8), (false, 1)] {
                let n = n_splits(fixed, most, n_keys, None);
                let len = if fixed { 64 } else { n_keys.div_ceil(most.min(n_keys.div_ceil(32)).max(1)) };
                assert!(n * len >= n_keys && (n - 1) * len < n_keys, "{n_keys} keys, {n} splits of {len}");
            }
        }
    }
}
