//! Block formats of tensors: how many bytes a block takes, and what its numbers are.
//!
//! A tensor is a run of blocks, and a block never crosses the end of a row.
//! Each format is one file of this folder plus one row of [`FORMATS`]; nothing else lists them.
//! Formats of ggml have a number, under which they stand in files; formats without one exist in memory only, made from others.
//!
//! Kernels know only blocks of 32 numbers. So each format says how its own blocks, or super-blocks of 256, are taken apart into those
//! ([`arrange`]) and what their numbers are ([`Block`]): the exact arithmetic of the format, and oracle for the shaders.

mod bf16;
mod block;
mod f16;
mod f32;
mod float;
mod ggml_types;
mod iq4_nl;
mod iq4_xs;
mod k_minima;
mod k_scales;
mod mxfp4;
mod packing;
mod q2_32;
mod q2_k;
mod q3_32;
mod q3_k;
mod q4_0;
mod q4_1;
mod q4_k;
mod q5_0;
mod q5_1;
mod q5_k;
mod q6_k;
mod q8_0;
mod scale_minimum;
mod table;

use crate::numerics::WeightFormat;
pub use block::{BLOCK_LEN, Block, Minima};
pub use ggml_types::{TypeStatus, UnsupportedType};

/// How the numbers of a tensor are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TensorType {
    /// 32-bit floats.
    F32,
    /// 16-bit floats.
    F16,
    /// Upper halves of 32-bit floats.
    BF16,
    /// Blocks of 32: an f16 scale and signed 4-bit numbers.
    Q4_0,
    /// Blocks of 32: an f16 scale and 4-bit numbers with an f16 minimum.
    Q4_1,
    /// Blocks of 32: an f16 scale and signed 5-bit numbers.
    Q5_0,
    /// Blocks of 32: an f16 scale and 5-bit numbers with an f16 minimum.
    Q5_1,
    /// Blocks of 32: an f16 scale and signed bytes.
    Q8_0,
    /// Super-blocks of 256: 2-bit numbers, a scale and a minimum for every 16.
    Q2K,
    /// Super-blocks of 256: signed 3-bit numbers, a scale for every 16.
    Q3K,
    /// Super-blocks of 256: 4-bit numbers, a scale and a minimum for every 32.
    Q4K,
    /// Super-blocks of 256: 5-bit numbers, a scale and a minimum for every 32.
    Q5K,
    /// Super-blocks of 256: signed 6-bit numbers, a scale for every 16.
    Q6K,
    /// Blocks of 32: an f16 scale and entries of a table of 16.
    IQ4NL,
    /// Super-blocks of 256: entries of the same table, a scale for every 32.
    IQ4XS,
    /// Blocks of 32: a power of two and floats of 4 bits.
    MXFP4,
    /// Blocks of 32: an f16 scale and 3-bit numbers with an f16 minimum. In memory only.
    Q3_32,
    /// Blocks of 32: an f16 scale and 2-bit numbers with an f16 minimum. In memory only.
    Q2_32,
}

/// One row of the format table; `quantize` works on a whole run of blocks.
struct Format {
    tensor_type: TensorType,
    name: &'static str,
    ggml_id: Option<u32>,
    block: BlockGeometry,
    parts: Parts,
    arrange: fn(&[u8], &mut [u8]),
    numbers: fn(&[u8], &[u8], &[u8]) -> Block,
    quantize: fn(&[f32], &mut [u8]),
    block_is_finite: fn(&[u8]) -> bool,
}

/// Bytes of what a run of blocks is taken apart into: a head where blocks of 32 share one, then of each block of 32 its scale and its
/// quants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Of the whole run, in front: what the scales of all its blocks are times.
    pub head: usize,
    /// Of 32 numbers: a scale, and a minimum where the format has one.
    pub scale: usize,
    /// Of 32 numbers: the numbers.
    pub quants: usize,
}

/// Size of one block, the smallest piece of a tensor that can be read alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockGeometry {
    /// Numbers in a block; a row's length is a multiple of it.
    pub elements: usize,
    /// Bytes of a block.
    pub bytes: usize,
}

static FORMATS: [Format; 18] = [
    f32::FORMAT,
    f16::FORMAT,
    bf16::FORMAT,
    q8_0::FORMAT,
    q5_0::FORMAT,
    q5_1::FORMAT,
    q4_0::FORMAT,
    q4_1::FORMAT,
    q6_k::FORMAT,
    q5_k::FORMAT,
    q4_k::FORMAT,
    q3_k::FORMAT,
    q2_k::FORMAT,
    iq4_nl::FORMAT,
    iq4_xs::FORMAT,
    mxfp4::FORMAT,
    q3_32::FORMAT,
    q2_32::FORMAT,
];

/// Bytes that hold any format's arranged run.
const MAX_ARRANGED: usize = 256;

impl TensorType {
    /// Every format that kernels can read, in the order of the table.
    pub fn all() -> impl Iterator<Item = TensorType> {
        FORMATS.iter().map(|format| format.tensor_type)
    }

    /// Those of them that files may hold.
    pub fn in_files() -> impl Iterator<Item = TensorType> {
        FORMATS.iter().filter(|format| format.ggml_id.is_some()).map(|format| format.tensor_type)
    }

