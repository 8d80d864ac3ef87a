//! Keys and values of some sequences, in blocks of 16 positions that each sequence's table puts in order, as the GPU's cache holds them.

use super::TwinRow;

/// Positions of one cache block.
pub(super) const BLOCK_POSITIONS: usize = 16;

/// Keys and values of some sequences, as the cache returns them.
#[derive(Clone, Debug, PartialEq)]
pub struct TwinCache {
    layers: Vec<LayerCache>, // [layer], each of them [n_cache_blocks, 16, kv_dim]
    tables: Vec<Vec<usize>>, // [sequence][position / 16]
    kv_dim: usize,           // n_kv_heads * head_dim
}

/// Keys and values of one layer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerCache {
    /// Keys; `[position, n_kv_heads * head_dim]`.
    pub k: Vec<f32>,
    /// Values; `[position, n_kv_heads * head_dim]`.
    pub v: Vec<f32>,
}

impl TwinCache {
    /// Zeroed blocks, and sequences whose tables are empty.
    pub fn new(n_layers: usize, kv_dim: usize, n_cache_blocks: usize, n_sequences: usize) -> Self {
        // Each buffer by itself: the system hands out zeroed memory only where it is first written.
        let zeros = || vec![0.0; n_cache_blocks * BLOCK_POSITIONS * kv_dim];
        let layers = (0..n_layers).map(|_| LayerCache { k: zeros(), v: zeros() }).collect();
        Self { layers, tables: vec![Vec::new(); n_sequences], kv_dim }
    }

    /// Sets where `sequence`'s positions lie: its blocks in order, from block `first` on.
    pub fn set_block_table(&mut self, sequence: usize, first: usize, blocks: &[u32]) {
        let table = &mut self.tables[sequence];
        table.resize(table.len().max(first + blocks.len()), 0);
        for (entry, block) in table[first..].iter_mut().zip(blocks) {
            *entry = *block as usize;
        }
    }

    /// Copies one block to another in every layer.
    pub fn copy_block(&mut self, from: usize, to: usize) {
        let block_len = BLOCK_POSITIONS * self.kv_dim;
        for values in self.layers.iter_mut().flat_map(|layer| [&mut layer.k, &mut layer.v]) {
            values.copy_within(from * block_len..(from + 1) * block_len, to * block_len);
        }
    }

    /// Keys and values of a sequence's first `n_positions` positions in one layer.
    pub fn keys_values(&self, sequence: usize, layer: usize, n_positions: usize) -> LayerCache {
        let LayerCache { k, v } = &self.layers[layer];
        let gather = |values: &[f32]| {
            let rows = (0..n_positions).map(|position| self.slot(sequence, position) * self.kv_dim);
            rows.flat_map(|begin| &values[begin..][..self.kv_dim]).copied().collect()
        };
        LayerCache { k: gather(k), v: gather(v) }
    }

    pub(super) fn write(&mut self, layer: usize, rows: &[TwinRow], k: &[f32], v: &[f32]) {
        let kv_dim = self.kv_dim;
        for (i, row) in rows.iter().enumerate() {
            let begin = self.slot(row.sequence, row.position) * kv_dim;
            let layer = &mut self.layers[layer];
            layer.k[begin..][..kv_dim].copy_from_slice(&k[i * kv_dim..][..kv_dim]);
            layer.v[begin..][..kv_dim].copy_from_slice(&v[i * kv_dim..][..kv_dim]);
        }
    }

    fn slot(&self, sequence: usize, position: usize) -> usize {
        self.tables[sequence][position / BLOCK_POSITIONS] * BLOCK_POSITIONS + position % BLOCK_POSITIONS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_lie_where_the_table_says_and_a_copied_block_holds_the_same() {
        let mut cache = TwinCache::new(2, 1, 5, 2);
        cache.set_block_table(1, 0, &[3, 0]);
        let rows: Vec<TwinRow> = (0..18).map(|position| TwinRow { sequence: 1, position, token_id: 0 }).collect();
        let k: Vec<f32> = (0..18).map(|i| i as f32).collect();
        let v: Vec<f32> = k.iter().map(|k| -k).collect();
        cache.write(1, &rows, &k, &v);
        assert_eq!(cache.keys_values(1, 1, 18), LayerCache { k: k.clone(), v });
        assert_eq!(cache.layers[1].k[3 * 16..4 * 16], k[..16]);
        assert_eq!(cache.layers[1].k[..2], [16.0, 17.0]);
        assert_eq!(cache.keys_values(1, 0, 18).k, [0.0; 18], "the other layer is as it was");

        cache.copy_block(0, 4);
        cache.set_block_table(1, 1, &[4]);
        cache.layers[1].k[0] = 99.0;
        assert_eq!(cache.keys_values(1, 1, 18).k, k);
    }
}
