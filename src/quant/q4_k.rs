//! Q4_K: super-blocks of 256 numbers of 4 bits, in eight sub-blocks of 32 with a scale and a minimum of 6 bits each.
//!
//! | bytes | what |
//! |---|---|
//! | 0-1 | `d`, f16: what the scales are times |
//! | 2-3 | `dmin`, f16: what the minima are times |
//! | 4-15 | scales and minima, [`k_minima::six_bits`] |
//! | 16-143 | byte `32p + l` holds number `l` of sub-block `2p` in its low half and of sub-block `2p + 1` in its high half |
//!
//! Number `l` of sub-block `j` is `(d * scale[j]) * q[j][l] - dmin * minimum[j]`. Kernels read sub-blocks one by one: scale and minimum in
//! a byte each, and the quants as [`packing::nibbles`].

use super::{Block, BlockGeometry, Format, Minima, Parts, TensorType, k_minima, packing};

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::Q4K,
    name: "Q4_K",
    ggml_id: Some(12),
    block: BlockGeometry { elements: 256, bytes: 144 },
    parts: Parts { head: 4, scale: 2, quants: 16 },
    arrange,
    numbers: |head, scale, quants| numbers(head, scale, |i| packing::nibble(quants, i)),
    quantize,
    block_is_finite: k_minima::are_finite,
};

fn arrange(block: &[u8], arranged: &mut [u8]) {
    k_minima::arrange(block, arranged, |j, bytes| bytes.copy_from_slice(&packing::nibbles(&nibbles(&block[16..], j))));
}

/// The 4-bit quants of sub-block `j`, or the lower four bits of wider ones.
pub(super) fn nibbles(quants: &[u8], j: usize) -> [u8; 32] {
    std::array::from_fn(|l| quants[32 * (j / 2) + l] >> (4 * (j % 2)) & 15)
}

/// 32 numbers with one scale and one minimum.
pub(super) fn numbers(head: &[u8], scale: &[u8], quant: impl Fn(usize) -> u8) -> Block {
    let (d, dmin) = k_minima::d_dmin(head);
    let [scale, minimum] = [scale[0], scale[1]].map(f32::from);
    Block::quants(d * scale, |i| quant(i).cast_signed(), Minima::Block(-(dmin * minimum)))
}

fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (values, block) in values.chunks_exact(256).zip(bytes.chunks_exact_mut(144)) {
        let rounded = k_minima::round(values, 32, 15, 63);
        block[..4].copy_from_slice(&rounded.d_dmin);
        k_minima::pack_six_bits(&rounded.scales, &mut block[4..16]);
        pack_nibbles(&rounded.quants, &mut block[16..]);
    }
}

/// The lower four bits of 256 quants in the order of the file.
pub(super) fn pack_nibbles(quants: &[u8], bytes: &mut [u8]) {
    for (at, byte) in bytes.iter_mut().enumerate() {
        let (pair, l) = (at / 32, at % 32);
        *byte = quants[64 * pair + l] & 15 | (quants[64 * pair + 32 + l] & 15) << 4;
    }
}
