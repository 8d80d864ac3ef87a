// The shape of one matrix product, written once at load. Rust twin: gpu::step::Shape (a test compares the layouts).
struct Shape {
    n_blocks: u32,          // K / 32
    first_block: u32,       // what the kernel adds: blocks first_block to end_block of K, which is all of it or one shard
    end_block: u32,
    blocks_per_slice: u32,  // in slices of this many blocks: (end_block - first_block) / S
    n_tasks: u32,           // groups of PANELS panels of 32 output rows
    q_dim: u32,             // qkv only: n_heads * head_dim
    kv_dim: u32,            // qkv only: n_kv_heads * head_dim
    inverse_dim: f32,       // 1 / embedding_dim
    norm_eps: f32,
    first_task: u32,        // the matrix's first panel among those of its site: Q, K and V, or the parts of embedding and head
    shard: u32,             // partial only: which part this is
    n_shards: u32,          // ring_sum only: how many there are
    row_tasks: u32,         // output only: tasks of a row of logits, over all parts of the head
    embedding_scale: f32,   // scaled embedding only: its factor
    unused_0: u32,
    unused_1: u32,
}
