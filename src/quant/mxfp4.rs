//! MXFP4: 32 floats of 4 bits (a sign, two bits of exponent, one of significand) times one power of two.
//!
//! | bytes | what |
//! |---|---|
//! | 0 | exponent `e` of the scale |
//! | 1-16 | byte `j` holds `q[j]` in its low half and `q[j + 16]` in its high half; number `i` is `2^(e - 128) * TABLE[q[i]]` |
//!
//! The table holds twice the floats, which makes them integers, and the scale half of what its exponent says.

use super::{Block, BlockGeometry, Format, Parts, TensorType, as_in_file, table};

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::MXFP4,
    name: "MXFP4",
    ggml_id: Some(39),
    block: BlockGeometry { elements: 32, bytes: 17 },
    parts: Parts { head: 0, scale: 1, quants: 16 },
    arrange: as_in_file,
    numbers: |_, scale, quants| numbers(scale[0], quants),
    quantize,
    // A scale is never infinite, but a number times the largest scales is.
    block_is_finite: |block| numbers(block[0], &block[1..]).values().iter().all(|value| value.is_finite()),
};

/// What the sixteen quants stand for.
const TABLE: [i8; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

/// `2^(e - 128)`; the two smallest are subnormal.
fn scale(e: u8) -> f32 {
    f32::from_bits(match e {
        0 | 1 => 0x0020_0000 << e,
        _ => (u32::from(e) - 1) << 23,
    })
}

fn numbers(e: u8, quants: &[u8]) -> Block {
    table::numbers(&TABLE, scale(e), quants)
}

/// The scale is the smallest whose largest entry reaches the largest magnitude.
fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (values, block) in values.chunks_exact(32).zip(bytes.chunks_exact_mut(17)) {
        let largest = values.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
        let e = (0..=254).find(|e| scale(*e) * 12.0 >= largest).unwrap_or(255);
        block[0] = e;
        block[1..].copy_from_slice(&table::nearest(&TABLE, scale(e), values));
    }
}
