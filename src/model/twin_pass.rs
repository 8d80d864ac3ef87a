//! [`TwinPass`]: the forward pass on the CPU twin, as an engine runs it. Slow, and the same arithmetic.

use std::sync::Arc;

use super::check_weights::ROPE_FREQS;
use super::pass::check_rows;
use super::{Capacity, ModelConfig, ModelError, Outputs, Pass, Pause, Row, TwinWeights};
use crate::gpu::matmul_name;
use crate::gpu::select::KernelShape;
use crate::gpu::step::{MAX_ROWS, Top};
use crate::gpu::wgsl::Epilogue;
use crate::numerics::{Numerics, Site};
use crate::reference::forward::{TwinCache, TwinConfig, TwinModel, TwinRow};
use crate::reference::rope_table::RopeTables;
use crate::reference::top_k::top_k;

/// A model under one numerics on the CPU twin: its weights stay in the bytes of the file, its cache has the blocks of the GPU's.
#[derive(Debug)]
pub struct TwinPass {
    config: ModelConfig,
    weights: Arc<TwinWeights>,
    numerics: Numerics,
    capacity: Capacity,
    twin: TwinConfig,
    rope: Arc<RopeTables>,
    cache: TwinCache,
    logits: Vec<f32>, // [n_outputs, vocab_size]
    pause: Pause,
}

impl TwinPass {
    /// Allocates the cache.
    ///
    /// # Errors
    /// [`ModelError::Numerics`] where the model cannot have them, [`ModelError::Twin`] where the tensors are not those of the sizes.
    pub fn new(
        config: &ModelConfig,
        weights: &Arc<TwinWeights>,
        numerics: Numerics,
        capacity: Capacity,
    ) -> Result<Self, ModelError> {
        config.check_numerics(&numerics)?;
        let frequency_factors = weights.tensor(ROPE_FREQS);
        let frequency_factors = frequency_factors.map(|(_, bytes)| bytemuck::pod_collect_to_vec(bytes));
        let twin = config.twin(capacity.context_len, frequency_factors);
        let rope = Arc::new(RopeTables::new(&twin.rope, twin.window, twin.context_len));
        let model = TwinModel::with_rope(twin.clone(), Arc::clone(&rope), |name| weights.tensor(name))?;
        let cache = model.cache_of_blocks(capacity.n_cache_blocks as usize, capacity.n_sequences as usize);
        Ok(Self {
            config: config.clone(),
            weights: Arc::clone(weights),
            numerics,
            capacity,
            twin,
            rope,
            cache,
            logits: Vec::new(),
            pause: Pause::default(),
        })
    }

    /// Has steps wait for this before each layer. One that is told not to go on ends with [`ModelError::StepLeft`].
    pub fn set_pause(&mut self, pause: Pause) {
        self.pause = pause;
    }

    async fn step(&mut self, rows: &[Row], outputs: Outputs) -> Result<Vec<Top>, ModelError> {
        let n_rows = check_rows(rows, self.max_rows(), &self.config, self.capacity)?;
        let n_outputs = outputs.count(n_rows) as usize;
        let twin_row = |row: &Row| TwinRow {
            sequence: row.sequence as usize,
            position: row.position as usize,
            token_id: row.token,
        };
        let twin_rows: Vec<TwinRow> = rows.iter().map(twin_row).collect();
        // Made anew for each step, of borrowed weights: a few hundred look-ups by name beside millions of products.
        let weights = Arc::clone(&self.weights);
        let model = TwinModel::with_rope(self.twin.clone(), Arc::clone(&self.rope), |name| weights.tensor(name))?;
        let pause = async || self.pause.once().await;
        let logits = model.forward_pausing(&self.numerics, &mut self.cache, &twin_rows, n_outputs, |_| {}, pause).await;
        self.logits = logits.ok_or(ModelError::StepLeft)?;
        let mut tops = Vec::with_capacity(n_outputs);
        let output_rows = &rows[rows.len() - n_outputs..];
        for (row, logits) in output_rows.iter().zip(self.logits.chunks_exact(self.twin.vocab_size)) {
            let found = top_k(&logits[..self.config.n_tokens as usize], self.numerics.tie_rule);
            if found.not_finite {
                return Err(ModelError::LogitsNotFinite { position: row.position });
            }
            tops.push(Top {
                ids: found.entries.map(|(id, _)| id),
                values: found.entries.map(|(_, logit)| logit),
                hash: found.hash,
                ..Top::default()
            });
        }
        Ok(tops)
    }
}

impl Pass for TwinPass {
    type Weights = Arc<TwinWeights>;

    async fn forward(&mut self, rows: &[Row], outputs: Outputs) -> Result<Vec<Top>, ModelError> {
        self.step(rows, outputs).await
    }

    fn set_block_table(&mut self, sequence: u32, first: u32, blocks: &[u32]) {
        self.cache.set_block_table(sequence as usize, first as usize, blocks);
    }

    fn copy_blocks(&mut self, copies: &[(u32, u32)]) {
        for &(from, to) in copies {
            self.cache.copy_block(from as usize, to as usize);
        }
    }

    fn kernel_shape(&self, site: Site, n_rows: u32) -> KernelShape {
        KernelShape::for_rows(self.numerics.orders.of(site), n_rows)
    }

    /// The kernels whose twins ran.
    fn kernel_names(&self, n_rows: u32) -> Vec<String> {
        let architecture = self.config.architecture;
        let onto_stream = Epilogue::onto_stream(architecture, self.numerics.shards);
        let of_qkv = Epilogue::of_qkv(architecture);
        let sites = [
            (Site::AttnQkv, of_qkv, "attn_q"),
            (Site::AttnQkv, of_qkv, "attn_k"),
            (Site::AttnQkv, of_qkv, "attn_v"),
            (Site::AttnOutput, onto_stream, "attn_output"),
            (Site::FfnGateUp, Epilogue::GateUp, "ffn_gate"),
            (Site::FfnDown, onto_stream, "ffn_down"),
        ];
        let mut names = Vec::new();
        let mut add = |name: &str| {
            let name = format!("twin of {name}");
            if !names.contains(&name) {
                names.push(name);
            }
        };
        let product = |site, epilogue, n_rows, tensor: &str| {
            let (tensor_type, _) = self.weights.tensor(tensor)?;
            Some(matmul_name(epilogue, tensor_type, self.kernel_shape(site, n_rows)))
        };
        add("embed");
        for block in 0..self.config.n_blocks {
            for (site, epilogue, part) in sites {
                if site == Site::AttnOutput {
                    architecture.head_norms.then_some("head_norm").into_iter().for_each(&mut add);
                    ["attention_split", "attention_fold"].into_iter().for_each(&mut add);
                }
                product(site, epilogue, n_rows, &format!("blk.{block}.{part}.weight"))
                    .iter()
                    .for_each(|name| add(name));
                if epilogue == Epilogue::Partial {
                    add("ring_sum");
                }
                if architecture.post_norms && epilogue == onto_stream {
                    add("post_norm");
                }
            }
        }
        let head = ["output.weight", "token_embd.weight"].into_iter();
        head.filter_map(|tensor| product(Site::Output, Epilogue::Output, 1, tensor))
            .take(1)
            .for_each(|name| add(&name));
        add("top_k");
        names
    }

    fn numerics(&self) -> &Numerics {
        &self.numerics
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn max_rows(&self) -> u32 {
        self.numerics.chunk_rows.clamp(self.capacity.n_sequences, MAX_ROWS)
    }
}
