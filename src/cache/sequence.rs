//! A live sequence: its tokens and the blocks that hold them.

use super::{BLOCK_TOKENS, BlockId, CacheKey};

/// The block table of a sequence that is being computed.
///
/// It holds a reference to each of its blocks, so it must go back through [`finish`](super::KvCacheIndex::finish) or
/// [`abandon`](super::KvCacheIndex::abandon); dropped elsewhere, its blocks stay in use until
/// [`invalidate`](super::KvCacheIndex::invalidate).
#[must_use = "give it back with `finish` or `abandon`, or its blocks stay in use"]
#[derive(Debug)]
pub struct Sequence {
    pub(super) key: CacheKey,
    pub(super) tokens: Vec<u32>,     // the ids whose K and V are in the blocks
    pub(super) blocks: Vec<BlockId>, // at least ceil(tokens / BLOCK_TOKENS)
    pub(super) generation: u64,      // of the index's contents: ends with `invalidate`
    pub(super) resets: u64,          // of the prefix tree when the sequence began
}

impl Sequence {
    /// Tokens whose K and V are in the cache.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// True before anything was reused or computed.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The ids whose K and V are in the cache, `[len]`.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// The block table: block `i` holds positions `16 i .. 16 i + 16`. Blocks past `len` are reserved.
    pub fn blocks(&self) -> &[BlockId] {
        &self.blocks
    }

    /// Block and offset of a position, for any position with a block, written or reserved.
    pub fn slot(&self, position: usize) -> Option<(BlockId, usize)> {
        let block = self.blocks.get(position / BLOCK_TOKENS)?;
        Some((*block, position % BLOCK_TOKENS))
    }

    /// Tokens that fit into the blocks.
    pub fn reserved_tokens(&self) -> usize {
        self.blocks.len().saturating_mul(BLOCK_TOKENS)
    }
}

/// A copy of the first tokens of a block, in every layer, K and V.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockCopy {
    /// The cached block.
    pub from: BlockId,
    /// The sequence's own block.
    pub to: BlockId,
    /// Tokens that match, `1..BLOCK_TOKENS`; the rest of `to` is not read before it is written.
    pub n_tokens: usize,
}

/// A sequence that has just begun.
#[derive(Debug)]
pub struct Begin {
    /// Its blocks hold the first `reused_tokens` tokens of the prompt.
    pub sequence: Sequence,
    /// The exposure: prompt tokens that need no computing, at most `P - 1`.
    pub reused_tokens: usize,
    /// Copies (none or one) to record before any later write to the cache: the source is free to be evicted by the next call.
    /// A GPU queue runs in the order of recording, so recording it at once suffices.
    pub copies: Vec<BlockCopy>,
}
