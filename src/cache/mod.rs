//! The KV cache's bookkeeping: which block of the GPU pool holds the keys and values of which tokens.
//!
//! A block holds [`BLOCK_TOKENS`] consecutive tokens of one sequence, in every layer.
//! [`KvCacheIndex`] is the whole interface: it hands out blocks to a live [`Sequence`], keeps the blocks of finished ones in a
//! prefix tree over token ids, and lets a later prompt reuse the longest cached prefix.
//! This module never touches the GPU: the caller records the copies it is told to make and writes the blocks it is given.
//!
//! What holds at all times:
//! - *Cache identity*: slot `i` of a sequence holds the keys and values of `tokens[i]` computed after exactly `tokens[..i]`,
//!   under one [`CacheKey`].
//! - *Reuse is token-exact*: whole blocks are shared by reference count; a partly matching block is copied, never shared.
//! - *One token is always run*: at most `P - 1` of `P` prompt tokens are reused, or there would be no logits.
//! - *Eviction* takes the least recently used leaf that no live sequence holds, and nothing else.
//! - *What is reused depends on what is cached, not on the order in which it came*: among equally long matches the one with the
//!   smallest token ids is taken, so [`KvCacheIndex::state_hash`] describes all that a run can inherit.

mod block_pool;
mod index;
mod prefix_tree;
mod provenance;
mod sequence;
mod stats;
#[cfg(all(test, not(target_arch = "wasm32")))] // proptest is native
mod tests;

pub use block_pool::BlockId;
pub use index::KvCacheIndex;
pub use provenance::{CacheKey, Provenance, WriteSpan, Written};
pub use sequence::{Begin, BlockCopy, Sequence};
pub use stats::CacheStats;

/// Tokens in one block of the KV cache.
pub const BLOCK_TOKENS: usize = 16;

/// Everything that can go wrong with the cache's bookkeeping.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CacheError {
    /// A prompt must have at least one token, or there is nothing to compute logits from.
    #[error("the prompt has no tokens")]
    EmptyPrompt,
    /// The blocks asked for are more than are free or could be evicted; nothing was evicted or allocated.
    #[error(
        "the KV cache has no room: {needed_blocks} more blocks of {BLOCK_TOKENS} tokens needed, {available_blocks} available of {capacity_blocks}"
    )]
    OutOfBlocks {
        /// Blocks that the call needed beyond those the sequence has.
        needed_blocks: usize,
        /// Blocks free, or held by the prefix tree alone.
        available_blocks: usize,
        /// Blocks in the pool.
        capacity_blocks: usize,
    },
    /// Tokens were appended for which no block had been reserved.
    #[error("the sequence has room for {reserved_tokens} tokens, {needed_tokens} needed: reserve first")]
    NotReserved {
        /// Tokens that fit into the sequence's blocks.
        reserved_tokens: usize,
        /// Tokens after the append.
        needed_tokens: usize,
    },
    /// The sequence belongs to another index, or was begun before the contents were invalidated.
    #[error("the sequence's blocks are no longer part of this cache")]
    StaleSequence,
    /// The block is free or out of range.
    #[error("block {block} holds nothing")]
    NotInUse {
        /// The block's number.
        block: u32,
    },
    /// A bug in this module: its reference counts or links contradict each other.
    #[error("cache accounting is inconsistent: {what}")]
    Accounting {
        /// The contradiction.
        what: &'static str,
    },
}

/// The error for a contradiction in our own bookkeeping: stops a debug build, is typed in a release build.
fn accounting(what: &'static str) -> CacheError {
    debug_assert!(false, "cache accounting is inconsistent: {what}");
    CacheError::Accounting { what }
}
