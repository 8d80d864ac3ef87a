//! The origin of a difference: the first tensor, in order of execution, of which some bit differs between a cold and a warm run.
//!
//! Whatever one position leaves to later ones is its K and V. So the first position at which those differ, in any layer, is where the
//! difference began; where all are equal, it can only have begun at the last position of the prompt, whose logits choose a token. That
//! position is computed again in both runs, tapped, and the first tensor that differs is the origin. A difference that no kernel makes
//! again was put into the cache: then the cached value is the origin.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use super::kv_map::KvMap;
use super::replay::{Lane, Pair, Schedule};
use crate::generate::GenerateError;
use crate::model::{KvSlot, Outputs, Tap, TapRun, TapTensor, TappedRow};
use crate::numerics::Numerics;
use crate::numerics::ulp::ulp_distance;
use crate::tokenizer::TokenId;

/// How a row of a tensor was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct Writer {
    /// The kernel.
    pub kernel: String,
    /// For K and V, the attention kernel of the same step: those of every layer but the first depend on it.
    pub attention_kernel: Option<String>,
    /// Rows of the step.
    pub chunk_rows: usize,
    /// Number of the step in its run, from 0: the schedule's, then one for each token.
    pub step: usize,
}

/// One run's side of the origin.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct OriginSide {
    /// The value.
    pub value: f32,
    /// Its bits, in hexadecimal.
    pub bits: String,
    /// What wrote it; of a value that was altered in the cache, what had written it before.
    pub writer: Writer,
    /// The cache held another value than the kernel writes.
    pub altered: bool,
}

/// The first value of which some bit differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct Origin {
    /// Layer, from 0; none for the logits.
    pub layer: Option<u32>,
    /// Which tensor.
    pub tensor: TapTensor,
    /// Position in the sequence.
    pub position: usize,
    /// Index in the tensor's row.
    pub index: u32,
    /// Representable numbers between the two values.
    pub ulp: u32,
    /// The cold run's value.
    pub cold: OriginSide,
    /// The warm run's value.
    pub warm: OriginSide,
    /// How far every tensor of that position is apart, in order of execution.
    pub taps: Vec<Tap>,
}

/// What a search for the origin found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct OriginSearch {
    /// The origin; none where every bit is equal.
    pub origin: Option<Origin>,
    /// The caches as the runs had left them.
    pub kv: KvMap,
}

impl OriginSearch {
    /// What was found, in one sentence.
    pub fn sentence(&self) -> String {
        match &self.origin {
            Some(origin) => origin.to_string(),
            None => "none: every bit of every tensor is equal".to_owned(),
        }
    }
}

/// A value that differs: where, and what it is in both runs.
struct Found {
    layer: Option<u32>,
    tensor: TapTensor,
    index: u32,
    values: [f32; 2],
}

/// The step that leaves a position's row to later ones: its number, and the positions that it computes.
#[derive(Clone)]
struct LastStep {
    number: usize,
    positions: Range<usize>,
}

