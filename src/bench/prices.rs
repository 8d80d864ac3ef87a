//! What order invariant costs in the formats of whole steps, and what another choice of formats costs.

use serde::Serialize;

use super::steps::{Price, Runner, Way, price};
use crate::gpu::Device;
use crate::model::ModelError;
use crate::numerics::Formats;

/// Prices in one choice of formats.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct OrderPrices {
    /// The formats.
    pub formats: Formats,
    /// Order invariant over by-shape, decoding.
    pub decode: Price,
    /// Order invariant over by-shape, prefill.
    pub prefill: Price,
    /// By-shape decoding in these formats over that in the chosen ones; none for the chosen ones themselves.
    pub decode_over_chosen: Option<Price>,
}

impl OrderPrices {
    /// Measures two runners of the same formats, which have the prompt behind them afterwards.
    pub(super) async fn measure(
        device: &Device,
        by_shape: &mut Runner,
        invariant: &mut Runner,
        tokens: u32,
        n_quadruples: usize,
    ) -> Result<Self, ModelError> {
        // First the prompt, since decoding goes on behind it.
        let prefill = price(device, n_quadruples, async |way| match way {
            Way::Plain => by_shape.prefill().await,
            Way::Priced => invariant.prefill().await,
        })
        .await?;
        let decode = price(device, n_quadruples, async |way| match way {
            Way::Plain => by_shape.decode(tokens).await,
            Way::Priced => invariant.decode(tokens).await,
        })
        .await?;
        Ok(Self { formats: by_shape.formats(), decode, prefill, decode_over_chosen: None })
    }
}
