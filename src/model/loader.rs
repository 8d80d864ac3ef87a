//! A model file taken in as it arrives: header, then tensors straight to the GPU; the file is never held whole.

use std::sync::Arc;

use serde::Serialize;

use super::{ModelConfig, ModelError, ModelWeights, WeightsLoader};
use crate::gguf::{GgufFile, GgufStream, StreamEvent};
use crate::gpu::Device;

/// How far a file has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ModelProgress"))]
pub struct LoadProgress {
    /// Bytes taken in.
    pub bytes_received: u64,
    /// Tensors on the GPU.
    pub tensors_uploaded: usize,
    /// Tensors of the file; 0 until the header is read.
    pub tensors_total: usize,
}

/// A model: on the GPU, or in memory for the CPU twin.
#[derive(Debug)]
pub struct Model<W = ModelWeights> {
    /// Its sizes.
    pub config: ModelConfig,
    /// Its weights.
    pub weights: W,
    /// Header of its file; tokenizer and chat template come from here.
    pub file: Arc<GgufFile>,
    /// SHA-256 of the file.
    pub sha256: [u8; 32],
    /// Bytes of the file.
    pub len_bytes: u64,
    /// Names of the matrices that hold nothing but zeros, in the order of the file.
    pub zero_matrices: Vec<String>,
}

impl<W> Model<W> {
    /// Whether the file is the one that was `expected` (64 hex digits), where one was.
    ///
    /// # Errors
    /// [`ModelError::WrongHash`].
    pub fn check_sha256(&self, expected: Option<&str>) -> Result<(), ModelError> {
        check_sha256(self.sha256, expected)
    }
}

fn check_sha256(found: [u8; 32], expected: Option<&str>) -> Result<(), ModelError> {
    let found: String = found.iter().map(|byte| format!("{byte:02x}")).collect();
    match expected {
        Some(expected) if !expected.eq_ignore_ascii_case(&found) => {
            Err(ModelError::WrongHash { expected: expected.to_owned(), found })
        }
        _ => Ok(()),
    }
}

/// Takes the bytes of a GGUF file in order, or those of a model's files.
pub struct ModelLoader {
    device: Device,
    stream: GgufStream,
    weights: Option<WeightsLoader>,
    uploaded: usize,
    failed: bool,
}

impl std::fmt::Debug for ModelLoader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelLoader").field("uploaded", &self.uploaded).finish_non_exhaustive()
    }
}

impl ModelLoader {
    /// A loader that expects `total_bytes` bytes where that is known.
    pub fn new(device: &Device, total_bytes: Option<u64>) -> Self {
        Self { device: device.clone(), stream: GgufStream::new(total_bytes), weights: None, uploaded: 0, failed: false }
    }

    /// A loader by way of `stream`, which may know the header of several files.
    ///
    /// # Errors
    /// Those of [`super::check_header`].
    pub fn of_stream(device: &Device, stream: GgufStream) -> Result<Self, ModelError> {
        let weights = stream.header().map(|header| WeightsLoader::new(device, Arc::clone(header))).transpose()?;
        Ok(Self { device: device.clone(), stream, weights, uploaded: 0, failed: false })
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// Everything that can be wrong with a file, and GPU errors. After one, the loader is spent: [`ModelError::SpentLoader`].
    pub async fn push(&mut self, bytes: &[u8]) -> Result<LoadProgress, ModelError> {
        if self.failed {
            return Err(ModelError::SpentLoader);
        }
        let progress = self.take(bytes).await;
        self.failed = progress.is_err();
        progress
    }

    async fn take(&mut self, bytes: &[u8]) -> Result<LoadProgress, ModelError> {
        for event in self.stream.push(bytes)? {
            match (event, &mut self.weights) {
                (StreamEvent::Header(file), _) => self.weights = Some(WeightsLoader::new(&self.device, file)?),
                (StreamEvent::Tensor { index, bytes }, Some(weights)) => {
                    weights.push(index, &bytes).await?;
                    self.uploaded += 1;
                }
                (StreamEvent::Tensor { .. }, None) => {}
            }
        }
        Ok(LoadProgress {
            bytes_received: self.stream.total_bytes(),
            tensors_uploaded: self.uploaded,
            tensors_total: self.stream.header().map_or(0, |file| file.tensors.len()),
        })
    }

    /// The model, once every byte has been pushed.
    ///
    /// # Errors
    /// [`ModelError::WrongHash`] where `expected_sha256` (64 hex digits) is another file's; a truncated file; GPU errors.
    pub async fn finish(self, expected_sha256: Option<&str>) -> Result<Model, ModelError> {
        if self.failed {
            return Err(ModelError::SpentLoader);
        }
        let file = self.stream.header().cloned();
        let summary = self.stream.finish()?;
        check_sha256(summary.sha256, expected_sha256)?;
        let missing = || ModelError::MissingTensor { name: "token_embd.weight".to_owned() };
        let (loader, file) = self.weights.zip(file).ok_or_else(missing)?;
        let (config, zero_matrices) = (loader.config().clone(), loader.zero_matrices().to_vec());
        let weights = loader.finish()?;
        self.device.finished().await?;
        let (sha256, len_bytes) = (summary.sha256, summary.total_bytes);
        Ok(Model { config, weights, file, sha256, len_bytes, zero_matrices })
    }
}
