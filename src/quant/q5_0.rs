//! Q5_0: 32 signed numbers of 5 bits times one f16 scale.
//!
//! | bytes | what |
//! |---|---|
//! | 0-1 | scale `d`, f16 |
//! | 2-5 | bit `i` of this word is the upper bit of `q[i]` |
//! | 6-21 | byte `j` holds the lower four bits of `q[j]` in its low half and of `q[j + 16]` in its high half |
//!
//! Number `i` is `d * (q[i] - 16)`. Kernels read the nibbles as they are, then the upper bits as [`packing::bits`] has them.

use super::{Block, BlockGeometry, Format, Minima, Parts, TensorType, f16_at, packing};
use half::f16;

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::Q5_0,
    name: "Q5_0",
    ggml_id: Some(6),
    block: BlockGeometry { elements: 32, bytes: 22 },
    parts: Parts { head: 0, scale: 2, quants: 20 },
    arrange: |block, arranged| arrange(2, block, arranged),
    numbers,
    quantize,
    block_is_finite: |block| f16_at(block).is_finite(),
};

/// The scale as it is, the nibbles behind it, the upper bits last.
pub(super) fn arrange(scale_len: usize, block: &[u8], arranged: &mut [u8]) {
    let (scale, quants) = block.split_at(scale_len);
    let upper = std::array::from_fn(|i| quants[i / 8] >> (i % 8));
    let (front, back) = arranged.split_at_mut(scale_len + 16);
    front[..scale_len].copy_from_slice(scale);
    front[scale_len..].copy_from_slice(&quants[4..]);
    back.copy_from_slice(&packing::bits(&upper, 0));
}

/// Quant `i`, 0 to 31, from nibbles and upper bits.
pub(super) fn quant(quants: &[u8], i: usize) -> u8 {
    packing::nibble(quants, i) | packing::bit(&quants[16..], i) << 4
}

fn numbers(_: &[u8], scale: &[u8], quants: &[u8]) -> Block {
    Block::quants(f16_at(scale).to_f32(), |i| quant(quants, i).cast_signed() - 16, Minima::None)
}

/// The number of the largest magnitude becomes -16, so the scale has the opposite of its sign; the numbers are rounded against the
/// scale before it is rounded to f16.
fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (values, block) in values.chunks_exact(32).zip(bytes.chunks_exact_mut(22)) {
        let largest =
            values.iter().copied().fold(0.0f32, |largest, v| if v.abs() > largest.abs() { v } else { largest });
        let scale = largest / -16.0;
        let inverse = if scale == 0.0 { 0.0 } else { 1.0 / scale };
        block[..2].copy_from_slice(&f16::from_f32(scale).to_le_bytes());
        pack(&std::array::from_fn(|i| (values[i] * inverse + 16.5).min(31.0) as u8), &mut block[2..]);
    }
}

/// Quants of 5 bits in the order of the file: upper bits, then nibbles.
pub(super) fn pack(quants: &[u8; 32], bytes: &mut [u8]) {
    let (upper, nibbles) = bytes.split_at_mut(4);
    upper.fill(0);
    for (i, quant) in quants.iter().enumerate() {
        upper[i / 8] |= (quant >> 4) << (i % 8);
    }
    nibbles.copy_from_slice(&packing::nibbles(quants));
}
