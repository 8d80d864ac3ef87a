//! BF16: the upper half of an f32, little-endian, a block each; widening to f32 is exact.

use super::{BlockGeometry, Format, Parts, TensorType, as_in_file, float};
use half::bf16;

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::BF16,
    name: "BF16",
    ggml_id: Some(30),
    block: BlockGeometry { elements: 1, bytes: 2 },
    parts: Parts { head: 0, scale: 0, quants: 64 },
    arrange: as_in_file,
    numbers: |_, _, bytes| float::numbers(bytes, |number| bf16::from_le_bytes(number).to_f32()),
    quantize,
    block_is_finite: |block| bf16::from_le_bytes([block[0], block[1]]).is_finite(),
};

fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (value, block) in values.iter().zip(bytes.chunks_exact_mut(2)) {
        block.copy_from_slice(&bf16::from_f32(*value).to_le_bytes());
    }
}
