//! F16: one little-endian half float a block; widening to f32 is exact.

use super::{BlockGeometry, Format, Parts, TensorType, as_in_file, f16_at, float};
use half::f16;

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::F16,
    name: "F16",
    ggml_id: Some(1),
    block: BlockGeometry { elements: 1, bytes: 2 },
    parts: Parts { head: 0, scale: 0, quants: 64 },
    arrange: as_in_file,
    numbers: |_, _, bytes| float::numbers(bytes, |number| f16::from_le_bytes(number).to_f32()),
    quantize,
    block_is_finite: |block| f16_at(block).is_finite(),
};

fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (value, block) in values.iter().zip(bytes.chunks_exact_mut(2)) {
        block.copy_from_slice(&f16::from_f32(*value).to_le_bytes());
    }
}
