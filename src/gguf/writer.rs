//! GgufWriter: makes files that the reader accepts; for the tiny model and for tests.

use super::{MetadataArray, MetadataValue, value};
use crate::quant::TensorType;

/// Collects metadata and tensors, then writes them in the order in which they came.
#[derive(Clone, Debug)]
pub struct GgufWriter {
    version: u32,
    alignment: u64,
    metadata: Vec<(String, MetadataValue)>,
    tensors: Vec<Tensor>,
}

#[derive(Clone, Debug)]
struct Tensor {
    name: String,
    shape: Vec<u64>,
    type_id: u32,
    bytes: Vec<u8>,
}

impl Default for GgufWriter {
    fn default() -> GgufWriter {
        GgufWriter { version: 3, alignment: 32, metadata: Vec::new(), tensors: Vec::new() }
    }
}

impl GgufWriter {
    /// Writes another version than 3.
    pub fn version(&mut self, version: u32) -> &mut GgufWriter {
        self.version = version;
        self
    }

    /// Pads to another alignment than 32, and says so in the metadata.
    pub fn alignment(&mut self, alignment: u32) -> &mut GgufWriter {
        self.alignment = alignment.into();
        self.metadata("general.alignment", MetadataValue::U32(alignment))
    }

    /// Adds a key-value pair.
    pub fn metadata(&mut self, key: &str, value: MetadataValue) -> &mut GgufWriter {
        self.metadata.push((key.to_owned(), value));
        self
    }

    /// Adds a tensor of `shape`, row length first.
    ///
    /// # Panics
    /// When `bytes` is not the size of that shape in that type, or the type has no number in files.
    pub fn tensor(&mut self, name: &str, shape: &[u64], tensor_type: TensorType, bytes: Vec<u8>) -> &mut GgufWriter {
        assert_eq!(
            tensor_type.len_bytes(shape.iter().product()),
            Some(bytes.len() as u64),
            "tensor {name} of shape {shape:?} in {tensor_type} has another size than its bytes"
        );
        let type_id = tensor_type.ggml_id().unwrap_or_else(|| panic!("tensor {name}: {tensor_type} stands in no file"));
        self.tensors.push(Tensor { name: name.to_owned(), shape: shape.to_vec(), type_id, bytes });
        self
    }

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(b"GGUF");
        out.extend_from_slice(&self.version.to_le_bytes());
        out.extend_from_slice(&(self.tensors.len() as u64).to_le_bytes());
        out.extend_from_slice(&(self.metadata.len() as u64).to_le_bytes());
        for (key, value) in &self.metadata {
            write_string(&mut out, key.as_bytes());
            out.extend_from_slice(&value::value_type_of(value).to_le_bytes());
            write_value(&mut out, value);
        }
        let mut offset = 0u64;
        for tensor in &self.tensors {
            write_string(&mut out, tensor.name.as_bytes());
            out.extend_from_slice(&(tensor.shape.len() as u32).to_le_bytes());
            write_all(&mut out, &tensor.shape, |dimension| dimension.to_le_bytes());
            out.extend_from_slice(&tensor.type_id.to_le_bytes());
            out.extend_from_slice(&offset.to_le_bytes());
            offset = (offset + tensor.bytes.len() as u64).next_multiple_of(self.alignment);
        }
        self.pad(&mut out);
        for tensor in &self.tensors {
            out.extend_from_slice(&tensor.bytes);
            self.pad(&mut out);
        }
        out
    }

    /// The model as `count` files: the metadata in the first, the tensors spread over all in order, every part numbered.
    ///
    /// # Panics
    /// For no parts, and for more than a u16 counts.
    pub fn to_parts(&self, count: usize) -> Vec<Vec<u8>> {
        let u16 = |n: usize| MetadataValue::U16(u16::try_from(n).expect("parts are counted by a u16"));
        let n_tensors = MetadataValue::I32(i32::try_from(self.tensors.len()).expect("tensors are counted by an i32"));
        let of_part = self.tensors.len().div_ceil(count).max(1);
        let part = |number: usize| {
            let tensors = self.tensors.iter().skip(number * of_part).take(of_part).cloned().collect();
            let here = |(key, _): &&(String, MetadataValue)| number == 0 || key == "general.alignment";
            let metadata = self.metadata.iter().filter(here).cloned().collect();
            let mut part = GgufWriter { metadata, tensors, ..*self };
            part.metadata("split.no", u16(number));
            part.metadata("split.count", u16(count));
            part.metadata("split.tensors.count", n_tensors.clone());
            part.to_bytes()
        };
        (0..count).map(part).collect()
    }

    fn pad(&self, out: &mut Vec<u8>) {
        out.resize((out.len() as u64).next_multiple_of(self.alignment) as usize, 0);
    }
}

