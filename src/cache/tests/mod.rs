//! The index over a simulated memory: small cases by hand here, random ones in `properties`.

mod engine;
mod properties;

use super::*;
use engine::Engine;

const KEYS: [CacheKey; 3] = [
    key(1, 1),
    key(1, 2), // other numerics
    key(2, 1), // another model
];

const PREFILL: Written =
    Written { request: 1, chunk_rows: 64, matmul_kernel: "matmul_tiled", attention_kernel: "attention" };

const fn key(model: u8, numerics: u8) -> CacheKey {
    CacheKey { model: [model; 32], numerics: [numerics; 32] }
}

fn ids(range: std::ops::Range<usize>) -> Vec<u32> {
    range.map(|id| u32::try_from(id).expect("small")).collect()
}

#[test]
fn every_reuse_length_around_block_edges() {
    for reused in [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65] {
        for prompt_len in [reused + 1, reused + 2, reused + 16, reused + 40] {
            // Cached: the common part alone; the common part and more; and the whole prompt, capped by the limit.
            let prompt = ids(0..prompt_len);
            for n_more in [0, 1, 16, 30] {
                let mut engine = Engine::new(64);
                let mut cached = prompt[..reused].to_vec();
                cached.extend(vec![9999; n_more]);
                if !cached.is_empty() {
                    engine.run(KEYS[0], &cached);
                }
                assert_eq!(engine.run(KEYS[0], &prompt), reused, "of {prompt_len}, {n_more} more cached");
                engine.end();
            }
            let mut engine = Engine::new(64);
            engine.run(KEYS[0], &prompt);
            assert_eq!(engine.begin(KEYS[0], &prompt, reused), reused);
            assert_eq!(engine.begin(KEYS[0], &prompt, usize::MAX), prompt_len - 1);
            engine.check();
            engine.end();
        }
    }
}

#[test]
fn whole_blocks_are_shared_and_a_partial_one_is_copied() {
    let mut index = KvCacheIndex::new(8);
    let mut first = index.begin(KEYS[0], &ids(0..40)).expect("a prompt").sequence;
    index.reserve(&mut first, 40).expect("room");
    index.append(&mut first, &ids(0..40), PREFILL).expect("reserved");
    let blocks = first.blocks().to_vec();
    index.finish(first).expect("live");

    let second = index.begin(KEYS[0], &ids(0..40)).expect("a prompt");
    assert_eq!(second.reused_tokens, 39);
    assert_eq!(second.sequence.blocks()[..2], blocks[..2]);
    let copy = BlockCopy { from: blocks[2], to: second.sequence.blocks()[2], n_tokens: 7 };
    assert_eq!(second.copies, [copy]);
    assert_ne!(copy.from, copy.to);
    let spans = [WriteSpan { first_offset: 0, n_tokens: 7, written: PREFILL }];
    assert_eq!(index.provenance(copy.to).expect("in use").spans, spans);
    index.abandon(second.sequence).expect("live");
    assert_eq!(index.stats().used_blocks, 3);
}

#[test]
fn other_numerics_and_other_models_never_match() {
    let mut engine = Engine::new(16);
    engine.run(KEYS[0], &ids(0..40));
    assert_eq!(engine.run(KEYS[1], &ids(0..40)), 0);
    assert_eq!(engine.run(KEYS[2], &ids(0..40)), 0);
    assert_eq!(engine.run(KEYS[0], &ids(0..40)), 39);
}

#[test]
fn the_least_recently_used_leaf_goes_first_and_live_blocks_stay() {
    let mut engine = Engine::new(4);
    let prompts = [ids(0..17), ids(100..116), ids(200..216)]; // 2 + 1 + 1 blocks
    for prompt in &prompts {
        engine.run(KEYS[0], prompt);
    }
    assert_eq!(engine.index.stats().free_blocks, 0);
    let reuse = |engine: &mut Engine, prompt: &[u32]| {
        let begin = engine.index.begin(KEYS[0], &[prompt, &[7]].concat()).expect("a prompt");
        let reused = begin.reused_tokens;
        engine.index.abandon(begin.sequence).expect("live");
        reused
    };
    assert_eq!(reuse(&mut engine, &prompts[1]), 16); // now the newest
    engine.run(KEYS[0], &ids(300..316)); // takes the leaf of the first prompt, not its first block
    assert_eq!(engine.index.stats().evictions, 1);
    assert_eq!(engine.naive_reuse(KEYS[0], &[&prompts[0][..], &[7]].concat(), usize::MAX), 17);
    // Looked at last, so that the looking does not change the order.
    engine.run(KEYS[0], &ids(400..416)); // takes the rest of the first prompt
    engine.run(KEYS[0], &ids(500..516)); // takes the third
    assert_eq!(engine.index.stats().evictions, 3);
    assert_eq!(reuse(&mut engine, &prompts[0]), 0);
    assert_eq!(reuse(&mut engine, &prompts[2]), 0);
    assert_eq!(reuse(&mut engine, &prompts[1]), 16);

    engine.begin(KEYS[0], &ids(400..417), usize::MAX);
    let held = engine.live[0].blocks().to_vec();
    assert_eq!(held.len(), 1);
    assert_eq!(
        engine.step(0, &ids(0..64)),
        Err(CacheError::OutOfBlocks { needed_blocks: 4, available_blocks: 3, capacity_blocks: 4 })
    );
    assert_eq!(engine.index.stats().evictions, 3, "nothing is evicted for a reservation that fails");
    engine.step(0, &ids(0..48)).expect("three blocks can be evicted");
    assert_eq!(engine.live[0].blocks()[0], held[0]);
    engine.check();
    engine.end();
}

