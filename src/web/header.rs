//! The headers of a model's files, read before anything else of them is fetched.

use std::sync::Arc;

use wasm_bindgen::prelude::*;

use super::{CHUNK_ROWS, bad_request, engine_options, from_js, reject, rejection, to_js};
use crate::error::explain;
use crate::generate::{GenerateError, check_model};
use crate::gguf::{GgufError, GgufFile, GgufStream, PartHeader, join};
use crate::model::{FitLimits, ModelError};
use crate::numerics::{Numerics, Order};
use crate::page::CheckOptions;
use crate::tokenizer::TokenizerError;

/// Takes the beginnings of a model's files.
#[wasm_bindgen(js_name = ModelHeader)]
#[derive(Default)]
pub struct WebModelHeader {
    parts: Vec<PartHeader>,
    /// The file that is being read: its name, its length where that is known.
    current: Option<(String, Option<u64>, GgufStream)>,
}

impl std::fmt::Debug for WebModelHeader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelHeader").field("parts", &self.parts.len()).finish_non_exhaustive()
    }
}

#[wasm_bindgen(js_class = ModelHeader)]
impl WebModelHeader {
    /// No file yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a file. Its length tells lies about lengths at once, where it is known.
    pub fn begin_file(&mut self, name: String, len_bytes: Option<f64>) {
        let len_bytes = len_bytes.map(|len_bytes| len_bytes as u64);
        self.current = Some((name, len_bytes, GgufStream::new(len_bytes)));
    }

    /// Takes the file's next bytes and says whether its header is complete.
    ///
    /// # Errors
    /// Rejects with `bad-file`.
    pub fn push(&mut self, bytes: &[u8]) -> Result<bool, JsValue> {
        let (_, _, stream) = self.current.as_mut().ok_or_else(|| bad_request("no file was begun"))?;
        stream.push(bytes).map_err(bad_file)?;
        let Some(header) = stream.header().cloned() else { return Ok(false) };
        if let Some((name, len_bytes, _)) = self.current.take() {
            self.parts.push(PartHeader { name, len_bytes: len_bytes.unwrap_or(header.end_of_data()), header });
        }
        Ok(true)
    }

    /// Says what is wrong with a file that ended before its header did.
    ///
    /// # Errors
    /// Always.
    pub fn end_file(&mut self) -> Result<(), JsValue> {
        let (_, _, stream) = self.current.take().ok_or_else(|| bad_request("no file was begun"))?;
        Err(bad_file(stream.finish().err().unwrap_or(GgufError::Empty)))
    }

    /// In which order the files' bytes make the model, as places in the order in which they were begun.
    ///
    /// # Errors
    /// Rejects with `bad-file` where they are not all parts of one model.
    pub fn order(&self) -> Result<Vec<u32>, JsValue> {
        let (_, order) = join(&self.parts).map_err(bad_file)?;
        Ok(order.into_iter().map(|index| index as u32).collect())
    }

    /// Bytes of each file, in the order in which they were begun; those up to the end of its data where nobody told how many.
    pub fn lens_bytes(&self) -> Vec<f64> {
        self.parts.iter().map(|part| part.len_bytes as f64).collect()
    }

    /// What the model is and whether it fits.
    ///
    /// # Errors
    /// Rejects with `bad-file`, and with `unknown-pre-tokenizer` where a person may want to load the file anyway.
    pub fn check(&self, options: JsValue) -> Result<JsValue, JsValue> {
        let options: CheckOptions = from_js(options)?;
        let limits = FitLimits {
            binding_bytes: options.binding_bytes.map(|bytes| bytes as u64),
            memory_bytes: options.memory_bytes.map_or(FitLimits::USUAL_MEMORY_BYTES, |bytes| bytes as u64),
        };
        let numerics = Numerics::new(options.formats, Order::ByShape, CHUNK_ROWS);
        let file = self.joined()?;
        match check_model(&file, &numerics, engine_options(options.load_anyway), limits) {
            Ok(check) => to_js(&check),
            Err(error) => Err(refusal(&error)),
        }
    }
}

impl WebModelHeader {
    fn joined(&self) -> Result<Arc<GgufFile>, JsValue> {
        join(&self.parts).map(|(header, _)| header).map_err(bad_file)
    }

    /// What takes the bytes of all files, one behind the other.
    pub(super) fn stream(&self) -> Result<GgufStream, JsValue> {
        let len_bytes = self.parts.iter().map(|part| part.len_bytes).sum();
        Ok(GgufStream::with_header(self.joined()?, len_bytes))
    }
}

fn bad_file(error: GgufError) -> JsValue {
    rejection(ModelError::from(error))
}

/// The page offers a person a way on where there is one, so that has a code of its own.
fn refusal(error: &GenerateError) -> JsValue {
    let mut explained = explain(error);
    if matches!(error, GenerateError::Tokenizer(TokenizerError::UnknownPreTokenizer { .. })) {
        explained.code = "unknown-pre-tokenizer";
    }
    reject(&explained)
}
