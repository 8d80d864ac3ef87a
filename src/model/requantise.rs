//! Weights in another format than the file's. Each matrix is read back from the device, made rows again, rounded to nearest and laid out
//! anew; the file's own matrices stay where they are, so any format can be had from them at any time without another download.

use std::ops::Range;

use super::{BlockWeights, Matrix, ModelError, ModelWeights, Source};
use crate::gpu::Device;
use crate::gpu::panel::{self, PANEL_ROWS, Panels};
use crate::numerics::WeightFormat;
use crate::quant::{TensorType, check_finite, quantize};

/// Weights that are on the CPU at once, as f32 and in both formats. A matrix is worked through in stretches of whole panels.
const STRETCH_WEIGHTS: usize = 1 << 20;

impl ModelWeights {
    /// These weights with every matrix in `format`. Matrices that have it already are the same buffers; norms always are.
    ///
    /// To be called on the weights of the file: what was rounded once would be rounded twice.
    ///
    /// # Errors
    /// [`ModelError::RowLength`] before anything is done; [`ModelError::WeightRange`] and GPU errors.
    pub async fn requantised(&self, device: &Device, format: WeightFormat) -> Result<Self, ModelError> {
        let Some(tensor_type) = TensorType::for_weights(format) else { return Ok(self.clone()) };
        for matrix in self.matrices() {
            check_row_length(matrix.name(), matrix.k, tensor_type)?;
        }
        let output = match &self.output {
            Some(output) => Some(requantised_parts(output, device, tensor_type).await?),
            None => None,
        };
        let mut blocks = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            let mut attn_qkv = Vec::with_capacity(block.attn_qkv.len());
            for matrix in &block.attn_qkv {
                attn_qkv.push(matrix.requantised(device, tensor_type).await?);
            }
            blocks.push(BlockWeights {
                attn_qkv,
                attn_output: block.attn_output.requantised(device, tensor_type).await?,
                ffn_gate_up: block.ffn_gate_up.requantised(device, tensor_type).await?,
                ffn_down: block.ffn_down.requantised(device, tensor_type).await?,
                ..block.clone()
            });
        }
        let token_embd = requantised_parts(&self.token_embd, device, tensor_type).await?;
        device.finished().await?;
        Ok(Self { token_embd, blocks, output, ..self.clone() })
    }
}

/// The parts of an embedding or a head in another format, cut again where the format's own are too large for one binding.
async fn requantised_parts(
    parts: &[Matrix],
    device: &Device,
    tensor_type: TensorType,
) -> Result<Vec<Matrix>, ModelError> {
    let most_bytes = device.report().limits.max_storage_buffer_binding_size;
    let mut requantised = Vec::new();
    for part in parts {
        for panels in panel::parts(tensor_type, part.k as usize, part.n_panels as usize, most_bytes) {
            let panels = panels.start as u32..panels.end as u32;
            requantised.push(part.requantised_panels(device, tensor_type, panels).await?);
        }
    }
    Ok(requantised)
}

impl Matrix {
    async fn requantised(&self, device: &Device, tensor_type: TensorType) -> Result<Self, ModelError> {
        self.requantised_panels(device, tensor_type, 0..self.n_panels).await
    }

    /// Some of its panels, or all, as a matrix in another format.
    async fn requantised_panels(
        &self,
        device: &Device,
        tensor_type: TensorType,
        panels: Range<u32>,
    ) -> Result<Self, ModelError> {
        let all = panels == (0..self.n_panels);
        if all && self.tensor_type == tensor_type {
            return Ok(self.clone());
        }
        let n_panels = panels.end - panels.start;
        let (values_len, scales_len) = self.panel_bytes(tensor_type);
        let name = self.name();
        let weights = device.storage(name, u64::from(n_panels) * values_len).await?;
        let scales = match scales_len {
            0 => None,
            _ => Some(device.storage(&format!("{name} scales"), u64::from(n_panels) * scales_len).await?),
        };
        let stretch = (STRETCH_WEIGHTS / (PANEL_ROWS * self.k as usize)).max(1);
        for first_panel in panels.clone().step_by(stretch) {
            let read = self.read_panels(device, first_panel, (stretch as u32).min(panels.end - first_panel)).await?;
            let found = requantised(&read, tensor_type).map_err(|row| {
                let panel = first_panel + row / PANEL_ROWS as u32;
                ModelError::WeightRange { name: self.tensor_of(panel).to_owned(), format: tensor_type.name() }
            })?;
            let at = u64::from(first_panel - panels.start);
            device.write(&weights, at * values_len, &found.weights);
            if let Some(scales) = &scales {
                device.write(scales, at * scales_len, &found.scales);
            }
        }
        let n_rows = (panels.end * PANEL_ROWS as u32).min(self.n_rows) - panels.start * PANEL_ROWS as u32;
        let sources = match all {
            true => self.sources.clone(),
            // Only parts of one tensor are cut.
            false => vec![Source { name: name.to_owned(), first_panel: 0, step: 1, n_panels }],
        };
        let first_panel = self.first_panel + panels.start;
        Ok(Self { sources, tensor_type, n_rows, n_panels, first_panel, weights, scales, ..self.clone() })
    }

