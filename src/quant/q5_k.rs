//! Q5_K: super-blocks of 256 numbers of 5 bits, in eight sub-blocks of 32 with a scale and a minimum of 6 bits each.
//!
//! | bytes | what |
//! |---|---|
//! | 0-1 | `d`, f16: what the scales are times |
//! | 2-3 | `dmin`, f16: what the minima are times |
//! | 4-15 | scales and minima, [`k_minima::six_bits`] |
//! | 16-47 | bit `j` of byte `l` is the upper bit of number `l` of sub-block `j` |
//! | 48-175 | the lower four bits, as those of Q4_K |
//!
//! Number `l` of sub-block `j` is `(d * scale[j]) * q[j][l] - dmin * minimum[j]`. Kernels read sub-blocks one by one: scale and minimum in
//! a byte each, and the quants as those of Q5_0.

use super::{BlockGeometry, Format, Parts, TensorType, k_minima, packing, q4_k, q5_0};

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::Q5K,
    name: "Q5_K",
    ggml_id: Some(13),
    block: BlockGeometry { elements: 256, bytes: 176 },
    parts: Parts { head: 4, scale: 2, quants: 20 },
    arrange,
    numbers: |head, scale, quants| q4_k::numbers(head, scale, |i| q5_0::quant(quants, i)),
    quantize,
    block_is_finite: k_minima::are_finite,
};

fn arrange(block: &[u8], arranged: &mut [u8]) {
    let upper = |j: usize| std::array::from_fn(|l| block[16 + l] >> j);
    k_minima::arrange(block, arranged, |j, bytes| {
        bytes[..16].copy_from_slice(&packing::nibbles(&q4_k::nibbles(&block[48..], j)));
        bytes[16..].copy_from_slice(&packing::bits(&upper(j), 0));
    });
}

fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (values, block) in values.chunks_exact(256).zip(bytes.chunks_exact_mut(176)) {
        let rounded = k_minima::round(values, 32, 31, 63);
        block[..4].copy_from_slice(&rounded.d_dmin);
        k_minima::pack_six_bits(&rounded.scales, &mut block[4..16]);
        for (l, byte) in block[16..48].iter_mut().enumerate() {
            *byte = (0..8).fold(0, |bits, j| bits | (rounded.quants[32 * j + l] >> 4) << j);
        }
        q4_k::pack_nibbles(&rounded.quants, &mut block[48..]);
    }
}