    /// The format that weights are re-quantised to; `None` where they stay as they are.
    pub fn for_weights(weights: WeightFormat) -> Option<TensorType> {
        match weights {
            WeightFormat::AsInFile => None,
            WeightFormat::F16 => Some(TensorType::F16),
            WeightFormat::Q8_0 => Some(TensorType::Q8_0),
            WeightFormat::Q6K => Some(TensorType::Q6K),
            WeightFormat::Q5K => Some(TensorType::Q5K),
            WeightFormat::Q4K => Some(TensorType::Q4K),
            WeightFormat::Q3K => Some(TensorType::Q3K),
            WeightFormat::Q2K => Some(TensorType::Q2K),
            WeightFormat::Q4_0 => Some(TensorType::Q4_0),
            WeightFormat::Q4_1 => Some(TensorType::Q4_1),
            WeightFormat::Q3_32 => Some(TensorType::Q3_32),
            WeightFormat::Q2_32 => Some(TensorType::Q2_32),
        }
    }

    /// The format with this number in a file.
    ///
    /// # Errors
    /// [`UnsupportedType`] says whether the number is known to ggml, no longer in use, or new.
    pub fn from_ggml_id(id: u32) -> Result<TensorType, UnsupportedType> {
        FORMATS
            .iter()
            .find(|format| format.ggml_id == Some(id))
            .map(|format| format.tensor_type)
            .ok_or_else(|| UnsupportedType::from_ggml_id(id))
    }

    /// The number that stands for this format in a file; `None` where the format exists in memory only.
    pub fn ggml_id(self) -> Option<u32> {
        self.format().ggml_id
    }

    /// The format's name: ggml's, for instance `Q4_1`, or one in lower case where ggml has no such format.
    pub fn name(self) -> &'static str {
        self.format().name
    }

    /// Size of one block.
    pub fn block(self) -> BlockGeometry {
        self.format().block
    }

    /// Numbers of a run: the fewest that are whole blocks of the format and of 32.
    pub fn run_len(self) -> usize {
        self.block().elements.max(BLOCK_LEN)
    }

    /// What a run is taken apart into.
    pub fn parts(self) -> Parts {
        self.format().parts
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

/// Takes one run apart into [`Parts`], in the order that kernels read them in.
///
/// # Panics
/// When `bytes` is not one run or `arranged` not as long as its parts: both lengths follow from the format.
pub fn arrange(tensor_type: TensorType, bytes: &[u8], arranged: &mut [u8]) {
    (tensor_type.format().arrange)(bytes, arranged);
}

/// The numbers of 32 weights from the parts of their run and their own.
pub fn numbers(tensor_type: TensorType, head: &[u8], scale: &[u8], quants: &[u8]) -> Block {
    (tensor_type.format().numbers)(head, scale, quants)
}

/// The blocks of 32 of `bytes`, whole blocks of the format. Where a block is one number, the last of 32 may be filled up with zeros.
pub fn blocks(tensor_type: TensorType, bytes: &[u8]) -> impl Iterator<Item = Block> + '_ {
    let format = tensor_type.format();
    let Parts { head, scale, quants } = format.parts;
    let n_blocks = tensor_type.run_len() / BLOCK_LEN;
    let run_bytes = tensor_type.run_len() / format.block.elements * format.block.bytes;
    bytes.chunks(run_bytes).flat_map(move |run| {
        let mut whole = [0; MAX_ARRANGED];
        whole[..run.len()].copy_from_slice(run);
        let mut arranged = [0; MAX_ARRANGED];
        (format.arrange)(&whole[..run_bytes], &mut arranged[..head + n_blocks * (scale + quants)]);
        (0..n_blocks).map(move |b| {
            let (head, blocks) = arranged.split_at(head);
            let (scale, quants) = blocks[b * (scale + quants)..][..scale + quants].split_at(scale);
            (format.numbers)(head, scale, quants)
        })
    })
}

/// The numbers of `bytes`, a run of whole blocks, written to `out`.
///
/// # Panics
/// When `out` does not hold exactly the numbers of `bytes`: the caller takes both lengths from one checked tensor.
pub fn dequantize(tensor_type: TensorType, bytes: &[u8], out: &mut [f32]) {
    assert_eq!(
        tensor_type.len_bytes(out.len() as u64),
        Some(bytes.len() as u64),
        "{tensor_type}: {} bytes do not hold {} numbers",
        bytes.len(),
        out.len()
    );
    for (values, block) in out.chunks_mut(BLOCK_LEN).zip(blocks(tensor_type, bytes)) {
        values.copy_from_slice(&block.values()[..values.len()]);
    }
}

/// `values` as blocks, each block for itself, rounded to the nearest step of its own scale. ggml's own files were searched for steps that
/// fit better, with weights for what matters; what comes out here is not what its quantiser would write.
///
/// A scale beyond f16 becomes an infinity, which [`check_finite`] finds.
/// Numbers that came from blocks of the same format need not give the same blocks again: they do for F32 and F16, and for the others
/// where a block's numbers reach the ends of its scale.
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

/// For formats whose blocks lie in files as kernels read them.
fn as_in_file(block: &[u8], arranged: &mut [u8]) {
    arranged.copy_from_slice(block);
}

/// The f16 at the start of `bytes`.
fn f16_at(bytes: &[u8]) -> half::f16 {
    half::f16::from_le_bytes([bytes[0], bytes[1]])
}

#[cfg(test)]
mod ggml_values;
#[cfg(test)]
mod tests;
