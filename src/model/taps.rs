//! Taps: what every tensor of one row held in a step, hashed, and compared between two runs on the GPU.
//!
//! Two runs that are fed the same tokens tap the same position, one after the other, each writing its half of a tape. The buffers and
//! pipelines are made when a tap is first asked for; a step that is not tapped records nothing of this.

use serde::{Deserialize, Serialize};

use super::kv_edit::KvSlot;
use super::kv_pool::BLOCK_POSITIONS;
use super::plan::padded_vocab;
use super::{ForwardPass, ModelConfig, ModelError, Outputs, Row};
use crate::gpu::select::{KernelShape, PerShape, step_shape};
use crate::gpu::step::{RowDifference, TapRecord, TapShape, TapStep, Top};
use crate::gpu::{Bindings, Buffer, Device, Kernel, Recorder, TapSource};
use crate::numerics::ulp::Difference;

/// A tensor that can be tapped, in the order in which a layer writes them; the logits come after the last layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum TapTensor {
    /// Queries, rotated. // [q_dim]
    Q,
    /// Keys as cached. // [kv_dim]
    K,
    /// Values as cached. // [kv_dim]
    V,
    /// Attention's output as attn_output reads it. // [q_dim]
    AttentionOutput,
    /// The residual stream after attention. // [embedding_dim]
    ResidualAfterAttention,
    /// What ffn_down reads. // [feed_forward_dim]
    FfnHidden,
    /// The residual stream after the feed-forward layer. // [embedding_dim]
    ResidualAfterFfn,
    /// The logits. // [vocab_size]
    Logits,
}

impl TapTensor {
    /// What it is called in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Q => "Q",
            Self::K => "K",
            Self::V => "V",
            Self::AttentionOutput => "attention output",
            Self::ResidualAfterAttention => "residual stream after attention",
            Self::FfnHidden => "FFN hidden",
            Self::ResidualAfterFfn => "residual stream after FFN",
            Self::Logits => "logits",
        }
    }
}

/// The tensors of a layer.
const OF_A_LAYER: [TapTensor; 7] = [
    TapTensor::Q,
    TapTensor::K,
    TapTensor::V,
    TapTensor::AttentionOutput,
    TapTensor::ResidualAfterAttention,
    TapTensor::FfnHidden,
    TapTensor::ResidualAfterFfn,
];

/// Which of two runs writes its half of the tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TapRun {
    /// The first: nothing to compare with yet.
    First,
    /// The second: compared with the first.
    Second,
}

/// What was tapped of one tensor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct Tap {
    /// Layer, from 0; none for the logits.
    pub layer: Option<u32>,
    /// Which tensor.
    pub tensor: TapTensor,
    /// 128-bit hash of the bits of its values.
    pub hash: [u32; 4],
    /// How far it is from the first run's; none in the first run.
    pub difference: Option<Difference>,
}

/// One tensor of one layer, bound to the kernel that taps it.
#[derive(Debug)]
pub(super) struct TapSite {
    bindings: PerShape<Bindings>,
    pub(super) n_values: u32,
    pub(super) tape_at: u32,
}

/// Everything that tapping needs.
#[derive(Debug)]
pub(super) struct Taps {
    f32: Kernel,
    activations: PerShape<Kernel>,
    k: Kernel,
    v: Kernel,
    pub(super) sites: Vec<TapSite>, // [layer, 7], then the logits
    step: Buffer,                   // TapStep
    pub(super) tape: Buffer,        // [2, tape_len] f32
    records: Buffer,                // [site] TapRecord
    staging: Buffer,                // [site] TapRecord
    pub(super) tape_len: u32,
}

impl Taps {
    async fn new(pass: &ForwardPass) -> Result<Self, ModelError> {
        let (device, config, acts) = (&pass.device, &pass.config, &pass.activations);
        let PerShape { vector: target, tiled: of_many } = pass.kernels.target;
        let compile = async |source: TapSource| Kernel::new(device, source.name(), &target.tap(source)).await;
        let (f32, few) = (compile(TapSource::F32).await?, compile(TapSource::Activations).await?);
        let many = if of_many == target {
            few.clone()
        } else {
            Kernel::new(device, TapSource::Activations.name(), &of_many.tap(TapSource::Activations)).await?
        };
        let activations = PerShape { vector: few, tiled: many };
        let k = compile(TapSource::Kv(target.k)).await?;
        let v = if target.v == target.k { k.clone() } else { compile(TapSource::Kv(target.v)).await? };
        let n_sites = config.n_blocks * OF_A_LAYER.len() as u32 + 1;
        let tape_len = n_values(config, TapTensor::Logits)
            + config.n_blocks * OF_A_LAYER.iter().map(|tensor| n_values(config, *tensor)).sum::<u32>();
        let records_len = u64::from(n_sites) * size_of::<TapRecord>() as u64;
        let mut taps = Self {
            f32,
            activations,
            k,
            v,
            sites: Vec::new(),
            step: device.uniform("tap step", bytemuck::bytes_of(&TapStep::default())).await?,
            tape: device.storage("tape", u64::from(tape_len) * 8).await?,
            records: device.storage("tap records", records_len).await?,
            staging: device.staging("tap records staging", records_len).await?,
            tape_len,
        };
        let mut tape_at = 0;
        for (layer, (k, v)) in (0..).zip(pass.kv.k.layers.iter().zip(&pass.kv.v.layers)) {
            for tensor in OF_A_LAYER {
                let buffers = match tensor {
                    TapTensor::Q => vec![(2, &acts.q)],
                    TapTensor::K => vec![(2, k)],
                    TapTensor::V => vec![(2, v)],
                    TapTensor::AttentionOutput => acts.attended.tapped(),
                    TapTensor::FfnHidden => acts.hidden.tapped(),
                    _ => vec![(2, &acts.residual)],
                };
                let shape = shape(config, tensor, layer, tape_at);
                tape_at += shape.n_values;
                taps.add_site(device, tensor, shape, &buffers).await?;
            }
        }
        let shape = shape(config, TapTensor::Logits, config.n_blocks, tape_at);
        taps.add_site(device, TapTensor::Logits, shape, &[(2, &acts.logits)]).await?;
        Ok(taps)
    }