impl Pair<'_> {
    /// Looks for the origin of what differs between the two runs. They have computed `ids` in full: a prompt by these schedules, then
    /// one token after another. Both are computed again up to the origin's position.
    ///
    /// # Errors
    /// [`GenerateError::Schedule`] where the pair has not computed as many tokens; GPU errors.
    pub async fn origin(
        &mut self,
        ids: &[TokenId],
        cold: &Schedule,
        warm: &Schedule,
    ) -> Result<OriginSearch, GenerateError> {
        let n_prompt = cold.n_positions();
        if ids.len() != self.n_positions || n_prompt > ids.len() || n_prompt != warm.n_positions() {
            return Err(GenerateError::Schedule { n_positions: self.n_positions.min(n_prompt), n_ids: ids.len() });
        }
        let n_positions = u32::try_from(ids.len()).expect("a sequence is shorter than the context");
        let sequences = [self.cold, self.warm].map(|lane| lane.rows(0, &[0])[0].sequence);
        let layers = self.engine.pass().kv_difference(sequences, n_positions).await?;
        let Numerics { k, v, .. } = *self.engine.numerics();
        let kv = KvMap::new(&layers, self.engine.model().config.kv_dim(), [k, v]);
        let first = (0..ids.len()).find(|&p| layers.iter().any(|of| !of.k[p].row.is_none() || !of.v[p].row.is_none()));
        let cached = match first {
            Some(position) => self.cached_difference(position).await?,
            None => None,
        };
        let position = first.unwrap_or(n_prompt.saturating_sub(1));
        let (taps, steps) = self.taps_at(ids, cold, warm, position).await?;
        let origin = match (self.first_difference(&taps).await?, cached) {
            (Some(found), _) => Some(self.describe(found, position, &steps, taps, [false; 2])),
            (None, Some(found)) => {
                // Both kernels write the same: a cached value that is another was altered.
                let [written, _] = self.engine.pass().tapped_values(found.layer, found.tensor).await?;
                let written = written[found.index as usize].to_bits();
                let altered = found.values.map(|value| value.to_bits() != written);
                Some(self.describe(found, position, &steps, taps, altered))
            }
            (None, None) => self.origin_behind_the_prompt(ids, cold, warm).await?,
        };
        Ok(OriginSearch { origin, kv })
    }

    /// The first cached value that differs at a position.
    async fn cached_difference(&mut self, position: usize) -> Result<Option<Found>, GenerateError> {
        let [cold, warm] = [self.cold, self.warm].map(|lane| slot(&lane, position));
        self.engine.pass().tap_cached(cold, TapRun::First).await?;
        let taps = self.engine.pass().tap_cached(warm, TapRun::Second).await?;
        self.first_difference(&taps).await
    }

    /// Computes both runs again up to the step that leaves a position's row, and taps that row.
    async fn taps_at(
        &mut self,
        ids: &[TokenId],
        cold: &Schedule,
        warm: &Schedule,
        position: usize,
    ) -> Result<(Vec<Tap>, [LastStep; 2]), GenerateError> {
        let mut taps = Vec::new();
        let steps = [cold, warm].map(|schedule| last_step(schedule, ids.len(), position));
        let runs = [(self.cold, cold, TapRun::First), (self.warm, warm, TapRun::Second)];
        for ((lane, schedule, run), last) in runs.into_iter().zip(&steps) {
            for step in all_steps(schedule, ids.len()).take(last.number) {
                self.engine.pass().forward(&lane.rows(step.start, &ids[step]), Outputs::None).await?;
            }
            taps = self.tapped_step(lane, ids, last.positions.clone(), position, run).await?;
        }
        Ok((taps, steps))
    }

    /// One step of a run with one of its rows tapped.
    async fn tapped_step(
        &mut self,
        lane: Lane,
        ids: &[TokenId],
        positions: Range<usize>,
        tapped: usize,
        run: TapRun,
    ) -> Result<Vec<Tap>, GenerateError> {
        let rows = lane.rows(positions.start, &ids[positions.clone()]);
        let outputs = if tapped + 1 == positions.end { Outputs::Last } else { Outputs::None };
        let row = u32::try_from(tapped - positions.start).expect("a step is at most MAX_ROWS rows");
        let (_, taps) = self.engine.pass().forward_tapped(&rows, outputs, TappedRow { row, run }).await?;
        Ok(taps)
    }

    /// The first difference at the tokens that were decoded, where the prompt left none.
    async fn origin_behind_the_prompt(
        &mut self,
        ids: &[TokenId],
        cold: &Schedule,
        warm: &Schedule,
    ) -> Result<Option<Origin>, GenerateError> {
        for position in cold.n_positions()..ids.len() {
            self.tapped_step(self.cold, ids, position..position + 1, position, TapRun::First).await?;
            let taps = self.tapped_step(self.warm, ids, position..position + 1, position, TapRun::Second).await?;
            if let Some(found) = self.first_difference(&taps).await? {
                let steps = [cold, warm].map(|schedule| last_step(schedule, ids.len(), position));
                return Ok(Some(self.describe(found, position, &steps, taps, [false; 2])));
            }
        }
        Ok(None)
    }

    async fn first_difference(&mut self, taps: &[Tap]) -> Result<Option<Found>, GenerateError> {
        let first = taps.iter().find_map(|tap| Some((tap, tap.difference?.first_index?)));
        let Some((&Tap { layer, tensor, .. }, index)) = first else { return Ok(None) };
        let halves = self.engine.pass().tapped_values(layer, tensor).await?;
        Ok(Some(Found { layer, tensor, index, values: halves.map(|half| half[index as usize]) }))
    }

    fn describe(
        &mut self,
        found: Found,
        position: usize,
        steps: &[LastStep; 2],
        taps: Vec<Tap>,
        altered: [bool; 2],
    ) -> Origin {
        let Found { layer, tensor, index, values } = found;
        let pass = self.engine.pass();
        let side = |run: usize| {
            let LastStep { number, positions } = &steps[run];
            let kernel = |tensor| pass.writer(layer, tensor, positions.len(), position);
            let is_cached = matches!(tensor, TapTensor::K | TapTensor::V);
            OriginSide {
                value: values[run],
                bits: format!("{:#010x}", values[run].to_bits()),
                writer: Writer {
                    kernel: kernel(tensor),
                    attention_kernel: is_cached.then(|| kernel(TapTensor::AttentionOutput)),
                    chunk_rows: positions.len(),
                    step: *number,
                },
                altered: altered[run],
            }
        };
        let (cold, warm) = (side(0), side(1));
        Origin { layer, tensor, position, index, ulp: ulp_distance(values[0], values[1]), cold, warm, taps }
    }
}

