//! Q3_K: super-blocks of 256 signed numbers of 3 bits, in sixteen sub-blocks of 16 with a signed scale of 6 bits each.
//!
//! | bytes | what |
//! |---|---|
//! | 0-31 | bit `j` of byte `l` is the upper bit of number `32j + l` |
//! | 32-95 | the lower two bits: bits `2j` and `2j + 1` of byte `32h + l` are of number `128h + 32j + l` |
//! | 96-107 | scales: the lower four bits of scale `s` are in byte `s % 8`, in its low half for `s` below 8; the upper two are bits `2 (s / 4)` and up of byte `8 + s % 4` |
//! | 108-109 | `d`, f16: what the scales are times |
//!
//! Number `i` of sub-block `s` is `(d * (scale[s] - 32)) * (q[s][i] - 4)`. Kernels read two sub-blocks at once: their two scales as signed
//! bytes, the lower bits as [`packing::bit_pairs`], then the upper ones as [`packing::bits`].

use super::{BlockGeometry, Format, Parts, TensorType, f16_at, k_scales, packing, q2_k};

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::Q3K,
    name: "Q3_K",
    ggml_id: Some(11),
    block: BlockGeometry { elements: 256, bytes: 110 },
    parts: Parts { head: 2, scale: 2, quants: 12 },
    arrange,
    numbers: |head, scale, quants| k_scales::numbers(head, scale, |i| quant(quants, i)),
    quantize,
    block_is_finite: |block| f16_at(&block[108..]).is_finite(),
};

fn arrange(block: &[u8], arranged: &mut [u8]) {
    let (head, pairs) = arranged.split_at_mut(2);
    head.copy_from_slice(&block[108..]);
    for (b, pair) in pairs.chunks_exact_mut(14).enumerate() {
        let scales = [2 * b, 2 * b + 1].map(|s| scale(&block[96..], s).cast_unsigned());
        let upper = std::array::from_fn(|l| block[l] >> b);
        pair[..2].copy_from_slice(&scales);
        pair[2..10].copy_from_slice(&packing::bit_pairs(&q2_k::bit_pairs(&block[32..], b), 0));
        pair[10..].copy_from_slice(&packing::bits(&upper, 0));
    }
}

/// Scale of sub-block `s`, -32 to 31.
fn scale(packed: &[u8], s: usize) -> i8 {
    let lower = packed[s % 8] >> (4 * (s / 8)) & 15;
    let upper = packed[8 + s % 4] >> (2 * (s / 4)) & 3;
    (lower | upper << 4).cast_signed() - 32
}

fn quant(quants: &[u8], i: usize) -> i8 {
    (packing::bit_pair(quants, i) | packing::bit(&quants[8..], i) << 2).cast_signed() - 4
}

fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (values, block) in values.chunks_exact(256).zip(bytes.chunks_exact_mut(110)) {
        let rounded = k_scales::round(values, 16, -4, 31);
        let quants = k_scales::quants(values, 16, -4, &rounded);
        for (l, byte) in block[..32].iter_mut().enumerate() {
            *byte = (0..8).fold(0, |bits, j| bits | (quants[32 * j + l] >> 2) << j);
        }
        q2_k::pack_bit_pairs(&quants, &mut block[32..96]);
        block[96..108].fill(0);
        for (s, scale) in rounded.scales.iter().enumerate() {
            let scale = (scale + 32).cast_unsigned();
            block[96 + s % 8] |= (scale & 15) << (4 * (s / 8));
            block[104 + s % 4] |= (scale >> 4) << (2 * (s / 4));
        }
        block[108..].copy_from_slice(&rounded.d.to_le_bytes());
    }
}
