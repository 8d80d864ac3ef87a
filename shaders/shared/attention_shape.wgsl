// What both attention kernels know. Rust twin: gpu::step::AttentionShape.
struct AttentionShape {
    n_heads: u32,
    n_kv_heads: u32,
    part_splits: u32,  // splits that fit into `parts` per row and head
    scale: f32,        // 1 / sqrt(head_dim)
    window: u32,       // keys that a row sees at most: its own and those right before
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

const HEAD_QUADS: u32 = HEAD_DIM / 4u;
const PART_QUADS: u32 = HEAD_QUADS + 1u;  // the weighted values, then (maximum, sum of exponentials, -, -)
const TILE: u32 = 64u;
const MASKED: f32 = -1e30;

// The keys of a row at a position that one split covers: begin to end - 1.
struct SplitKeys {
    begin: u32,
    end: u32,
}

// The first key that a row of n_keys keys sees.
fn first_key(n_keys: u32) -> u32 {
    return n_keys - min(n_keys, shape.window);
}

// Where the first split's stretch of keys starts. fixed_splits: the 64-key tile at an absolute position that holds the first key.
fn first_split(n_keys: u32) -> u32 {
    let first = first_key(n_keys);
    return select(first, first / TILE * TILE, step.fixed_splits == 1u);
}

// How many keys one split's stretch is long. fixed_splits: always one 64-key tile. Otherwise the count of splits follows the number of
// keys that the row sees, as engines choose it for speed.
fn split_len(n_keys: u32) -> u32 {
    let n_seen = n_keys - first_key(n_keys);
    let n_splits = clamp((n_seen + 31u) / 32u, 1u, max(step.max_splits, 1u));
    return select((n_seen + n_splits - 1u) / n_splits, TILE, step.fixed_splits == 1u);
}

fn split_count(n_keys: u32) -> u32 {
    let len = split_len(n_keys);
    return (n_keys - first_split(n_keys) + len - 1u) / len;
}

// Of the first stretch only the keys that the row sees; a split beyond the last has none.
fn split_keys(n_keys: u32, split: u32) -> SplitKeys {
    let len = split_len(n_keys);
    let begin = first_split(n_keys) + split * len;
    return SplitKeys(max(begin, first_key(n_keys)), min(begin + len, n_keys));
}

fn part_index(row: u32, head: u32, split: u32) -> u32 {
    return ((row * shape.n_heads + head) * shape.part_splits + split) * PART_QUADS;
}