#[test]
fn a_full_cache_recomputes_a_partial_block_that_it_cannot_copy() {
    let mut engine = Engine::new(1);
    engine.run(KEYS[0], &ids(0..10));
    assert_eq!(engine.begin(KEYS[0], &ids(0..12), usize::MAX), 0);
    engine.step(0, &ids(0..12)).expect("the cached block is evicted now");
    assert_eq!(engine.index.stats().evictions, 1);
    engine.check();
    engine.end();
}

#[test]
fn an_empty_pool_gives_errors_and_no_blocks() {
    let mut index = KvCacheIndex::new(0);
    assert_eq!(index.begin(KEYS[0], &[]).map(|_| ()), Err(CacheError::EmptyPrompt));
    let mut sequence = index.begin(KEYS[0], &[1]).expect("a prompt").sequence;
    assert!(matches!(index.reserve(&mut sequence, 1), Err(CacheError::OutOfBlocks { .. })));
    assert!(matches!(index.reserve(&mut sequence, usize::MAX), Err(CacheError::OutOfBlocks { .. })));
    let not_reserved = CacheError::NotReserved { reserved_tokens: 0, needed_tokens: 1 };
    assert_eq!(index.append(&mut sequence, &[1], PREFILL), Err(not_reserved));
    assert_eq!(index.append(&mut sequence, &[], PREFILL), Ok(()));
    assert_eq!(index.provenance(BlockId(0)), Err(CacheError::NotInUse { block: 0 }));
    assert_eq!(index.finish(sequence), Ok(()));
}

#[test]
fn nothing_written_before_a_reset_is_reused_after_it() {
    let mut engine = Engine::new(16);
    engine.run(KEYS[0], &ids(0..20));
    engine.begin(KEYS[0], &ids(0..40), usize::MAX);
    engine.reset();
    engine.step(0, &ids(20..40)).expect("room");
    engine.check();
    engine.finish(0);
    assert_eq!(engine.run(KEYS[0], &ids(0..40)), 0);
    engine.end();
}

#[test]
fn sequences_of_another_index_or_of_lost_contents_are_stale() {
    let mut index = KvCacheIndex::new(4);
    let mut other = KvCacheIndex::new(4);
    let mut sequence = index.begin(KEYS[0], &[1, 2]).expect("a prompt").sequence;
    index.reserve(&mut sequence, 2).expect("room");
    assert_eq!(other.reserve(&mut sequence, 2), Err(CacheError::StaleSequence));
    index.invalidate();
    assert_eq!(index.append(&mut sequence, &[1], PREFILL), Err(CacheError::StaleSequence));
    assert_eq!(index.finish(sequence), Err(CacheError::StaleSequence));
    assert_eq!(index.stats().free_blocks, 4);
}

#[test]
fn a_block_hash_is_kept_until_the_block_changes() {
    let mut index = KvCacheIndex::new(1);
    assert_eq!(index.set_block_hash(BlockId(0), [1; 4]), Err(CacheError::NotInUse { block: 0 }));
    let mut sequence = index.begin(KEYS[0], &[1, 2]).expect("a prompt").sequence;
    index.reserve(&mut sequence, 2).expect("room");
    index.append(&mut sequence, &[1], PREFILL).expect("reserved");
    index.set_block_hash(BlockId(0), [1; 4]).expect("in use");
    assert_eq!(index.provenance(BlockId(0)).expect("in use").hash, Some([1; 4]));
    index.append(&mut sequence, &[2], PREFILL).expect("reserved");
    assert_eq!(index.provenance(BlockId(0)).expect("in use").hash, None);
    index.finish(sequence).expect("live");
}

#[test]
fn the_state_hash_tells_contents_and_writers_apart_but_not_requests() {
    let state = |tokens: &[u32], written: Written| {
        let mut index = KvCacheIndex::new(8);
        let mut sequence = index.begin(KEYS[0], tokens).expect("a prompt").sequence;
        index.reserve(&mut sequence, tokens.len()).expect("room");
        index.append(&mut sequence, tokens, written).expect("reserved");
        index.finish(sequence).expect("live");
        index.state_hash()
    };
    let plain = state(&ids(0..20), PREFILL);
    assert_eq!(plain, state(&ids(0..20), Written { request: 9, ..PREFILL }));
    assert_ne!(plain, state(&ids(0..21), PREFILL));
    assert_ne!(plain, state(&ids(0..20), Written { chunk_rows: 1, ..PREFILL }));
}

#[test]
fn an_abandoned_sequence_leaves_the_shared_blocks_cached() {
    let mut engine = Engine::new(8);
    engine.run(KEYS[0], &ids(0..32));
    let before = engine.index.state_hash();
    engine.begin(KEYS[0], &ids(0..60), usize::MAX);
    engine.step(0, &ids(32..60)).expect("room");
    engine.abandon(0);
    assert_eq!(engine.index.state_hash(), before);
    assert_eq!(engine.run(KEYS[0], &ids(0..60)), 32);
    engine.end();
}

#[test]
fn blocks_reserved_and_never_written_are_free_after_the_end() {
    for ends in [KvCacheIndex::finish, KvCacheIndex::abandon] {
        let mut index = KvCacheIndex::new(8);
        let mut sequence = index.begin(KEYS[0], &ids(0..10)).expect("a prompt").sequence;
        index.reserve(&mut sequence, 100).expect("room");
        index.append(&mut sequence, &ids(0..10), PREFILL).expect("reserved");
        ends(&mut index, sequence).expect("live");
        let stats = index.stats();
        assert_eq!(stats.used_blocks, stats.cached_tokens.div_ceil(BLOCK_TOKENS));
    }
}
