// What both attention kernels know. Rust twin: gpu::step::AttentionShape.
struct AttentionShape {
    n_heads: u32,
    n_kv_heads: u32,
    part_splits: u32,  // splits that fit into `parts` per row and head
    scale: f32,        // 1 / sqrt(head_dim)
}

const HEAD_QUADS: u32 = HEAD_DIM / 4u;
const PART_QUADS: u32 = HEAD_QUADS + 1u;  // the weighted values, then (maximum, sum of exponentials, -, -)
const TILE: u32 = 64u;
const MASKED: f32 = -1e30;

// How many keys one split of a row covers. fixed_splits: always one 64-key tile at an absolute position. Otherwise the count of splits
// follows the number of keys, as engines choose it for speed.
fn split_len(n_keys: u32) -> u32 {
    let n_splits = clamp((n_keys + 31u) / 32u, 1u, max(step.max_splits, 1u));
    return select((n_keys + n_splits - 1u) / n_splits, TILE, step.fixed_splits == 1u);
}

fn part_index(row: u32, head: u32, split: u32) -> u32 {
    return ((row * shape.n_heads + head) * shape.part_splits + split) * PART_QUADS;
}
