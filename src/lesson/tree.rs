//! A tree of additions, and its words in postfix as the kernel reads them.

use serde::Deserialize;

use crate::reference::tree_sum::ADD;

/// A number by its place, or the sum of two trees. In JSON `[[0, 1], 2]` adds the first two numbers, then the third.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(untagged)]
pub enum Tree {
    /// A number.
    Leaf(u32),
    /// Left and right.
    Sum(Box<(Tree, Tree)>),
}

impl Tree {
    /// Appends the tree's words.
    pub(super) fn push_words(&self, words: &mut Vec<u32>) {
        match self {
            Self::Leaf(leaf) => words.push(*leaf),
            Self::Sum(both) => {
                both.0.push_words(words);
                both.1.push_words(words);
                words.push(ADD);
            }
        }
    }

    /// The numbers that it adds, from left to right.
    pub(super) fn leaves(&self) -> Vec<u32> {
        let mut words = Vec::new();
        self.push_words(&mut words);
        words.retain(|word| *word != ADD);
        words
    }
}

/// The words of the sum of `leaves` one after another.
pub(super) fn push_sequence(leaves: impl IntoIterator<Item = u32>, words: &mut Vec<u32>) {
    for (i, leaf) in leaves.into_iter().enumerate() {
        words.push(leaf);
        if i > 0 {
            words.push(ADD);
        }
    }
}

/// The words of the sum of `n` numbers from `first` on, halves added alike.
pub(super) fn push_pairwise(first: u32, n: u32, words: &mut Vec<u32>) {
    if n == 1 {
        return words.push(first);
    }
    push_pairwise(first, n.div_ceil(2), words);
    push_pairwise(first + n.div_ceil(2), n / 2, words);
    words.push(ADD);
}

/// Calls `each` with every order of the numbers from 0 to `n`, in lexical order.
pub(super) fn each_order(n: u32, mut each: impl FnMut(&[u32])) {
    let mut order: Vec<u32> = (0..n).collect();
    loop {
        each(&order);
        // The next one: the last ascent is raised by as little as can be, and what follows is put in ascending order.
        let Some(at) = order.windows(2).rposition(|pair| pair[0] < pair[1]) else { return };
        let larger = order.iter().rposition(|number| *number > order[at]).unwrap_or(at + 1);
        order.swap(at, larger);
        order[at + 1..].reverse();
    }
}
