//! How full the cache is and what it has done.

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) lookups: u64,
    pub(super) hits: u64,
    pub(super) reused_tokens: u64,
    pub(super) copied_blocks: u64,
    pub(super) evictions: u64,
}

/// How full the cache is, and what it has done since it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheStats {
    /// Blocks in the pool.
    pub capacity_blocks: usize,
    /// Blocks that hold nothing.
    pub free_blocks: usize,
    /// Blocks held by the prefix tree, by live sequences or by both.
    pub used_blocks: usize,
    /// Tokens in the prefix tree.
    pub cached_tokens: usize,
    /// Sequences begun.
    pub lookups: u64,
    /// Sequences that reused at least one token.
    pub hits: u64,
    /// Tokens reused, over all sequences.
    pub reused_tokens: u64,
    /// Partly matching blocks copied.
    pub copied_blocks: u64,
    /// Blocks taken from the prefix tree to make room.
    pub evictions: u64,
}
