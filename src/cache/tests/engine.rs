//! The cache as the engine uses it, beside a list of token sequences that anyone can check by eye.

use super::PREFILL;
use crate::cache::provenance::mix;
use crate::cache::*;

/// The cache as the engine uses it: each slot of the memory stands for K and V, as a hash of all they were computed from.
pub(super) struct Engine {
    pub(super) index: KvCacheIndex,
    memory: Vec<[u64; BLOCK_TOKENS]>, // [n_blocks]
    pub(super) live: Vec<Sequence>,
    finished: Vec<(CacheKey, Vec<u32>)>, // the naive cache
    begun_before_reset: Vec<bool>,       // [live]
}

impl Engine {
    pub(super) fn new(n_blocks: u32) -> Self {
        Self {
            index: KvCacheIndex::new(n_blocks),
            memory: vec![[0; BLOCK_TOKENS]; n_blocks as usize],
            live: Vec::new(),
            finished: Vec::new(),
            begun_before_reset: Vec::new(),
        }
    }

    pub(super) fn begin(&mut self, key: CacheKey, prompt: &[u32], limit: usize) -> usize {
        let begin = self.index.begin_with_reuse_limit(key, prompt, limit).expect("a prompt");
        for copy in &begin.copies {
            let source = self.memory[copy.from.0 as usize];
            self.memory[copy.to.0 as usize][..copy.n_tokens].copy_from_slice(&source[..copy.n_tokens]);
        }
        assert_eq!(begin.sequence.len(), begin.reused_tokens);
        self.live.push(begin.sequence);
        self.begun_before_reset.push(false);
        begin.reused_tokens
    }

    /// Computes `ids` in one step of the live sequence `at`.
    pub(super) fn step(&mut self, at: usize, ids: &[u32]) -> Result<(), CacheError> {
        let sequence = &mut self.live[at];
        self.index.reserve(sequence, ids.len())?;
        let first = sequence.len();
        self.index.append(sequence, ids, PREFILL)?;
        for position in first..sequence.len() {
            let (block, offset) = sequence.slot(position).expect("reserved");
            self.memory[block.0 as usize][offset] = content(sequence.key, &sequence.tokens()[..=position]);
        }
        Ok(())
    }

    pub(super) fn finish(&mut self, at: usize) {
        let sequence = self.live.swap_remove(at);
        if !self.begun_before_reset.swap_remove(at) {
            self.finished.push((sequence.key, sequence.tokens().to_vec()));
        }
        self.index.finish(sequence).expect("live");
    }

    pub(super) fn abandon(&mut self, at: usize) {
        self.begun_before_reset.swap_remove(at);
        self.index.abandon(self.live.swap_remove(at)).expect("live");
    }

    pub(super) fn reset(&mut self) {
        self.index.reset().expect("consistent");
        self.finished.clear();
        self.begun_before_reset.fill(true);
    }

    /// Runs a prompt from begin to finish; the tokens reused.
    pub(super) fn run(&mut self, key: CacheKey, prompt: &[u32]) -> usize {
        let reused = self.begin(key, prompt, usize::MAX);
        let at = self.live.len() - 1;
        self.step(at, &prompt[reused..]).expect("room");
        self.check();
        self.finish(at);
        reused
    }

    /// Longest common prefix with anything finished, at most P - 1.
    pub(super) fn naive_reuse(&self, key: CacheKey, prompt: &[u32], limit: usize) -> usize {
        let same_key = self.finished.iter().filter(|(stored, _)| *stored == key);
        let common = same_key.map(|(_, ids)| ids.iter().zip(prompt).take_while(|(a, b)| a == b).count());
        common.max().unwrap_or(0).min(prompt.len() - 1).min(limit)
    }

    /// Cache identity of every live sequence, and the block count.
    pub(super) fn check(&self) {
        for sequence in &self.live {
            assert!(sequence.len() <= sequence.reserved_tokens());
            for position in 0..sequence.len() {
                let (block, offset) = sequence.slot(position).expect("written");
                let expected = content(sequence.key, &sequence.tokens()[..=position]);
                assert_eq!(self.memory[block.0 as usize][offset], expected, "position {position}");
            }
            for (index, block) in sequence.blocks().iter().enumerate() {
                let provenance = self.index.provenance(*block).expect("in use");
                let written: usize = provenance.spans.iter().map(|span| span.n_tokens).sum();
                let expected = sequence.len().saturating_sub(index * BLOCK_TOKENS).min(BLOCK_TOKENS);
                assert_eq!((provenance.key, written), (sequence.key, expected), "block {index}");
            }
        }
        let stats = self.index.stats();
        assert_eq!(stats.used_blocks + stats.free_blocks, stats.capacity_blocks);
    }

    /// Ends everything; no block may stay in use.
    pub(super) fn end(&mut self) {
        while !self.live.is_empty() {
            self.finish(0);
        }
        self.reset();
        let stats = self.index.stats();
        assert_eq!((stats.free_blocks, stats.cached_tokens), (stats.capacity_blocks, 0), "{stats:?}");
        assert_eq!(self.index.state_hash(), 0);
    }
}

/// What K and V of the last of these tokens stand for.
fn content(key: CacheKey, tokens: &[u32]) -> u64 {
    tokens.iter().fold(key.fold(), |hash, id| mix(hash, u64::from(*id)))
}
