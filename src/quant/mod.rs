//! Block formats of GGUF tensors: how many bytes a block takes, and what its numbers are.
//!
//! A tensor is a run of blocks, and a block never crosses the end of a row.
//! Each format is one file of this folder plus one row of [`FORMATS`]; nothing else lists them.
//! Everything here is the exact arithmetic of the file format and serves as oracle for the shaders.

mod f16;
mod f32;
mod ggml_types;
mod q4_1;
mod q8_0;

pub use ggml_types::{TypeStatus, UnsupportedType};

/// How the numbers of a tensor are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TensorType {
    /// 32-bit floats.
    F32,
    /// 16-bit floats.
    F16,
    /// Blocks of 32: an f16 scale and 4-bit numbers with an f16 minimum.
    Q4_1,
    /// Blocks of 32: an f16 scale and signed bytes.
    Q8_0,
}

/// One row of the format table; the functions work on whole runs of blocks.
struct Format {
    tensor_type: TensorType,
    name: &'static str,
    ggml_id: u32,
    block: BlockGeometry,
    dequantize: fn(&[u8], &mut [f32]),
    quantize: fn(&[f32], &mut [u8]),
    block_is_finite: fn(&[u8]) -> bool,
}

/// Size of one block, the smallest piece of a tensor that can be read alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockGeometry {
    /// Numbers in a block; a row's length is a multiple of it.
    pub elements: usize,
    /// Bytes of a block.
    pub bytes: usize,
}

static FORMATS: [Format; 4] = [f32::FORMAT, f16::FORMAT, q4_1::FORMAT, q8_0::FORMAT];

impl TensorType {
    /// Every format that can be loaded, in the order of the table.
    pub fn all() -> impl Iterator<Item = TensorType> {
        FORMATS.iter().map(|format| format.tensor_type)
    }

    /// The format with this number in a file.
    ///
    /// # Errors
    /// [`UnsupportedType`] says whether the number is known to ggml, no longer in use, or new.
    pub fn from_ggml_id(id: u32) -> Result<TensorType, UnsupportedType> {
        FORMATS
            .iter()
            .find(|format| format.ggml_id == id)
            .map(|format| format.tensor_type)
            .ok_or_else(|| UnsupportedType::from_ggml_id(id))
    }

    /// The number that stands for this format in a file.
    pub fn ggml_id(self) -> u32 {
        self.format().ggml_id
    }

    /// The name ggml gives the format, for instance `Q4_1`.
    pub fn name(self) -> &'static str {
        self.format().name
    }

    /// Size of one block.
    pub fn block(self) -> BlockGeometry {
        self.format().block
    }

    /// Bytes of `n_elements` numbers; `None` when they do not fill whole blocks or the product leaves `u64`.
    pub fn len_bytes(self, n_elements: u64) -> Option<u64> {
        let block = self.block();
        let elements = block.elements as u64;
        if !n_elements.is_multiple_of(elements) {
            return None;
        }
        (n_elements / elements).checked_mul(block.bytes as u64)
    }

    fn format(self) -> &'static Format {
        FORMATS
            .iter()
            .find(|format| format.tensor_type == self)
            .expect("every format has a row in the table, checked by a test")
    }
}

impl std::fmt::Display for TensorType {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The numbers of `bytes`, a run of whole blocks, written to `out`.
///
/// # Panics
/// When `out` does not hold exactly the numbers of `bytes`: the caller takes both lengths from one checked tensor.
pub fn dequantize(tensor_type: TensorType, bytes: &[u8], out: &mut [f32]) {
    let format = tensor_type.format();
    assert_eq!(
        tensor_type.len_bytes(out.len() as u64),
        Some(bytes.len() as u64),
        "{tensor_type}: {} bytes do not hold {} numbers",
        bytes.len(),
        out.len()
    );
    (format.dequantize)(bytes, out);
}

/// `values` as blocks, each block for itself, rounded to the nearest step of its own scale.
///
/// # Panics
/// When `values` do not fill whole blocks.
pub fn quantize(tensor_type: TensorType, values: &[f32]) -> Vec<u8> {
    let len_bytes = tensor_type
        .len_bytes(values.len() as u64)
        .unwrap_or_else(|| panic!("{tensor_type}: {} numbers do not fill whole blocks", values.len()));
    let mut bytes = vec![0; len_bytes as usize];
    (tensor_type.format().quantize)(values, &mut bytes);
    bytes
}

/// Blocks that hold a NaN or an infinity, as a scale, a minimum or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{n_blocks} blocks are not finite, the first is block {first_block}")]
pub struct NonFiniteBlocks {
    /// Index of the first such block in the tensor.
    pub first_block: usize,
    /// How many there are.
    pub n_blocks: usize,
}

/// Refuses NaN and infinities on the CPU, because shaders may assume that there are none.
///
/// # Errors
/// [`NonFiniteBlocks`] with the place of the first and the count; the caller knows the tensor's name.
pub fn check_finite(tensor_type: TensorType, bytes: &[u8]) -> Result<(), NonFiniteBlocks> {
    let format = tensor_type.format();
    let mut found: Option<NonFiniteBlocks> = None;
    for (index, block) in bytes.chunks_exact(format.block.bytes).enumerate() {
        if !(format.block_is_finite)(block) {
            let blocks = found.get_or_insert(NonFiniteBlocks { first_block: index, n_blocks: 0 });
            blocks.n_blocks += 1;
        }
    }
    found.map_or(Ok(()), Err)
}

/// The f16 at the start of `bytes`.
fn f16_at(bytes: &[u8]) -> half::f16 {
    half::f16::from_le_bytes([bytes[0], bytes[1]])
}

#[cfg(test)]
mod tests;
