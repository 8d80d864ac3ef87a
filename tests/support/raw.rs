//! Files put together field by field, so that each field can be wrong.

/// Numbers of value types.
pub(crate) const U8: u32 = 0;
pub(crate) const U32: u32 = 4;
pub(crate) const STRING: u32 = 8;
pub(crate) const ARRAY: u32 = 9;

/// Numbers of tensor types.
pub(crate) const F32: u32 = 0;
pub(crate) const Q4_1: u32 = 3;

/// Bytes of a file in the making.
#[derive(Clone, Default)]
pub(crate) struct Raw(pub(crate) Vec<u8>);

/// A file's head of version 3.
pub(crate) fn head(n_tensors: u64, n_keys: u64) -> Raw {
    Raw(b"GGUF".to_vec()).u32(3).u64(n_tensors).u64(n_keys)
}

impl Raw {
    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Raw {
        self.0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn u32(self, value: u32) -> Raw {
        self.bytes(&value.to_le_bytes())
    }

    pub(crate) fn u64(self, value: u64) -> Raw {
        self.bytes(&value.to_le_bytes())
    }

    /// A length and so many bytes.
    pub(crate) fn string(self, bytes: impl AsRef<[u8]>) -> Raw {
        self.u64(bytes.as_ref().len() as u64).bytes(bytes.as_ref())
    }

    /// A key and its value's type; the value follows.
    pub(crate) fn key(self, key: &str, value_type: u32) -> Raw {
        self.string(key).u32(value_type)
    }

    /// An entry of the tensor table.
    pub(crate) fn tensor(self, name: &str, shape: &[u64], tensor_type: u32, offset: u64) -> Raw {
        let named = self.string(name).u32(shape.len() as u32);
        let shaped = shape.iter().fold(named, |raw, &dimension| raw.u64(dimension));
        shaped.u32(tensor_type).u64(offset)
    }

    /// Padding to the default alignment.
    pub(crate) fn pad(self) -> Raw {
        let len = self.0.len();
        self.zeros(len.next_multiple_of(32) - len)
    }

    pub(crate) fn zeros(mut self, n: usize) -> Raw {
        self.0.resize(self.0.len() + n, 0);
        self
    }
}

/// Version 3, two keys, two tensors: small enough to cut at every byte.
pub(crate) fn good() -> Vec<u8> {
    head(2, 2)
        .key("general.architecture", STRING)
        .string("llama")
        .key("general.numbers", ARRAY)
        .u32(U32)
        .u64(2)
        .u32(7)
        .u32(8)
        .tensor("first", &[3, 2], F32, 0)
        .tensor("second", &[32], Q4_1, 32)
        .pad()
        .bytes(&[1; 24])
        .zeros(8)
        .bytes(&[2; 20])
        .0
}
