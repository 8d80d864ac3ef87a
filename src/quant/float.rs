//! What formats share whose numbers are floats of their own, a block each.

use super::{BLOCK_LEN, Block};

/// 32 numbers of `LEN` bytes each.
pub(super) fn numbers<const LEN: usize>(bytes: &[u8], number: fn([u8; LEN]) -> f32) -> Block {
    let (numbers, _) = bytes.as_chunks();
    Block::Floats(std::array::from_fn::<f32, BLOCK_LEN, _>(|i| number(numbers[i])))
}
