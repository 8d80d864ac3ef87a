//! A model for the CPU twin: the tensors of its file in memory, in the bytes of the file, heads in the order of the kernels.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use super::check_weights::{check_weights, is_zero_matrix};
use super::head_order::in_kernel_order;
use super::header::check_header;
use super::requantise::check_row_length;
use super::{Model, ModelError};
use crate::gguf::{self, GgufStream};
use crate::numerics::WeightFormat;
use crate::quant::{TensorType, check_finite, dequantize, quantize};

/// A model's tensors in the bytes of the file.
#[derive(Debug, Clone)]
pub struct TwinWeights {
    tensors: HashMap<String, Arc<Tensor>>,
}

#[derive(Debug)]
struct Tensor {
    tensor_type: TensorType,
    /// Weights of a row; none for the vectors, which keep their format.
    row_length: Option<u32>,
    bytes: Vec<u8>,
}

impl TwinWeights {
    /// A tensor by its name in the file.
    pub fn tensor(&self, name: &str) -> Option<(TensorType, &[u8])> {
        self.tensors.get(name).map(|tensor| (tensor.tensor_type, tensor.bytes.as_slice()))
    }

    /// These weights with every matrix in `format`. What has it already is the same memory.
    ///
    /// To be called on the weights of the file: what was rounded once would be rounded twice.
    ///
    /// # Errors
    /// [`ModelError::RowLength`] before anything is done; [`ModelError::WeightRange`].
    pub fn requantised(self: &Arc<Self>, format: WeightFormat) -> Result<Arc<Self>, ModelError> {
        let Some(tensor_type) = TensorType::for_weights(format) else { return Ok(Arc::clone(self)) };
        for (name, tensor) in &self.tensors {
            tensor.row_length.map_or(Ok(()), |row_length| check_row_length(name, row_length, tensor_type))?;
        }
        let mut tensors = HashMap::new();
        for (name, tensor) in &self.tensors {
            let tensor = match tensor.row_length {
                Some(_) if tensor.tensor_type != tensor_type => Arc::new(tensor.requantised(name, tensor_type)?),
                _ => Arc::clone(tensor),
            };
            tensors.insert(name.clone(), tensor);
        }
        Ok(Arc::new(Self { tensors }))
    }
}

impl Tensor {
    fn requantised(&self, name: &str, tensor_type: TensorType) -> Result<Self, ModelError> {
        let block = self.tensor_type.block();
        let mut values = vec![0.0; self.bytes.len() / block.bytes * block.elements];
        dequantize(self.tensor_type, &self.bytes, &mut values);
        let bytes = quantize(tensor_type, &values);
        if check_finite(tensor_type, &bytes).is_err() {
            return Err(ModelError::WeightRange { name: name.to_owned(), format: tensor_type.name() });
        }
        Ok(Self { tensor_type, row_length: self.row_length, bytes })
    }
}

impl Model<Arc<TwinWeights>> {
    /// Reads a whole GGUF file, of `len_bytes` bytes where that is known, under the checks that a model for a GPU passes.
    ///
    /// # Errors
    /// Everything that can be wrong with a file.
    pub fn read(file: impl Read, len_bytes: Option<u64>) -> Result<Self, ModelError> {
        Self::read_into(file, GgufStream::new(len_bytes))
    }

    /// Reads a model by way of `stream`, which may know the header of several files.
    ///
    /// # Errors
    /// Everything that can be wrong with a file.
    pub fn read_into(file: impl Read, stream: GgufStream) -> Result<Self, ModelError> {
        let gguf::LoadedGguf { header, tensors, summary } = gguf::load_into(file, stream)?;
        let config = check_header(&header)?;
        let (mut kept, mut zero_matrices) = (HashMap::new(), Vec::new());
        for (info, bytes) in header.tensors.iter().zip(tensors) {
            check_weights(info, &bytes)?;
            if is_zero_matrix(info, &bytes) {
                zero_matrices.push(info.name.clone());
            }
            let row_length = u32::try_from(info.row_length()).ok().filter(|_| info.shape.len() > 1);
            let bytes = in_kernel_order(&config, info, &bytes).into_owned();
            kept.insert(info.name.clone(), Arc::new(Tensor { tensor_type: info.tensor_type, row_length, bytes }));
        }
        let weights = Arc::new(TwinWeights { tensors: kept });
        let (sha256, len_bytes) = (summary.sha256, summary.total_bytes);
        Ok(Self { config, weights, file: header, sha256, len_bytes, zero_matrices })
    }
}
