//! q2_32: 32 numbers of 2 bits times one f16 scale, plus one f16 minimum. A stress format of this engine, not one of ggml's: it is made
//! from other weights on load and never stands in a file.
//!
//! | bytes | what |
//! |---|---|
//! | 0-1 | scale `d`, f16 |
//! | 2-3 | minimum `m`, f16 |
//! | 4-11 | two words of four bytes each, below; number `i` is `d * q[i] + m` |
//!
//! Quad `k` is `q[4k]` to `q[4k + 3]`. Byte `i` of word `w` holds component `i` of the quads `w`, `4 + w`, `2 + w` and `6 + w`, from its
//! lowest bits up.

use super::{BlockGeometry, Format, Parts, TensorType, as_in_file, scale_minimum};

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::Q2_32,
    name: "q2_32",
    ggml_id: None,
    block: BlockGeometry { elements: 32, bytes: 12 },
    parts: Parts { head: 0, scale: 4, quants: 8 },
    arrange: as_in_file,
    numbers: |_, scale, quants| scale_minimum::numbers(scale, |i| quant(quants, i)),
    quantize,
    block_is_finite: scale_minimum::block_is_finite,
};

/// Lowest bit of a quad in its bytes.
const fn shift(quad: usize) -> usize {
    2 * (quad / 4) + 4 * (quad / 2 % 2)
}

/// Quant `i` of a block, from its bytes behind scale and minimum.
fn quant(bytes: &[u8], i: usize) -> u8 {
    let (quad, i) = (i / 4, i % 4);
    bytes[4 * (quad % 2) + i] >> shift(quad) & 3
}

fn quantize(values: &[f32], bytes: &mut [u8]) {
    scale_minimum::quantize(values, FORMAT.block.bytes, 3, bytes, |q, bytes| {
        bytes.fill(0);
        for (element, q) in q.iter().enumerate() {
            let (quad, i) = (element / 4, element % 4);
            bytes[4 * (quad % 2) + i] |= q << shift(quad);
        }
    });
}
