//! q3_32: 32 numbers of 3 bits times one f16 scale, plus one f16 minimum. A stress format of this engine, not one of ggml's: it is made
//! from other weights on load and never stands in a file.
//!
//! | bytes | what |
//! |---|---|
//! | 0-1 | scale `d`, f16 |
//! | 2-3 | minimum `m`, f16 |
//! | 4-15 | three words of four bytes each, below; number `i` is `d * q[i] + m` |
//!
//! Quad `k` is `q[4k]` to `q[4k + 3]`. Byte `i` of word `w` holds component `i` of quad `w` in its bits 0-2 and of quad `4 + w` in its
//! bits 3-5. Of its bits 6-7, those of word 0 are the lower two bits of quad 3, those of word 1 the lower two of quad 7, and those of
//! word 2 the upper bits of quad 3 and quad 7. So the quads of a word come out by one mask, and a fourth word can be put together from
//! the three.

use super::{BlockGeometry, Format, Parts, TensorType, as_in_file, scale_minimum};

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::Q3_32,
    name: "q3_32",
    ggml_id: None,
    block: BlockGeometry { elements: 32, bytes: 16 },
    // Scale and minimum fill up the unit of 16 bytes that kernels load.
    parts: Parts { head: 0, scale: 0, quants: 16 },
    arrange: as_in_file,
    numbers: |_, _, block| scale_minimum::numbers(block, |i| quant(&block[4..], i)),
    quantize,
    block_is_finite: scale_minimum::block_is_finite,
};

/// Quant `i` of a block, from its bytes behind scale and minimum.
fn quant(bytes: &[u8], i: usize) -> u8 {
    let (quad, i) = (i / 4, i % 4);
    let [a, b, c] = [bytes[i], bytes[4 + i], bytes[8 + i]];
    match quad {
        3 => (a >> 6) | (c >> 6 & 1) << 2,
        7 => (b >> 6) | (c >> 7) << 2,
        _ => bytes[4 * (quad % 4) + i] >> (3 * (quad / 4)) & 7,
    }
}

fn quantize(values: &[f32], bytes: &mut [u8]) {
    scale_minimum::quantize(values, FORMAT.block.bytes, 7, bytes, |q, bytes| {
        for i in 0..4 {
            let quad = |k: usize| q[4 * k + i];
            bytes[i] = quad(0) | quad(4) << 3 | (quad(3) & 3) << 6;
            bytes[4 + i] = quad(1) | quad(5) << 3 | (quad(7) & 3) << 6;
            bytes[8 + i] = quad(2) | quad(6) << 3 | (quad(3) >> 2) << 6 | (quad(7) >> 2) << 7;
        }
    });
}
