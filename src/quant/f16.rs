//! F16: one little-endian half float a block; widening to f32 is exact.

use super::{BlockGeometry, Format, TensorType, f16_at};
use half::f16;

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::F16,
    name: "F16",
    ggml_id: Some(1),
    block: BlockGeometry { elements: 1, bytes: 2 },
    dequantize,
    quantize,
    block_is_finite,
};

fn dequantize(bytes: &[u8], out: &mut [f32]) {
    for (value, block) in out.iter_mut().zip(bytes.chunks_exact(2)) {
        *value = f16_at(block).to_f32();
    }
}

fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (value, block) in values.iter().zip(bytes.chunks_exact_mut(2)) {
        block.copy_from_slice(&f16::from_f32(*value).to_le_bytes());
    }
}

fn block_is_finite(block: &[u8]) -> bool {
    f16_at(block).is_finite()
}
