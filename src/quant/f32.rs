//! F32: one little-endian float a block.

use super::{BlockGeometry, Format, TensorType};

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::F32,
    name: "F32",
    ggml_id: Some(0),
    block: BlockGeometry { elements: 1, bytes: 4 },
    dequantize,
    quantize,
    block_is_finite,
};

fn dequantize(bytes: &[u8], out: &mut [f32]) {
    for (value, block) in out.iter_mut().zip(bytes.chunks_exact(4)) {
        *value = number(block);
    }
}

fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (value, block) in values.iter().zip(bytes.chunks_exact_mut(4)) {
        block.copy_from_slice(&value.to_le_bytes());
    }
}

fn block_is_finite(block: &[u8]) -> bool {
    number(block).is_finite()
}

fn number(block: &[u8]) -> f32 {
    f32::from_le_bytes([block[0], block[1], block[2], block[3]])
}
