//! The prefix tree: which token sequences are cached, one block a node.
//!
//! A node holds 1 to [`BLOCK_TOKENS`] ids; only a full node has children. No node's ids are a prefix of a sibling's, so the
//! longest match is found by going down, one block at a time. Nodes live in an arena and are linked by index.
//! The tree keeps no reference counts: its owner releases the blocks it hands back.

use std::collections::BTreeMap;

use super::provenance::mix;
use super::{BLOCK_TOKENS, BlockId, CacheError, CacheKey, accounting};

/// Index of a node in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(usize);

/// Where a node hangs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parent {
    Root(CacheKey),
    Node(NodeId),
}

#[derive(Debug)]
struct Node {
    parent: Parent,
    tokens: Vec<u32>, // [1..=BLOCK_TOKENS]
    block: BlockId,
    children: Vec<NodeId>, // ascending by tokens
    last_used: u64,
    path_hash: u64, // of the key and of every token and writer down to here
}

/// The longest cached prefix of some tokens.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PrefixMatch {
    /// Blocks that match whole.
    pub(super) whole: Vec<BlockId>,
    /// The block in which the match ends, and how many of its tokens match.
    pub(super) partial: Option<(BlockId, usize)>,
}

/// What became of a block offered to the tree.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Insertion {
    /// The tree holds the block now; a shorter block that it makes redundant is handed back.
    Added { node: NodeId, replaced: Option<BlockId> },
    /// These tokens were cached already; the tree keeps its own block.
    Present { node: NodeId },
}

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct PrefixTree {
    nodes: Vec<Option<Node>>,
    unused: Vec<NodeId>,
    roots: BTreeMap<CacheKey, Vec<NodeId>>, // ascending by tokens
    n_tokens: usize,
    state_hash: u64, // wrapping sum over the nodes' path hashes: independent of order
}

impl PrefixTree {
    /// Finds the longest cached prefix of `tokens` and marks it as used at `tick`.
    pub(super) fn longest_match(&mut self, key: CacheKey, tokens: &[u32], tick: u64) -> PrefixMatch {
        let mut found = PrefixMatch::default();
        let mut parent = Parent::Root(key);
        let mut rest = tokens;
        while !rest.is_empty() {
            let mut best = None;
            let mut best_len = 0;
            for id in self.children(parent) {
                let len = self.node(*id).map_or(0, |node| common_prefix(&node.tokens, rest));
                // Strictly longer: of equal matches the one with the smallest ids wins, whatever came first.
                if best_len < len {
                    (best, best_len) = (Some(*id), len);
                }
            }
            let Some(node) = best.and_then(|id| self.node_mut(id)) else {
                break;
            };
            node.last_used = tick;
            if best_len < BLOCK_TOKENS {
                found.partial = Some((node.block, best_len));
                break;
            }
            found.whole.push(node.block);
            parent = best.map_or(parent, Parent::Node);
            rest = &rest[best_len..];
        }
        found
    }

    /// Offers a block that holds `tokens` (1 to [`BLOCK_TOKENS`]) below `parent`.
    /// `writers` is a hash of how they were written.
    pub(super) fn insert(
        &mut self,
        parent: Parent,
        tokens: &[u32],
        block: BlockId,
        writers: u64,
        tick: u64,
    ) -> Result<Insertion, CacheError> {
        let parent_hash = match parent {
            Parent::Root(key) => key.fold(),
            Parent::Node(id) => match self.node(id) {
                Some(node) if node.tokens.len() == BLOCK_TOKENS => node.path_hash,
                _ => return Err(accounting("a block was inserted below a partial one")),
            },
        };
        let mut shorter = None;
        for &id in self.children(parent) {
            let Some(sibling) = self.node(id) else {
                continue;
            };
            if sibling.tokens.starts_with(tokens) {
                if let Some(sibling) = self.node_mut(id) {
                    sibling.last_used = tick;
                }
                return Ok(Insertion::Present { node: id });
            }
            if tokens.starts_with(&sibling.tokens) {
                shorter = Some(id); // at most one: two would be prefixes of each other
            }
        }
        let replaced = match shorter {
            Some(id) => Some(self.remove(id)?),
            None => None,
        };

        let hash = tokens.iter().fold(parent_hash, |hash, id| mix(hash, u64::from(*id)));
        let node = self.store(Node {
            parent,
            tokens: tokens.to_vec(),
            block,
            children: Vec::new(),
            last_used: tick,
            path_hash: mix(hash, writers),
        });
        let at = self
            .children(parent)
            .partition_point(|id| self.node(*id).is_some_and(|sibling| sibling.tokens.as_slice() < tokens));
        match parent {
            Parent::Root(key) => self.roots.entry(key).or_default().insert(at, node),
            Parent::Node(id) => {
                if let Some(parent) = self.node_mut(id) {
                    parent.children.insert(at, node);
                }
            }
        }
        Ok(Insertion::Added { node, replaced })
    }

