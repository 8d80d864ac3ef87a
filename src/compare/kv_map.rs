//! How far the caches of two runs are apart, by layer and position, in three measures.

use serde::Serialize;

use crate::model::{KvLayerDifferences, KvPositionDifference};
use crate::numerics::KvFormat;

/// How far keys or values are apart, by layer and position.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct KvMapSide {
    /// Format that the cache rounds to.
    pub format: KvFormat,
    /// Most steps between two values, each to the next number of that format; of f32 where each block has a scale of its own.
    /// // [layer, position]
    pub largest_steps: Vec<Vec<u32>>,
    /// Share of values of which some bit differs. // [layer, position]
    pub share: Vec<Vec<f32>>,
    /// Length of the difference, as a vector, over that of the cold run's row. // [layer, position]
    pub relative_l2: Vec<Vec<f32>>,
}

/// How far the caches of two runs are apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct KvMap {
    /// Keys.
    pub k: KvMapSide,
    /// Values.
    pub v: KvMapSide,
}

impl KvMap {
    /// Of the differences of every layer, in a cache of rows of `kv_dim` values and these formats.
    pub(super) fn new(layers: &[KvLayerDifferences], kv_dim: u32, [k, v]: [KvFormat; 2]) -> Self {
        let side = |format, of: fn(&KvLayerDifferences) -> &Vec<KvPositionDifference>| KvMapSide {
            format,
            largest_steps: each(layers, of, |found| found.largest_steps),
            share: each(layers, of, |found| found.row.n_differing as f32 / kv_dim as f32),
            relative_l2: each(layers, of, |found| found.relative_l2),
        };
        Self { k: side(k, |layer| &layer.k), v: side(v, |layer| &layer.v) }
    }
}

/// One number of every layer's every position. // [layer, position]
fn each<T>(
    layers: &[KvLayerDifferences],
    of: fn(&KvLayerDifferences) -> &Vec<KvPositionDifference>,
    number: impl Fn(&KvPositionDifference) -> T,
) -> Vec<Vec<T>> {
    layers.iter().map(|layer| of(layer).iter().map(&number).collect()).collect()
}
