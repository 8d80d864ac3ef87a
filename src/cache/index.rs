//! [`KvCacheIndex`]: the pool, the prefix tree and each block's provenance behind one interface.

use std::sync::atomic::{AtomicU64, Ordering};

use super::block_pool::BlockPool;
use super::prefix_tree::{Insertion, Parent, PrefixTree};
use super::stats::{CacheStats, Counters};
use super::{BLOCK_TOKENS, Begin, BlockCopy, BlockId, CacheError, CacheKey, Provenance, Sequence, Written, accounting};

/// Source of generations: unique over all indexes, so that no index takes another's sequence for its own.
static NEXT_GENERATION: AtomicU64 = AtomicU64::new(1);

/// Bookkeeping of one KV cache. See the module's text for what holds at all times.
///
/// No call panics. After any error but [`CacheError::Accounting`], the index and a borrowed sequence are as they were before the call.
#[derive(Debug)]
pub struct KvCacheIndex {
    pool: BlockPool,
    tree: PrefixTree,
    provenance: Vec<Option<Provenance>>, // [capacity], None for free blocks
    generation: u64,
    resets: u64,
    tick: u64, // one per use of the tree: orders its nodes by last use
    counters: Counters,
}

impl KvCacheIndex {
    /// An empty cache of `n_blocks` blocks of [`BLOCK_TOKENS`] tokens.
    pub fn new(n_blocks: u32) -> Self {
        Self {
            pool: BlockPool::new(n_blocks),
            tree: PrefixTree::default(),
            provenance: vec![None; n_blocks as usize],
            generation: next_generation(),
            resets: 0,
            tick: 0,
            counters: Counters::default(),
        }
    }

    /// Begins a sequence with the longest cached prefix of the prompt, at most `P - 1` tokens of it.
    ///
    /// The copy's target is the only block allocated; where there is no room for it, the partly matching block is recomputed.
    ///
    /// # Errors
    /// [`CacheError::EmptyPrompt`].
    pub fn begin(&mut self, key: CacheKey, prompt: &[u32]) -> Result<Begin, CacheError> {
        self.begin_with_reuse_limit(key, prompt, usize::MAX)
    }

    /// [`begin`](Self::begin) with at most `max_reused_tokens` tokens reused, so that any reuse length can be studied; 0 is a cold run.
    ///
    /// # Errors
    /// [`CacheError::EmptyPrompt`].
    pub fn begin_with_reuse_limit(
        &mut self,
        key: CacheKey,
        prompt: &[u32],
        max_reused_tokens: usize,
    ) -> Result<Begin, CacheError> {
        let Some(max_reused) = prompt.len().checked_sub(1) else {
            return Err(CacheError::EmptyPrompt);
        };
        let max_reused = max_reused.min(max_reused_tokens);
        let tick = self.next_tick();
        let found = self.tree.longest_match(key, &prompt[..max_reused], tick);

        let mut blocks = found.whole;
        for block in &blocks {
            self.pool.retain(*block)?;
        }
        let mut reused_tokens = blocks.len() * BLOCK_TOKENS;
        let mut copies = Vec::new();
        if let Some((from, n_tokens)) = found.partial
            && let Some(to) = self.copy_target(from, n_tokens)?
        {
            blocks.push(to);
            reused_tokens += n_tokens;
            copies.push(BlockCopy { from, to, n_tokens });
        }

        self.counters.lookups += 1;
        self.counters.hits += u64::from(0 < reused_tokens);
        self.counters.reused_tokens += reused_tokens as u64;
        self.counters.copied_blocks += copies.len() as u64;
        let sequence = Sequence {
            key,
            tokens: prompt[..reused_tokens].to_vec(),
            blocks,
            generation: self.generation,
            resets: self.resets,
        };
        Ok(Begin { sequence, reused_tokens, copies })
    }

