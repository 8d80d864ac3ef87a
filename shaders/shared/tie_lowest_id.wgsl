// Which of several equal logits comes first: the lowest id. Rust twin: numerics::TieRule::rank.
fn tie_rank(id: u32) -> u32 {
    return id;
}