    async fn add_site(
        &mut self,
        device: &Device,
        tensor: TapTensor,
        shape: TapShape,
        buffers: &[(u32, &Buffer)],
    ) -> Result<(), ModelError> {
        let uniform = device.uniform("tap shape", bytemuck::bytes_of(&shape)).await?;
        let mut bound = vec![(0, &self.step), (1, &uniform), (4, &self.tape), (5, &self.records)];
        bound.extend(buffers);
        let bind = |shape| {
            let kernel = self.kernel(tensor, shape);
            // Only int8 rows have something beside them that a tap reads.
            let bound: Vec<_> = bound.iter().copied().filter(|(binding, _)| kernel.binds(*binding)).collect();
            kernel.bind(device, &bound)
        };
        let bindings = PerShape { vector: bind(KernelShape::Vector), tiled: bind(KernelShape::Tiled) };
        self.sites.push(TapSite { bindings, n_values: shape.n_values, tape_at: shape.tape_at });
        Ok(())
    }

    /// What taps a tensor in a step of this shape, whose arithmetic decides how activations lie in memory.
    fn kernel(&self, tensor: TapTensor, step: KernelShape) -> &Kernel {
        match tensor {
            TapTensor::K => &self.k,
            TapTensor::V => &self.v,
            TapTensor::AttentionOutput | TapTensor::FfnHidden => self.activations.get(step),
            _ => &self.f32,
        }
    }

    /// Records the taps of some tensors of a layer, behind what wrote them.
    pub(super) fn record<'a>(
        &'a self,
        record: &mut Recorder<'a>,
        step: KernelShape,
        layer: u32,
        tensors: &[TapTensor],
    ) {
        for tensor in tensors {
            let site = &self.sites[site_index(layer, *tensor)];
            let n_workgroups = site.n_values.div_ceil(32).div_ceil(8);
            record.dispatch(self.kernel(*tensor, step), site.bindings.get(step), (n_workgroups, 1, 1));
        }
    }

    /// Records the way of all records to where they are read.
    pub(super) fn record_copy<'a>(&'a self, record: &mut Recorder<'a>) {
        record.copy(&self.records, 0, &self.staging, 0, self.records_len());
    }

    fn records_len(&self) -> u64 {
        (self.sites.len() * size_of::<TapRecord>()) as u64
    }

    /// Tells the kernels which row is tapped, before the step is submitted.
    fn begin(&self, device: &Device, places: [u32; 4], run: TapRun) {
        let step = TapStep { places, run: u32::from(run == TapRun::Second), tape_len: self.tape_len, unused: [0; 2] };
        device.write(&self.step, 0, bytemuck::bytes_of(&step));
        device.write(&self.records, 0, &vec![0; self.sites.len() * size_of::<TapRecord>()]);
    }

    /// Layer and tensor of every site.
    pub(super) fn places(&self) -> impl Iterator<Item = (Option<u32>, TapTensor)> {
        let n_layers = (self.sites.len() - 1) / OF_A_LAYER.len();
        let layers = (0..n_layers as u32).flat_map(|layer| OF_A_LAYER.map(|tensor| (Some(layer), tensor)));
        layers.chain([(None, TapTensor::Logits)])
    }

    /// What was tapped, of the sites that were recorded.
    async fn read(&self, device: &Device, run: TapRun) -> Result<Vec<Tap>, ModelError> {
        let bytes = device.read_staging("tap records", &self.staging, self.records_len()).await?;
        let records: Vec<TapRecord> = bytemuck::pod_collect_to_vec(&bytes);
        let tap = |((layer, tensor), record): ((Option<u32>, TapTensor), TapRecord)| Tap {
            layer,
            tensor,
            hash: record.hash,
            difference: (run == TapRun::Second).then(|| difference(record.difference)),
        };
        // The hash of nothing is zero: a site that no kernel wrote to was not tapped.
        Ok(self.places().zip(records).map(tap).filter(|tap| tap.hash != [0; 4]).collect())
    }
}

