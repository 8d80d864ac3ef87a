//! Random operations: a roomy cache against the list, a small one for safety.

use proptest::prelude::*;

use super::KEYS;
use super::engine::Engine;
use crate::cache::CacheError;

#[derive(Clone, Debug)]
enum Operation {
    /// A prompt that continues the first `cut` tokens of an earlier one.
    Begin {
        key: usize,
        earlier: usize,
        cut: usize,
        suffix: Vec<u32>,
        limit: usize,
    },
    Step {
        at: usize,
        ids: Vec<u32>,
    },
    Reserve {
        at: usize,
        n_tokens: usize,
    },
    Finish {
        at: usize,
    },
    Abandon {
        at: usize,
    },
    Reset,
}

fn operation() -> impl Strategy<Value = Operation> {
    let few_ids = |max| prop::collection::vec(0u32..3, 1..max);
    let limit = prop_oneof![4 => Just(usize::MAX), 1 => 0usize..40];
    prop_oneof![
        6 => (prop_oneof![4 => Just(0usize), 1 => 0usize..3], 0usize..64, 0usize..70, few_ids(40), limit).prop_map(
            |(key, earlier, cut, suffix, limit)| Operation::Begin { key, earlier, cut, suffix, limit }
        ),
        8 => (0usize..64, few_ids(36)).prop_map(|(at, ids)| Operation::Step { at, ids }),
        1 => (0usize..64, 0usize..80).prop_map(|(at, n_tokens)| Operation::Reserve { at, n_tokens }),
        5 => (0usize..64).prop_map(|at| Operation::Finish { at }),
        1 => (0usize..64).prop_map(|at| Operation::Abandon { at }),
        1 => Just(Operation::Reset),
    ]
}

/// Runs the operations. `is_roomy`: nothing is ever evicted, so reuse must equal the naive cache's; otherwise it is at most that.
fn check_operations(n_blocks: u32, is_roomy: bool, operations: Vec<Operation>) {
    let mut engine = Engine::new(n_blocks);
    let mut prompts: Vec<Vec<u32>> = Vec::new();
    let mut rests: Vec<Vec<u32>> = Vec::new(); // [live]: prompt tokens still to compute
    for operation in operations {
        let n_live = engine.live.len();
        match operation {
            Operation::Begin { key, earlier, cut, suffix, limit } => {
                let mut prompt = match prompts.len() {
                    0 => Vec::new(),
                    n => prompts[earlier % n].iter().copied().take(cut).collect(),
                };
                prompt.extend(suffix);
                let expected = engine.naive_reuse(KEYS[key], &prompt, limit);
                let reused = engine.begin(KEYS[key], &prompt, limit);
                if is_roomy {
                    assert_eq!(reused, expected, "prompt {prompt:?}");
                } else {
                    assert!(reused <= expected, "reused {reused} of at most {expected}");
                }
                rests.push(prompt[reused..].to_vec());
                prompts.push(prompt);
            }
            Operation::Step { at, ids } if 0 < n_live => {
                let at = at % n_live;
                // The prompt first, in chunks of the step's size, then the step's own ids.
                let ids = match rests[at].len() {
                    0 => ids,
                    n => rests[at].drain(..n.min(ids.len())).collect(),
                };
                let before = (engine.live[at].blocks().to_vec(), engine.index.stats());
                match engine.step(at, &ids) {
                    Ok(()) => {}
                    Err(CacheError::OutOfBlocks { needed_blocks, available_blocks, .. }) => {
                        assert!(!is_roomy && available_blocks < needed_blocks);
                        assert_eq!(before, (engine.live[at].blocks().to_vec(), engine.index.stats()));
                        engine.abandon(at);
                        rests.swap_remove(at);
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            Operation::Reserve { at, n_tokens } if 0 < n_live => {
                let reserved = engine.index.reserve(&mut engine.live[at % n_live], n_tokens);
                assert!(reserved.is_ok() || !is_roomy && matches!(reserved, Err(CacheError::OutOfBlocks { .. })));
            }
            Operation::Finish { at } if 0 < n_live => {
                engine.finish(at % n_live);
                rests.swap_remove(at % n_live);
            }
            Operation::Abandon { at } if 0 < n_live => {
                engine.abandon(at % n_live);
                rests.swap_remove(at % n_live);
            }
            Operation::Reset => engine.reset(),
            Operation::Step { .. }
            | Operation::Reserve { .. }
            | Operation::Finish { .. }
            | Operation::Abandon { .. } => {}
        }
        engine.check();
    }
    if is_roomy {
        assert_eq!(engine.index.stats().evictions, 0);
    }
    engine.end();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_roomy_cache_reuses_exactly_what_a_list_of_sequences_would(
        operations in prop::collection::vec(operation(), 1..60)
    ) {
        check_operations(1024, true, operations);
    }

    #[test]
    fn a_small_cache_evicts_but_never_mixes_up_contents(
        n_blocks in 0u32..24,
        operations in prop::collection::vec(operation(), 1..80)
    ) {
        check_operations(n_blocks, false, operations);
    }
}
