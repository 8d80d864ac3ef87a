//! Q6_K: super-blocks of 256 signed numbers of 6 bits, in sixteen sub-blocks of 16 with a signed scale of 8 bits each.
//!
//! | bytes | what |
//! |---|---|
//! | 0-127 | the lower four bits: byte `64h + l` (`l` up to 63) holds those of number `128h + l` in its low half and of `128h + 64 + l` in its high half |
//! | 128-191 | the upper two bits: bits `2j` and `2j + 1` of byte `32h + l` are of number `128h + 32j + l` |
//! | 192-207 | scale of each sub-block, i8 |
//! | 208-209 | `d`, f16: what the scales are times |
//!
//! Number `i` of sub-block `s` is `(d * scale[s]) * (q[s][i] - 32)`. Kernels read two sub-blocks at once: their two scales, the lower bits
//! as [`packing::nibbles`], then the upper ones as [`packing::bit_pairs`].

use super::{BlockGeometry, Format, Parts, TensorType, f16_at, k_scales, packing, q2_k};

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::Q6K,
    name: "Q6_K",
    ggml_id: Some(14),
    block: BlockGeometry { elements: 256, bytes: 210 },
    parts: Parts { head: 2, scale: 2, quants: 24 },
    arrange,
    numbers: |head, scale, quants| k_scales::numbers(head, scale, |i| quant(quants, i)),
    quantize,
    block_is_finite: |block| f16_at(&block[208..]).is_finite(),
};

fn arrange(block: &[u8], arranged: &mut [u8]) {
    let (head, pairs) = arranged.split_at_mut(2);
    head.copy_from_slice(&block[208..]);
    for (b, pair) in pairs.chunks_exact_mut(26).enumerate() {
        let lower = std::array::from_fn(|l| block[64 * (b / 4) + 32 * (b % 2) + l] >> (4 * (b / 2 % 2)));
        pair[..2].copy_from_slice(&block[192 + 2 * b..][..2]);
        pair[2..18].copy_from_slice(&packing::nibbles(&lower));
        pair[18..].copy_from_slice(&packing::bit_pairs(&q2_k::bit_pairs(&block[128..], b), 0));
    }
}

fn quant(quants: &[u8], i: usize) -> i8 {
    (packing::nibble(quants, i) | packing::bit_pair(&quants[16..], i) << 4).cast_signed() - 32
}

fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (values, block) in values.chunks_exact(256).zip(bytes.chunks_exact_mut(210)) {
        let rounded = k_scales::round(values, 16, -32, 127);
        let quants = k_scales::quants(values, 16, -32, &rounded);
        for (at, byte) in block[..128].iter_mut().enumerate() {
            let first = 128 * (at / 64) + at % 64;
            *byte = quants[first] & 15 | (quants[first + 64] & 15) << 4;
        }
        q2_k::pack_bit_pairs(&quants.iter().map(|q| q >> 4).collect::<Vec<u8>>(), &mut block[128..192]);
        for (byte, scale) in block[192..208].iter_mut().zip(&rounded.scales) {
            *byte = scale.cast_unsigned();
        }
        block[208..].copy_from_slice(&rounded.d.to_le_bytes());
    }
}