/// Where the cache holds a position of a lane.
pub(super) fn slot(lane: &Lane, position: usize) -> KvSlot {
    let row = lane.rows(position, &[0])[0];
    KvSlot::new(row.block, row.position)
}

/// The steps of a run: its prompt's, then one for each further token.
fn all_steps(schedule: &Schedule, n_ids: usize) -> impl Iterator<Item = Range<usize>> {
    let decoded = (schedule.n_positions()..n_ids).map(|position| position..position + 1);
    schedule.steps().iter().cloned().chain(decoded)
}

/// The last step that computes a position.
fn last_step(schedule: &Schedule, n_ids: usize, position: usize) -> LastStep {
    let steps = all_steps(schedule, n_ids).enumerate();
    let with_position = steps.filter(|(_, positions)| positions.contains(&position));
    let (number, positions) = with_position.last().expect("a schedule computes every position");
    LastStep { number, positions }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tensor, position, index, ulp, cold, warm, .. } = self;
        write!(f, "first different bit: ")?;
        if let Some(layer) = self.layer {
            write!(f, "layer {layer}, ")?;
        }
        write!(f, "{} of position {position}, index {index}: ", tensor.name())?;
        for (name, side, end) in [("cold", cold, ", "), ("warm", warm, "")] {
            let OriginSide { value, bits, writer, altered } = side;
            match altered {
                false => write!(f, "the {name} run wrote {value} ({bits}) by {writer}{end}")?,
                true => write!(
                    f,
                    "the cache of the {name} run held {value} ({bits}), which is not what {writer} writes{end}"
                )?,
            }
        }
        write!(f, "; {ulp} ulp apart")
    }
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = if self.chunk_rows == 1 { "row" } else { "rows" };
        write!(f, "{} in a step of {} {rows}", self.kernel, self.chunk_rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_left_by_the_last_step_that_computes_it() {
        let warm = Schedule::warm_same_prompt(70, 64);
        let step = |position| {
            let step = last_step(&warm, 73, position);
            (step.number, step.positions)
        };
        assert_eq!(step(0), (0, 0..64));
        assert_eq!(step(68), (1, 64..70));
        assert_eq!(step(69), (2, 69..70));
        assert_eq!(step(72), (5, 72..73));
        assert_eq!(all_steps(&warm, 73).count(), 6);
    }

    #[test]
    fn a_sentence_names_place_values_and_kernels() {
        let side = |value: f32, kernel: &str, chunk_rows, altered| OriginSide {
            value,
            bits: format!("{:#010x}", value.to_bits()),
            writer: Writer { kernel: kernel.to_owned(), attention_kernel: None, chunk_rows, step: 0 },
            altered,
        };
        let mut origin = Origin {
            layer: Some(3),
            tensor: TapTensor::K,
            position: 17,
            index: 5,
            ulp: 1,
            cold: side(0.5, "qkv_q4_1_tiled", 61, false),
            warm: side(0.500_000_06, "qkv_q4_1_vector", 1, false),
            taps: Vec::new(),
        };
        let expected = "first different bit: layer 3, K of position 17, index 5: the cold run wrote 0.5 (0x3f000000) by \
            qkv_q4_1_tiled in a step of 61 rows, the warm run wrote 0.50000006 (0x3f000001) by qkv_q4_1_vector in a step of 1 row; \
            1 ulp apart";
        assert_eq!(origin.to_string(), expected);
        origin.layer = None;
        origin.tensor = TapTensor::Logits;
        origin.warm.altered = true;
        let sentence = origin.to_string();
        assert!(sentence.starts_with("first different bit: logits of position 17, index 5: the cold run wrote"));
        let expected = "the cache of the warm run held 0.50000006 (0x3f000001), which is not what qkv_q4_1_vector in a step of 1 row writes";
        assert!(sentence.contains(expected), "{sentence}");
    }
}
