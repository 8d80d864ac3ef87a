//! Models in several files: the names of all parts, and the hash of each.

use sha2::{Digest, Sha256};
use wasm_bindgen::prelude::*;

use crate::gguf::{PartName, limits};

/// The names of all files of the model that a file of this name is a part of, in order; its own where it is none.
#[wasm_bindgen(js_name = partNames)]
pub fn part_names(name: &str) -> Vec<String> {
    let part = PartName::parse(name).filter(|part| u64::from(part.count) <= limits::PARTS);
    part.map_or_else(|| vec![name.to_owned()], |part| part.all().collect())
}

/// SHA-256 of bytes that come in pieces.
#[wasm_bindgen(js_name = FileHash)]
#[derive(Debug, Default)]
pub struct WebFileHash(Sha256);

#[wasm_bindgen(js_class = FileHash)]
impl WebFileHash {
    /// Of no bytes.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Of all bytes so far, as 64 hexadecimal digits.
    pub fn hex(&self) -> String {
        self.0.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
