//! A fixed number of blocks with reference counts and a free list.
//!
//! The pool knows no tokens: the prefix tree holds one reference to each of its blocks, every live sequence one to each of its own.

use super::{CacheError, accounting};

/// Number of a block in the pool's GPU buffers, `0..capacity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

/// Reference counts and the free list.
#[derive(Debug)]
pub(super) struct BlockPool {
    capacity: u32,
    references: Vec<u32>, // [capacity], 0 = free
    free: Vec<BlockId>,   // a stack, so that the same calls always give the same blocks
}

impl BlockPool {
    pub(super) fn new(capacity: u32) -> Self {
        Self { capacity, references: vec![0; capacity as usize], free: (0..capacity).rev().map(BlockId).collect() }
    }

    pub(super) fn capacity(&self) -> usize {
        self.references.len()
    }

    pub(super) fn n_free(&self) -> usize {
        self.free.len()
    }

    /// References to a block; 0 for a free block or one out of range.
    pub(super) fn references(&self, block: BlockId) -> u32 {
        self.references.get(block.0 as usize).copied().unwrap_or(0)
    }

    /// Drops every reference.
    pub(super) fn free_all(&mut self) {
        *self = Self::new(self.capacity);
    }

    /// Takes a free block with one reference, or `None` when there is none.
    pub(super) fn allocate(&mut self) -> Result<Option<BlockId>, CacheError> {
        let Some(block) = self.free.pop() else {
            return Ok(None);
        };
        match self.references.get_mut(block.0 as usize) {
            Some(count) if *count == 0 => *count = 1,
            _ => return Err(accounting("a block on the free list is in use")),
        }
        Ok(Some(block))
    }

    /// Adds a reference to a block that is in use.
    pub(super) fn retain(&mut self, block: BlockId) -> Result<(), CacheError> {
        match self.references.get_mut(block.0 as usize) {
            Some(count) if 0 < *count && *count < u32::MAX => {
                *count += 1;
                Ok(())
            }
            _ => Err(accounting("a reference was added to a free block")),
        }
    }

    /// Drops a reference; true when it was the last and the block is free now.
    pub(super) fn release(&mut self, block: BlockId) -> Result<bool, CacheError> {
        match self.references.get_mut(block.0 as usize) {
            Some(count) if 0 < *count => {
                *count -= 1;
                let is_free = *count == 0;
                if is_free {
                    self.free.push(block);
                }
                Ok(is_free)
            }
            _ => Err(accounting("a free block was released")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_in_order_and_return_with_the_last_reference() {
        let mut pool = BlockPool::new(2);
        assert_eq!(pool.allocate(), Ok(Some(BlockId(0))));
        assert_eq!(pool.allocate(), Ok(Some(BlockId(1))));
        assert_eq!(pool.allocate(), Ok(None));
        pool.retain(BlockId(0)).expect("in use");
        assert_eq!(pool.release(BlockId(0)), Ok(false));
        assert_eq!(pool.release(BlockId(0)), Ok(true));
        assert_eq!(pool.references(BlockId(0)), 0);
        assert_eq!(pool.references(BlockId(99)), 0);
        assert_eq!((pool.n_free(), pool.capacity()), (1, 2));
        pool.free_all();
        assert_eq!((pool.n_free(), pool.allocate()), (2, Ok(Some(BlockId(0)))));
    }
}
