//! The values on the tape that taps write: of one tensor in both runs, or of all tensors in one.

use std::ops::Range;

use super::taps::site_index;
use super::{ForwardPass, ModelError, TapRun, TapTensor};

/// One run's half of the tape. A tensor that the last tapped step did not write to keeps what was tapped before.
#[derive(Debug, Clone)]
pub struct Tape {
    values: Vec<f32>,
    places: Vec<(Option<u32>, TapTensor, Range<usize>)>,
}

impl Tape {
    /// Layer (none for the logits), tensor and values of every row, in order of execution.
    pub fn rows(&self) -> impl Iterator<Item = (Option<u32>, TapTensor, &[f32])> {
        self.places.iter().map(|(layer, tensor, range)| (*layer, *tensor, &self.values[range.clone()]))
    }
}

impl ForwardPass {
    /// All that one run last tapped.
    ///
    /// # Errors
    /// GPU errors.
    pub async fn tape(&mut self, run: TapRun) -> Result<Tape, ModelError> {
        self.make_taps().await?;
        let taps = self.taps.as_ref().expect("they were just made");
        let values = self.read_tape(run, 0, taps.tape_len).await?;
        let range = |at: u32, n: u32| at as usize..(at + n) as usize;
        let places = taps.places().zip(&taps.sites);
        let places =
            places.map(|((layer, tensor), site)| (layer, tensor, range(site.tape_at, site.n_values))).collect();
        Ok(Tape { values, places })
    }

    /// The values of a tensor on both halves of the tape, as they were last tapped: the first run's, the second's.
    ///
    /// # Errors
    /// GPU errors.
    pub async fn tapped_values(&mut self, layer: Option<u32>, tensor: TapTensor) -> Result<[Vec<f32>; 2], ModelError> {
        self.make_taps().await?;
        let taps = self.taps.as_ref().expect("they were just made");
        let site = &taps.sites[site_index(layer.unwrap_or(self.config.n_blocks), tensor)];
        let (at, n) = (site.tape_at, site.n_values);
        Ok([self.read_tape(TapRun::First, at, n).await?, self.read_tape(TapRun::Second, at, n).await?])
    }

    /// `n_values` values of a run's half from `at` on, of a tape that is there.
    async fn read_tape(&self, run: TapRun, at: u32, n_values: u32) -> Result<Vec<f32>, ModelError> {
        let taps = self.taps.as_ref().expect("the caller made them");
        let half = u32::from(run == TapRun::Second) * taps.tape_len;
        let (at, n_bytes) = (4 * u64::from(half + at), 4 * u64::from(n_values));
        let bytes = self.device.read_back_from("tape", &taps.tape, at, n_bytes).await?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}
