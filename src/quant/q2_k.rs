//! Q2_K: super-blocks of 256 numbers of 2 bits, in sixteen sub-blocks of 16 with a scale and a minimum of 4 bits each.
//!
//! | bytes | what |
//! |---|---|
//! | 0-15 | byte `s` holds the scale of sub-block `s` in its low half and its minimum in the high half |
//! | 16-79 | bits `2j` and `2j + 1` of byte `32h + l` are of number `128h + 32j + l` |
//! | 80-81 | `d`, f16: what the scales are times |
//! | 82-83 | `dmin`, f16: what the minima are times |
//!
//! Number `i` of sub-block `s` is `(d * scale[s]) * q[s][i] - dmin * minimum[s]`. Kernels read two sub-blocks at once: their two bytes of
//! scales, and the quants as [`packing::bit_pairs`].

use super::{Block, BlockGeometry, Format, Minima, Parts, TensorType, k_minima, packing};

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::Q2K,
    name: "Q2_K",
    ggml_id: Some(10),
    block: BlockGeometry { elements: 256, bytes: 84 },
    parts: Parts { head: 4, scale: 2, quants: 8 },
    arrange,
    numbers,
    quantize,
    block_is_finite: |block| k_minima::are_finite(&block[80..]),
};

fn arrange(block: &[u8], arranged: &mut [u8]) {
    let (head, pairs) = arranged.split_at_mut(4);
    head.copy_from_slice(&block[80..]);
    for (b, pair) in pairs.chunks_exact_mut(10).enumerate() {
        pair[..2].copy_from_slice(&block[2 * b..][..2]);
        pair[2..].copy_from_slice(&packing::bit_pairs(&bit_pairs(&block[16..], b), 0));
    }
}

/// The lowest two bits of the 32 bytes' numbers that are block `b`'s.
pub(super) fn bit_pairs(quants: &[u8], b: usize) -> [u8; 32] {
    std::array::from_fn(|l| quants[32 * (b / 4) + l] >> (2 * (b % 4)) & 3)
}

fn numbers(head: &[u8], scale: &[u8], quants: &[u8]) -> Block {
    let (d, dmin) = k_minima::d_dmin(head);
    let halves = [scale[0], scale[1]];
    Block::Quants {
        d,
        halves: halves.map(|byte| (byte & 15).cast_signed()),
        quants: std::array::from_fn(|i| packing::bit_pair(quants, i).cast_signed()),
        minima: Minima::Halves(halves.map(|byte| -(dmin * f32::from(byte >> 4)))),
    }
}

fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (values, block) in values.chunks_exact(256).zip(bytes.chunks_exact_mut(84)) {
        let rounded = k_minima::round(values, 16, 3, 15);
        for (byte, [scale, minimum]) in block.iter_mut().zip(&rounded.scales) {
            *byte = scale | minimum << 4;
        }
        pack_bit_pairs(&rounded.quants, &mut block[16..80]);
        block[80..].copy_from_slice(&rounded.d_dmin);
    }
}

/// The lowest two bits of 256 quants in the order of the file.
pub(super) fn pack_bit_pairs(quants: &[u8], bytes: &mut [u8]) {
    for (at, byte) in bytes.iter_mut().enumerate() {
        let (half, l) = (at / 32, at % 32);
        *byte = (0..4).fold(0, |bits, j| bits | (quants[128 * half + 32 * j + l] & 3) << (2 * j));
    }
}
