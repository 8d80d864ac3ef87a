//! IQ4_XS: super-blocks of 256 numbers out of IQ4_NL's table, in eight sub-blocks of 32 with a signed scale of 6 bits each.
//!
//! | bytes | what |
//! |---|---|
//! | 0-1 | `d`, f16: what the scales are times |
//! | 2-3 | bits `2j` and `2j + 1` of this word are the upper bits of the scale of sub-block `j` |
//! | 4-7 | byte `p` holds the lower four bits of the scale of sub-block `2p` in its low half and of `2p + 1` in its high half |
//! | 8-135 | 16 bytes of each sub-block: byte `l` holds quant `l` in its low half and `l + 16` in its high half |
//!
//! Number `i` of sub-block `j` is `(d * (scale[j] - 32)) * TABLE[q[j][i]]`. Kernels read sub-blocks one by one: the scale as a signed byte,
//! and the quants as they are.

use super::{BlockGeometry, Format, Parts, TensorType, f16_at, iq4_nl, k_scales, table};

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::IQ4XS,
    name: "IQ4_XS",
    ggml_id: Some(23),
    block: BlockGeometry { elements: 256, bytes: 136 },
    parts: Parts { head: 2, scale: 1, quants: 16 },
    arrange,
    numbers: |head, scale, quants| {
        table::numbers(&iq4_nl::TABLE, f16_at(head).to_f32() * f32::from(scale[0].cast_signed()), quants)
    },
    quantize,
    block_is_finite: |block| f16_at(block).is_finite(),
};

fn arrange(block: &[u8], arranged: &mut [u8]) {
    let (head, sub_blocks) = arranged.split_at_mut(2);
    head.copy_from_slice(&block[..2]);
    for (j, sub_block) in sub_blocks.chunks_exact_mut(17).enumerate() {
        sub_block[0] = scale(block, j).cast_unsigned();
        sub_block[1..].copy_from_slice(&block[8 + 16 * j..][..16]);
    }
}

/// Scale of sub-block `j`, -32 to 31.
fn scale(block: &[u8], j: usize) -> i8 {
    let lower = block[4 + j / 2] >> (4 * (j % 2)) & 15;
    let upper = block[2 + j / 4] >> (2 * (j % 4)) & 3;
    (lower | upper << 4).cast_signed() - 32
}

fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (values, block) in values.chunks_exact(256).zip(bytes.chunks_exact_mut(136)) {
        let rounded = k_scales::round(values, 32, iq4_nl::TABLE[0], 31);
        block[..2].copy_from_slice(&rounded.d.to_le_bytes());
        block[2..8].fill(0);
        for (j, scale) in rounded.scales.iter().enumerate() {
            let scale = (scale + 32).cast_unsigned();
            block[2 + j / 4] |= (scale >> 4) << (2 * (j % 4));
            block[4 + j / 2] |= (scale & 15) << (4 * (j % 2));
            block[8 + 16 * j..][..16].copy_from_slice(&table::nearest(
                &iq4_nl::TABLE,
                rounded.scale(j),
                &values[32 * j..][..32],
            ));
        }
    }
}
