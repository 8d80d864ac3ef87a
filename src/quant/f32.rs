//! F32: one little-endian float a block.

use super::{BlockGeometry, Format, Parts, TensorType, as_in_file, float};

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::F32,
    name: "F32",
    ggml_id: Some(0),
    block: BlockGeometry { elements: 1, bytes: 4 },
    parts: Parts { head: 0, scale: 0, quants: 128 },
    arrange: as_in_file,
    numbers: |_, _, bytes| float::numbers(bytes, f32::from_le_bytes),
    quantize,
    block_is_finite: |block| f32::from_le_bytes([block[0], block[1], block[2], block[3]]).is_finite(),
};

fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (value, block) in values.iter().zip(bytes.chunks_exact_mut(4)) {
        block.copy_from_slice(&value.to_le_bytes());
    }
}
