//! Joining neighbours until nothing joins: the loop that both kinds of vocabulary share.
//!
//! The pair that comes first in `join`'s order is joined first, the leftmost of equals before the others. The work
//! grows with n log n in the number of symbols, whatever the text.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::TokenId;

/// "No neighbour" in [`Symbol::previous`] and [`Symbol::next`].
const NONE: u32 = u32::MAX;

/// A piece of a text: at first a character or a byte, later what was joined from several.
#[derive(Debug, Clone, Copy)]
pub(super) struct Symbol {
    /// Where it begins, in bytes.
    pub(super) start: u32,
    /// Its length in bytes; 0 once it is part of its left neighbour.
    pub(super) len: u32,
    /// The token that it is, if it is one.
    pub(super) id: Option<TokenId>,
    previous: u32,
    next: u32,
}

impl Symbol {
    /// The symbol's bytes within the text that it was made from.
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

/// Adds a symbol of `len` bytes after the last one.
pub(super) fn push_symbol(symbols: &mut Vec<Symbol>, len: usize, id: Option<TokenId>) {
    let position = symbols.len() as u32;
    let (start, previous) = match symbols.last_mut() {
        Some(last) => {
            last.next = position;
            (last.start + last.len, position - 1)
        }
        None => (0, NONE),
    };
    symbols.push(Symbol { start, len: len as u32, id, previous, next: NONE });
}

/// Joins neighbours. `join` says for a left and a right symbol which token they become, and how early (lowest first).
pub(super) fn merge_all<Priority: Ord>(
    symbols: &mut Vec<Symbol>,
    join: impl Fn(&Symbol, &Symbol) -> Option<(Priority, TokenId)>,
) {
    // Priority, the left symbol, the bytes of both (a pair that has changed since has more), and what they become.
    let mut queue = BinaryHeap::new();
    let add = |queue: &mut BinaryHeap<_>, symbols: &[Symbol], left: u32, right: u32| {
        if left == NONE || right == NONE {
            return;
        }
        let (first, second) = (&symbols[left as usize], &symbols[right as usize]);
        if let Some((priority, id)) = join(first, second) {
            queue.push(Reverse((priority, left, first.len + second.len, id)));
        }
    };
    for right in 1..symbols.len() as u32 {
        add(&mut queue, symbols, right - 1, right);
    }
    while let Some(Reverse((_, left, len, id))) = queue.pop() {
        let Symbol { len: left_len, next: right, previous, .. } = symbols[left as usize];
        if left_len == 0 || right == NONE || left_len + symbols[right as usize].len != len {
            continue;
        }
        let after = symbols[right as usize].next;
        symbols[right as usize].len = 0;
        let joined = &mut symbols[left as usize];
        (joined.len, joined.id, joined.next) = (len, Some(id), after);
        if let Some(after) = symbols.get_mut(after as usize) {
            after.previous = left;
        }
        add(&mut queue, symbols, previous, left);
        add(&mut queue, symbols, left, after);
    }
    symbols.retain(|symbol| symbol.len > 0);
}
