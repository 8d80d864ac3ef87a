//! IQ4_NL: 32 numbers out of a table of 16, times one f16 scale. The table is denser around zero.
//!
//! | bytes | what |
//! |---|---|
//! | 0-1 | scale `d`, f16 |
//! | 2-17 | byte `j` holds `q[j]` in its low half and `q[j + 16]` in its high half; number `i` is `d * TABLE[q[i]]` |

use super::{BlockGeometry, Format, Parts, TensorType, as_in_file, f16_at, table};
use half::f16;

pub(super) const FORMAT: Format = Format {
    tensor_type: TensorType::IQ4NL,
    name: "IQ4_NL",
    ggml_id: Some(20),
    block: BlockGeometry { elements: 32, bytes: 18 },
    parts: Parts { head: 0, scale: 2, quants: 16 },
    arrange: as_in_file,
    numbers: |_, scale, quants| table::numbers(&TABLE, f16_at(scale).to_f32(), quants),
    quantize,
    block_is_finite: |block| f16_at(block).is_finite(),
};

/// What the sixteen quants stand for.
pub(super) const TABLE: [i8; 16] = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

/// The number of the largest magnitude becomes the table's first, so the scale has the opposite of its sign; the others take the nearest
/// entry of the scale as it is stored.
fn quantize(values: &[f32], bytes: &mut [u8]) {
    for (values, block) in values.chunks_exact(32).zip(bytes.chunks_exact_mut(18)) {
        let largest =
            values.iter().copied().fold(0.0f32, |largest, v| if v.abs() > largest.abs() { v } else { largest });
        let scale = f16::from_f32(largest / f32::from(TABLE[0]));
        block[..2].copy_from_slice(&scale.to_le_bytes());
        block[2..].copy_from_slice(&table::nearest(&TABLE, scale.to_f32(), values));
    }
}