/// Taps of one step.
pub(super) struct Tapped<'a> {
    pub(super) taps: &'a Taps,
    /// Which kernels the step runs.
    pub(super) step: KernelShape,
    /// Whether the logits are among them.
    pub(super) logits: bool,
}

/// One row of a step to be tapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TappedRow {
    /// Its number among the step's rows.
    pub row: u32,
    /// Which run this is.
    pub run: TapRun,
}

impl ForwardPass {
    /// [`ForwardPass::forward`] with one row tapped: the residual stream, Q, K, V, attention output and FFN hidden of every layer, and
    /// the logits where they are wanted of that row.
    ///
    /// # Errors
    /// [`ModelError::TappedRow`] before anything runs; those of [`ForwardPass::forward`].
    pub async fn forward_tapped(
        &mut self,
        rows: &[Row],
        outputs: Outputs,
        tapped: TappedRow,
    ) -> Result<(Vec<Top>, Vec<Tap>), ModelError> {
        let row = rows.get(tapped.row as usize);
        let row = row.ok_or(ModelError::TappedRow { row: tapped.row, n_rows: rows.len() })?;
        let n_rows = self.write_step(rows, outputs)?;
        let n_outputs = outputs.count(n_rows);
        let output_row = (tapped.row + n_outputs).checked_sub(n_rows);
        let slot = row.block * BLOCK_POSITIONS + row.position % BLOCK_POSITIONS;
        self.make_taps().await?;
        let taps = self.taps.as_ref().expect("they were just made");
        taps.begin(&self.device, [tapped.row, output_row.unwrap_or(0), slot, 0], tapped.run);
        self.record(
            rows,
            n_rows,
            n_outputs,
            Some(Tapped { taps, step: step_shape(n_rows), logits: output_row.is_some() }),
        )
        .submit(&self.device);
        let tops = self.read_tops(rows, n_outputs).await?;
        Ok((tops, taps.read(&self.device, tapped.run).await?))
    }

    /// Taps what the cache holds for one position: K and V of every layer.
    ///
    /// # Errors
    /// [`ModelError::CacheSlot`] where there is no such slot; GPU errors.
    pub async fn tap_cached(&mut self, slot: KvSlot, run: TapRun) -> Result<Vec<Tap>, ModelError> {
        self.check_slot(0, slot, 1)?;
        self.make_taps().await?;
        let taps = self.taps.as_ref().expect("they were just made");
        taps.begin(&self.device, [0, 0, slot.block * BLOCK_POSITIONS + slot.offset, 0], run);
        let mut record = Recorder::default();
        for layer in 0..self.config.n_blocks {
            taps.record(&mut record, KernelShape::Vector, layer, &[TapTensor::K, TapTensor::V]);
        }
        taps.record_copy(&mut record);
        record.submit(&self.device);
        taps.read(&self.device, run).await
    }

    pub(super) async fn make_taps(&mut self) -> Result<(), ModelError> {
        if self.taps.is_none() {
            self.taps = Some(Taps::new(self).await?);
        }
        Ok(())
    }
}

/// Values of a tensor.
fn n_values(config: &ModelConfig, tensor: TapTensor) -> u32 {
    match tensor {
        TapTensor::Q | TapTensor::AttentionOutput => config.q_dim(),
        TapTensor::K | TapTensor::V => config.kv_dim(),
        TapTensor::ResidualAfterAttention | TapTensor::ResidualAfterFfn => config.embedding_dim,
        TapTensor::FfnHidden => config.feed_forward_dim,
        TapTensor::Logits => config.vocab_size,
    }
}

pub(super) fn shape(config: &ModelConfig, tensor: TapTensor, layer: u32, tape_at: u32) -> TapShape {
    TapShape {
        n_values: n_values(config, tensor),
        row_len: if tensor == TapTensor::Logits { padded_vocab(config) } else { n_values(config, tensor) },
        place: match tensor {
            TapTensor::Logits => 1,
            TapTensor::K | TapTensor::V => 2,
            _ => 0,
        },
        tape_at,
        record: site_index(layer, tensor) as u32,
        unused: [0; 3],
    }
}

/// Number of a tensor's site; of the logits with the number of layers for a layer.
pub(super) fn site_index(layer: u32, tensor: TapTensor) -> usize {
    let of_layer = OF_A_LAYER.iter().position(|other| *other == tensor).unwrap_or(0);
    layer as usize * OF_A_LAYER.len() + of_layer
}

pub(super) fn difference(words: RowDifference) -> Difference {
    Difference {
        n_differing: words.n_differing,
        first_index: (words.n_differing > 0).then(|| u32::MAX - words.first_from_end),
        largest_ulp: words.largest_ulp,
        largest_absolute: f32::from_bits(words.largest_bits),
    }
}
