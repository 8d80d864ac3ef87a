// Which of several equal logits comes first: the first in the lanes of an argmax, of which lane i looks at the ids i, i + 64, …. Rust twin: numerics::TieRule::rank.
fn tie_rank(id: u32) -> u32 {
    return ((id % 64u) << 24u) | (id / 64u);
}