    /// Up to `most` panels from `first_panel` on, from the device.
    pub(super) async fn read_panels(&self, device: &Device, first_panel: u32, most: u32) -> Result<Panels, ModelError> {
        let n_panels = u64::from(most.min(self.n_panels - first_panel));
        let first = u64::from(first_panel);
        let (values_len, scales_len) = self.panel_bytes(self.tensor_type);
        let name = self.name();
        let weights = device.read_back_from(name, &self.weights, first * values_len, n_panels * values_len).await?;
        let scales = match &self.scales {
            Some(scales) => device.read_back_from(name, scales, first * scales_len, n_panels * scales_len).await?,
            None => Vec::new(),
        };
        let n_rows = (n_panels as usize * PANEL_ROWS).min((self.n_rows - first_panel * PANEL_ROWS as u32) as usize);
        Ok(Panels { tensor_type: self.tensor_type, k: self.k as usize, n_rows, weights, scales })
    }

    /// Bytes of one panel in a format: `(quants or values, scales)`.
    fn panel_bytes(&self, tensor_type: TensorType) -> (u64, u64) {
        panel::len_bytes(tensor_type, u64::from(self.k) * PANEL_ROWS as u64)
    }
}

/// The same matrix in another format, or its first row with a number that the format cannot hold.
fn requantised(panels: &Panels, tensor_type: TensorType) -> Result<Panels, u32> {
    let bytes = quantize(tensor_type, &panels.values());
    check_finite(tensor_type, &bytes)
        .map_err(|found| (found.first_block * tensor_type.block().elements / panels.k) as u32)?;
    Ok(panel::from_rows(tensor_type, panels.k, &bytes))
}

/// Whether rows of `row_length` weights are whole blocks.
pub(super) fn check_row_length(name: &str, row_length: u32, tensor_type: TensorType) -> Result<(), ModelError> {
    let block = tensor_type.block().elements;
    if (row_length as usize).is_multiple_of(block) {
        return Ok(());
    }
    Err(ModelError::RowLength { name: name.to_owned(), row_length, format: tensor_type.name(), block })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quant::dequantize;

    #[test]
    fn rows_that_are_not_whole_blocks_are_refused_by_name() {
        for tensor_type in TensorType::all() {
            for row_length in [48, 64, 576, 768_u32] {
                let divides = row_length.is_multiple_of(tensor_type.block().elements as u32);
                assert_eq!(check_row_length("some.weight", row_length, tensor_type).is_ok(), divides, "{tensor_type}");
            }
        }
        let error = check_row_length("some.weight", 48, TensorType::Q3_32).expect_err("48 is no multiple of 32");
        assert_eq!(
            error.to_string(),
            "tensor some.weight has rows of 48 weights, which blocks of 32 (q3_32) do not divide"
        );
    }

    #[test]
    fn a_matrix_in_panels_is_quantised_as_its_rows_are() {
        let values: Vec<f32> = (0..40 * 256).map(|i| ((i * 37 % 101) as f32 - 50.0) / 400.0).collect();
        for from in TensorType::all() {
            let rows = quantize(from, &values);
            let mut rounded = vec![0.0; values.len()];
            dequantize(from, &rows, &mut rounded);
            for to in TensorType::all() {
                let found = requantised(&panel::from_rows(from, 256, &rows), to).expect("every format holds them");
                assert_eq!(found, panel::from_rows(to, 256, &quantize(to, &rounded)), "{from} to {to}");
            }
        }
        let mut large = values;
        large[33 * 256 + 5] = 1e9;
        let large = panel::from_rows(TensorType::F32, 256, &quantize(TensorType::F32, &large));
        assert_eq!(requantised(&large, TensorType::Q4_0), Err(33));
    }
}