    /// Removes the least recently used leaf whose block `is_idle`, and hands its block back.
    pub(super) fn evict(&mut self, is_idle: impl Fn(BlockId) -> bool) -> Result<Option<BlockId>, CacheError> {
        let leaves = self.iter().filter(|(_, node)| node.children.is_empty() && is_idle(node.block));
        let oldest = leaves.min_by_key(|(id, node)| (node.last_used, *id)).map(|(id, _)| id);
        oldest.map(|id| self.remove(id)).transpose()
    }

    /// Empties the tree and hands all its blocks back.
    pub(super) fn clear(&mut self) -> Vec<BlockId> {
        let blocks = self.blocks().collect();
        *self = Self::default();
        blocks
    }

    /// The blocks of all nodes.
    pub(super) fn blocks(&self) -> impl Iterator<Item = BlockId> {
        self.iter().map(|(_, node)| node.block)
    }

    pub(super) fn n_tokens(&self) -> usize {
        self.n_tokens
    }

    pub(super) fn state_hash(&self) -> u64 {
        self.state_hash
    }

    fn iter(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter_map(|(index, node)| Some((NodeId(index), node.as_ref()?)))
    }

    fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0)?.as_ref()
    }

    fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(id.0)?.as_mut()
    }

    fn children(&self, parent: Parent) -> &[NodeId] {
        match parent {
            Parent::Root(key) => self.roots.get(&key).map_or(&[], Vec::as_slice),
            Parent::Node(id) => self.node(id).map_or(&[], |node| node.children.as_slice()),
        }
    }

    fn store(&mut self, node: Node) -> NodeId {
        self.n_tokens += node.tokens.len();
        self.state_hash = self.state_hash.wrapping_add(node.path_hash);
        match self.unused.pop() {
            Some(id) => {
                self.nodes[id.0] = Some(node);
                id
            }
            None => {
                self.nodes.push(Some(node));
                NodeId(self.nodes.len() - 1)
            }
        }
    }

    fn remove(&mut self, id: NodeId) -> Result<BlockId, CacheError> {
        let node = match self.nodes.get_mut(id.0) {
            Some(slot) if slot.as_ref().is_some_and(|node| node.children.is_empty()) => slot.take(),
            _ => None,
        };
        let Some(node) = node else {
            return Err(accounting("a node with children was removed"));
        };
        self.unused.push(id);
        self.n_tokens -= node.tokens.len();
        self.state_hash = self.state_hash.wrapping_sub(node.path_hash);
        match node.parent {
            Parent::Root(key) => {
                if let Some(roots) = self.roots.get_mut(&key) {
                    roots.retain(|child| *child != id);
                    if roots.is_empty() {
                        self.roots.remove(&key);
                    }
                }
            }
            Parent::Node(parent) => {
                if let Some(parent) = self.node_mut(parent) {
                    parent.children.retain(|child| *child != id);
                }
            }
        }
        Ok(node.block)
    }
}

fn common_prefix(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: CacheKey = CacheKey { model: [1; 32], numerics: [1; 32] };

    fn add(tree: &mut PrefixTree, tokens: &[u32], block: u32) -> Insertion {
        tree.insert(Parent::Root(KEY), tokens, BlockId(block), 0, 1).expect("valid")
    }

    #[test]
    fn a_longer_block_replaces_a_shorter_one_and_not_the_reverse() {
        let mut tree = PrefixTree::default();
        assert!(matches!(add(&mut tree, &[1, 2], 0), Insertion::Added { replaced: None, .. }));
        assert!(matches!(add(&mut tree, &[1, 2, 3], 1), Insertion::Added { replaced: Some(BlockId(0)), .. }));
        assert!(matches!(add(&mut tree, &[1, 2], 2), Insertion::Present { .. }));
        assert!(matches!(add(&mut tree, &[1, 2, 3], 2), Insertion::Present { .. }));
        assert_eq!((tree.n_tokens(), tree.blocks().collect::<Vec<_>>()), (3, vec![BlockId(1)]));
    }

    #[test]
    fn equal_matches_are_settled_by_ids_not_by_arrival() {
        for order in [[4, 7], [7, 4]] {
            let mut tree = PrefixTree::default();
            for last in order {
                add(&mut tree, &[1, 2, last], last);
            }
            let found = tree.longest_match(KEY, &[1, 2, 5, 6], 2);
            assert_eq!(found.partial, Some((BlockId(4), 2)), "inserted in the order {order:?}");
        }
    }

    #[test]
    fn the_state_hash_is_a_function_of_the_contents() {
        let mut first = PrefixTree::default();
        add(&mut first, &[1, 2], 0);
        add(&mut first, &[3], 1);
        let mut second = PrefixTree::default();
        add(&mut second, &[3], 5);
        add(&mut second, &[9], 6);
        add(&mut second, &[1, 2], 7);
        assert_ne!(first.state_hash(), second.state_hash());
        assert_eq!(second.evict(|block| block == BlockId(6)), Ok(Some(BlockId(6))));
        assert_eq!(first.state_hash(), second.state_hash());
        assert_eq!(first.clear().len(), 2);
        assert_eq!(first.state_hash(), PrefixTree::default().state_hash());
    }
}
