//! A model's file changed in one place and written again.

use lastbit::gguf::{self, GgufWriter, Metadata, MetadataValue};
use lastbit::quant::TensorType;

/// A file taken apart.
#[derive(Clone)]
pub(crate) struct Changed {
    metadata: Vec<(String, MetadataValue)>,
    tensors: Vec<Tensor>,
}

#[derive(Clone)]
struct Tensor {
    name: String,
    shape: Vec<u64>,
    tensor_type: TensorType,
    bytes: Vec<u8>,
}

impl Changed {
    /// The file of these bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let file = gguf::load(bytes, None).expect("the file is good before it is changed");
        let metadata = file.header.metadata.iter().map(|(key, value)| (key.to_owned(), value.clone())).collect();
        let tensors = file.header.tensors.iter().zip(file.tensors);
        let tensor = |(info, bytes): (&gguf::TensorInfo, Vec<u8>)| Tensor {
            name: info.name.clone(),
            shape: info.shape.clone(),
            tensor_type: info.tensor_type,
            bytes,
        };
        Self { metadata, tensors: tensors.map(tensor).collect() }
    }

    /// One key's value changed, or added.
    pub(crate) fn set(&self, key: &str, value: MetadataValue) -> Self {
        let mut changed = self.clone();
        match changed.metadata.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => changed.metadata.push((key.to_owned(), value)),
        }
        changed
    }

    /// One key left out.
    pub(crate) fn without(&self, key: &str) -> Self {
        let mut changed = self.clone();
        changed.metadata.retain(|(name, _)| name != key);
        changed
    }

    /// The tensors whose names `keep` has.
    pub(crate) fn with_tensors(&self, keep: impl Fn(&str) -> bool) -> Self {
        let mut changed = self.clone();
        changed.tensors.retain(|tensor| keep(&tensor.name));
        changed
    }

    /// One tensor of zeros in this shape and type, in place of the one of its name or added.
    pub(crate) fn with_zeros(&self, name: &str, shape: &[u64], tensor_type: TensorType) -> Self {
        let len_bytes = tensor_type.len_bytes(shape.iter().product()).expect("whole blocks");
        let zeros =
            Tensor { name: name.to_owned(), shape: shape.to_vec(), tensor_type, bytes: vec![0; len_bytes as usize] };
        let mut changed = self.clone();
        match changed.tensors.iter_mut().find(|tensor| tensor.name == name) {
            Some(old) => *old = zeros,
            None => changed.tensors.push(zeros),
        }
        changed
    }

    /// The bytes of the tensors whose names `which` has, changed.
    pub(crate) fn with_bytes(&self, which: impl Fn(&str) -> bool, change: impl Fn(&mut [u8])) -> Self {
        let mut changed = self.clone();
        let mut tensors = changed.tensors.iter_mut().filter(|tensor| which(&tensor.name)).peekable();
        assert!(tensors.peek().is_some(), "no such tensor");
        tensors.for_each(|tensor| change(&mut tensor.bytes));
        changed
    }

    /// The metadata alone.
    pub(crate) fn metadata(&self) -> Metadata {
        let mut metadata = Metadata::default();
        for (key, value) in &self.metadata {
            metadata.insert(key.clone(), value.clone());
        }
        metadata
    }

    /// The file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut writer = GgufWriter::default();
        for (key, value) in &self.metadata {
            writer.metadata(key, value.clone());
        }
        for Tensor { name, shape, tensor_type, bytes } in &self.tensors {
            writer.tensor(name, shape, *tensor_type, bytes.clone());
        }
        writer.to_bytes()
    }
}