fn write_string(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn write_all<T: Copy, const N: usize>(out: &mut Vec<u8>, values: &[T], to_bytes: impl Fn(T) -> [u8; N]) {
    for &value in values {
        out.extend_from_slice(&to_bytes(value));
    }
}

fn write_value(out: &mut Vec<u8>, value: &MetadataValue) {
    match value {
        MetadataValue::U8(value) => out.extend_from_slice(&value.to_le_bytes()),
        MetadataValue::I8(value) => out.extend_from_slice(&value.to_le_bytes()),
        MetadataValue::U16(value) => out.extend_from_slice(&value.to_le_bytes()),
        MetadataValue::I16(value) => out.extend_from_slice(&value.to_le_bytes()),
        MetadataValue::U32(value) => out.extend_from_slice(&value.to_le_bytes()),
        MetadataValue::I32(value) => out.extend_from_slice(&value.to_le_bytes()),
        MetadataValue::F32(value) => out.extend_from_slice(&value.to_le_bytes()),
        MetadataValue::Bool(value) => out.push(u8::from(*value)),
        MetadataValue::String(text) => write_string(out, text.as_bytes()),
        MetadataValue::InvalidUtf8(bytes) => write_string(out, bytes),
        MetadataValue::U64(value) => out.extend_from_slice(&value.to_le_bytes()),
        MetadataValue::I64(value) => out.extend_from_slice(&value.to_le_bytes()),
        MetadataValue::F64(value) => out.extend_from_slice(&value.to_le_bytes()),
        MetadataValue::Array(array) => {
            out.extend_from_slice(&value::element_type_of(array).to_le_bytes());
            out.extend_from_slice(&(array.len() as u64).to_le_bytes());
            write_elements(out, array);
        }
    }
}

fn write_elements(out: &mut Vec<u8>, array: &MetadataArray) {
    match array {
        MetadataArray::U8(values) => out.extend_from_slice(values),
        MetadataArray::I8(values) => write_all(out, values, i8::to_le_bytes),
        MetadataArray::U16(values) => write_all(out, values, u16::to_le_bytes),
        MetadataArray::I16(values) => write_all(out, values, i16::to_le_bytes),
        MetadataArray::U32(values) => write_all(out, values, u32::to_le_bytes),
        MetadataArray::I32(values) => write_all(out, values, i32::to_le_bytes),
        MetadataArray::F32(values) => write_all(out, values, f32::to_le_bytes),
        MetadataArray::Bool(values) => write_all(out, values, |value| [u8::from(value)]),
        MetadataArray::String(values) => values.iter().for_each(|text| write_string(out, text.as_bytes())),
        MetadataArray::InvalidUtf8(values) => values.iter().for_each(|bytes| write_string(out, bytes)),
        MetadataArray::U64(values) => write_all(out, values, u64::to_le_bytes),
        MetadataArray::I64(values) => write_all(out, values, i64::to_le_bytes),
        MetadataArray::F64(values) => write_all(out, values, f64::to_le_bytes),
    }
}