    /// Gives the sequence blocks for `n_new_tokens` more tokens than it has, evicting where needed. All or nothing.
    ///
    /// # Errors
    /// [`CacheError::OutOfBlocks`], [`CacheError::StaleSequence`].
    pub fn reserve(&mut self, sequence: &mut Sequence, n_new_tokens: usize) -> Result<(), CacheError> {
        self.check_current(sequence)?;
        let n_blocks = sequence.len().saturating_add(n_new_tokens).div_ceil(BLOCK_TOKENS);
        let needed_blocks = n_blocks.saturating_sub(sequence.blocks.len());
        let available_blocks = self.available_blocks();
        if available_blocks < needed_blocks {
            return Err(CacheError::OutOfBlocks {
                needed_blocks,
                available_blocks,
                capacity_blocks: self.pool.capacity(),
            });
        }
        for _ in 0..needed_blocks {
            let Some(block) = self.allocate(Provenance::new(sequence.key))? else {
                return Err(accounting("an available block could not be evicted"));
            };
            sequence.blocks.push(block);
        }
        Ok(())
    }

    /// Notes that K and V of the next tokens were written into the sequence's blocks.
    ///
    /// # Errors
    /// [`CacheError::NotReserved`], [`CacheError::StaleSequence`].
    pub fn append(&mut self, sequence: &mut Sequence, ids: &[u32], written: Written) -> Result<(), CacheError> {
        self.check_current(sequence)?;
        let needed_tokens = sequence.len().saturating_add(ids.len());
        if sequence.reserved_tokens() < needed_tokens {
            return Err(CacheError::NotReserved { reserved_tokens: sequence.reserved_tokens(), needed_tokens });
        }
        let mut rest = ids;
        while !rest.is_empty() {
            let Some((block, offset)) = sequence.slot(sequence.len()) else {
                return Err(accounting("a reserved slot has no block"));
            };
            if self.pool.references(block) != 1 {
                return Err(accounting("a shared block was written"));
            }
            let Some(Some(provenance)) = self.provenance.get_mut(block.0 as usize) else {
                return Err(accounting("a block in use has no provenance"));
            };
            let (now, later) = rest.split_at(rest.len().min(BLOCK_TOKENS - offset));
            provenance.push(now.len(), written);
            sequence.tokens.extend_from_slice(now);
            rest = later;
        }
        Ok(())
    }

    /// Ends a sequence and keeps what it computed for later prompts; a cancelled run's tokens are as good as any.
    ///
    /// Where the tree has the same tokens already, its block is kept and the sequence's is freed.
    /// A sequence begun before the last [`reset`](Self::reset) leaves nothing behind.
    ///
    /// # Errors
    /// [`CacheError::StaleSequence`]: the sequence had no blocks in this cache any more.
    pub fn finish(&mut self, sequence: Sequence) -> Result<(), CacheError> {
        self.check_current(&sequence)?;
        if sequence.resets != self.resets {
            return self.abandon(sequence);
        }
        let tick = self.next_tick();
        let mut parent = Parent::Root(sequence.key);
        let mut tokens = sequence.tokens.chunks(BLOCK_TOKENS);
        for block in sequence.blocks {
            let Some(tokens) = tokens.next() else {
                self.release(block)?; // reserved, never written
                continue;
            };
            let writers = self.provenance(block)?.fold_into(0);
            let node = match self.tree.insert(parent, tokens, block, writers, tick)? {
                Insertion::Added { node, replaced } => {
                    if let Some(replaced) = replaced {
                        self.release(replaced)?;
                    }
                    node
                }
                Insertion::Present { node } => {
                    self.release(block)?;
                    node
                }
            };
            parent = Parent::Node(node);
        }
        Ok(())
    }

    /// Ends a sequence and keeps nothing that only it held: for a step that failed, or contents not to be trusted.
    ///
    /// # Errors
    /// [`CacheError::StaleSequence`]: the sequence had no blocks in this cache any more.
    pub fn abandon(&mut self, sequence: Sequence) -> Result<(), CacheError> {
        self.check_current(&sequence)?;
        sequence.blocks.into_iter().try_for_each(|block| self.release(block))
    }

    /// Forgets every cached prefix. Live sequences go on, but nothing written before the reset is reused after it.
    ///
    /// # Errors
    /// Only [`CacheError::Accounting`].
    pub fn reset(&mut self) -> Result<(), CacheError> {
        self.resets += 1;
        self.tree.clear().into_iter().try_for_each(|block| self.release(block))
    }

    /// Forgets everything, live sequences too: the contents are gone (a lost device) or wrong.
    /// Every sequence begun before is stale afterwards.
    pub fn invalidate(&mut self) {
        let capacity = self.provenance.len();
        self.pool.free_all();
        self.tree.clear();
        self.provenance = vec![None; capacity];
        self.generation = next_generation();
    }

    /// Who wrote the block.
    ///
    /// # Errors
    /// [`CacheError::NotInUse`].
    pub fn provenance(&self, block: BlockId) -> Result<&Provenance, CacheError> {
        let provenance = self.provenance.get(block.0 as usize).and_then(Option::as_ref);
        provenance.ok_or(CacheError::NotInUse { block: block.0 })
    }

    /// Stores the hash of the block's contents. The next write to the block drops it.
    ///
    /// # Errors
    /// [`CacheError::NotInUse`].
    pub fn set_block_hash(&mut self, block: BlockId, hash: [u32; 4]) -> Result<(), CacheError> {
        let provenance = self.provenance.get_mut(block.0 as usize).and_then(Option::as_mut);
        provenance.ok_or(CacheError::NotInUse { block: block.0 })?.hash = Some(hash);
        Ok(())
    }

    /// Occupancy and counters.
    pub fn stats(&self) -> CacheStats {
        CacheStats {
            capacity_blocks: self.pool.capacity(),
            free_blocks: self.pool.n_free(),
            used_blocks: self.pool.capacity() - self.pool.n_free(),
            cached_tokens: self.tree.n_tokens(),
            lookups: self.counters.lookups,
            hits: self.counters.hits,
            reused_tokens: self.counters.reused_tokens,
            copied_blocks: self.counters.copied_blocks,
            evictions: self.counters.evictions,
        }
    }

    /// A hash of all that a new sequence could reuse: keys, token ids, and which kernels wrote them in steps of how many rows.
    /// It depends neither on block numbers nor on requests nor on the order of arrival; 0 when nothing is cached. Constant time.
    pub fn state_hash(&self) -> u64 {
        self.tree.state_hash()
    }

    /// Blocks that are free or held by the tree alone. A sequence holds the whole path to each of its shared blocks, so every
    /// node that it does not hold can be evicted, leaves first.
    fn available_blocks(&self) -> usize {
        let idle = self.tree.blocks().filter(|block| self.pool.references(*block) == 1);
        self.pool.n_free() + idle.count()
    }

    /// A block for a copy of the first `n_tokens` of `from`, or `None` when there is no room.
    fn copy_target(&mut self, from: BlockId, n_tokens: usize) -> Result<Option<BlockId>, CacheError> {
        let provenance = self.provenance(from)?.prefix(n_tokens);
        self.pool.retain(from)?; // making room for the target must not evict the source
        let to = self.allocate(provenance)?;
        self.release(from)?;
        Ok(to)
    }

    /// A free block, or the least recently used one, or `None` when live sequences hold everything.
    fn allocate(&mut self, provenance: Provenance) -> Result<Option<BlockId>, CacheError> {
        if self.pool.n_free() == 0 {
            let pool = &self.pool;
            let Some(evicted) = self.tree.evict(|block| pool.references(block) == 1)? else {
                return Ok(None);
            };
            self.release(evicted)?;
            self.counters.evictions += 1;
        }
        let block = self.pool.allocate()?;
        if let Some(block) = block
            && let Some(slot) = self.provenance.get_mut(block.0 as usize)
        {
            *slot = Some(provenance);
        }
        Ok(block)
    }

    fn release(&mut self, block: BlockId) -> Result<(), CacheError> {
        if self.pool.release(block)?
            && let Some(slot) = self.provenance.get_mut(block.0 as usize)
        {
            *slot = None;
        }
        Ok(())
    }

    fn check_current(&self, sequence: &Sequence) -> Result<(), CacheError> {
        if sequence.generation == self.generation { Ok(()) } else { Err(CacheError::StaleSequence) }
    }

    fn next_tick(&mut self) -> u64 {
        self.tick += 1;
        self.tick
    }
}

fn next_generation() -> u64 {
    NEXT_GENERATION.fetch_add(1, Ordering::Relaxed)
}
