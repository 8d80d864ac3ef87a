//! A model, its forward pass under one numerics, and its cache.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::{GenerateError, PromptEncoder};
use crate::cache::{CacheKey, KvCacheIndex};
use crate::gpu::Device;
use crate::model::{
    Capacity, ForwardPass, KvSlot, Model, ModelConfig, ModelWeights, Pass, SelfTest, TwinPass, TwinWeights,
};
use crate::numerics::Numerics;
use crate::tokenizer::{TemplateHost, TokenId, Tokenizer, UnknownPreTokenizer};

/// Sizes of an engine's memory, and what it puts up with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineOptions {
    /// Most positions of one sequence; the model's own context where that is shorter.
    pub context_len: u32,
    /// Blocks of 16 tokens that the cache holds.
    pub n_cache_blocks: u32,
    /// Sequences that one step can mix.
    pub n_sequences: u32,
    /// What to do with a vocabulary whose rule of words is unknown here.
    pub unknown_pre_tokenizer: UnknownPreTokenizer,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            context_len: 2048,
            n_cache_blocks: 288,
            n_sequences: 1,
            unknown_pre_tokenizer: UnknownPreTokenizer::default(),
        }
    }
}

/// Where the cache holds what a run worked with. It stays there until the next step of whatever kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastRun {
    /// Its tokens of which K and V are in the cache. // [position]
    pub ids: Vec<TokenId>,
    /// Their slots. // [position]
    pub slots: Vec<KvSlot>,
}

/// A model, its forward pass under one numerics, and its cache. The pass runs on a GPU, or on the CPU as a [`TwinPass`].
#[derive(Debug)]
pub struct Engine<P: Pass = ForwardPass> {
    model: Model<P::Weights>,
    weights: P::Weights, // the model's, in the numerics' format
    encoder: PromptEncoder,
    options: EngineOptions,
    pub(super) pass: P,
    pub(super) cache: KvCacheIndex,
    pub(super) key: CacheKey,
    pub(super) next_request: u64,
    pub(super) last_run: Option<LastRun>,
    self_test: SelfTest,
}

impl Engine {
    /// Re-quantises the weights where the numerics ask for that, compiles every kernel and tests it on this device; nothing runs before
    /// each agrees with its CPU twin.
    ///
    /// # Errors
    /// Weights that their new format cannot hold; tokenizer and template errors, GPU errors, a failed self-test by kernel name.
    pub async fn new(
        device: &Device,
        model: Model,
        numerics: Numerics,
        options: EngineOptions,
    ) -> Result<Self, GenerateError> {
        let encoder = PromptEncoder::new(Arc::clone(&model.file), options.unknown_pre_tokenizer)?;
        Self::with_encoder(device, model, encoder, numerics, options).await
    }

    /// The same with the encoder of the model's file, which is there as soon as its header is.
    ///
    /// # Errors
    /// As [`Engine::new`], but for the tokenizer's.
    pub async fn with_encoder(
        device: &Device,
        model: Model,
        encoder: PromptEncoder,
        numerics: Numerics,
        options: EngineOptions,
    ) -> Result<Self, GenerateError> {
        numerics.check()?;
        let weights = model.weights.requantised(device, numerics.weights).await?;
        let (pass, self_test) = prepare(device, &model, &weights, numerics, options).await?;
        Ok(Self::from_parts(model, weights, encoder, pass, options, self_test))
    }

    /// Changes the numerics and empties the cache. Other formats need other kernels, and other weight formats weights re-quantised from
    /// the file's; other orders and chunks need neither.
    ///
    /// # Errors
    /// Numerics that cannot be, weights that their new format cannot hold, GPU errors, a failed self-test; the engine then stays as it was.
    pub async fn configure(&mut self, numerics: Numerics) -> Result<(), GenerateError> {
        if numerics == *self.pass.numerics() {
            return Ok(());
        }
        numerics.check()?;
        if self.pass.retune(&numerics) {
            self.key = cache_key(&self.model, &numerics);
            return self.reset();
        }
        let weights = if numerics.weights == self.numerics().weights {
            self.weights.clone()
        } else {
            self.model.weights.requantised(self.pass.device(), numerics.weights).await?
        };
        let (pass, self_test) = prepare(self.pass.device(), &self.model, &weights, numerics, self.options).await?;
        self.weights = weights;
        self.self_test = self_test;
        self.take(pass);
        Ok(())
    }

    /// The device.
    pub fn device(&self) -> &Device {
        self.pass.device()
    }
}

impl Engine<TwinPass> {
    /// An engine on the CPU twin, which needs no adapter: slow, and the same arithmetic. There is nothing to be tested, since the twin
    /// is what kernels are tested against.
    ///
    /// # Errors
    /// Numerics that cannot be, weights that their new format cannot hold, tokenizer errors.
    pub fn on_twin(
        model: Model<Arc<TwinWeights>>,
        numerics: Numerics,
        options: EngineOptions,
    ) -> Result<Self, GenerateError> {
        let encoder = PromptEncoder::new(Arc::clone(&model.file), options.unknown_pre_tokenizer)?;
        Self::on_twin_with_encoder(model, encoder, numerics, options)
    }

    /// The same with the encoder of the model's file.
    ///
    /// # Errors
    /// As [`Engine::on_twin`], but for the tokenizer's.
    pub fn on_twin_with_encoder(
        model: Model<Arc<TwinWeights>>,
        encoder: PromptEncoder,
        numerics: Numerics,
        options: EngineOptions,
    ) -> Result<Self, GenerateError> {
        numerics.check()?;
        let weights = model.weights.requantised(numerics.weights)?;
        let pass = TwinPass::new(&model.config, &weights, numerics, options.capacity(&model.config))?;
        Ok(Self::from_parts(model, weights, encoder, pass, options, SelfTest::default()))
    }

    /// Changes the numerics and empties the cache.
    ///
    /// # Errors
    /// As [`Engine::on_twin`], but for the tokenizer's; the engine then stays as it was.
    pub fn configure(&mut self, numerics: Numerics) -> Result<(), GenerateError> {
        numerics.check()?;
        let weights = self.model.weights.requantised(numerics.weights)?;
        let pass = TwinPass::new(&self.model.config, &weights, numerics, self.pass.capacity())?;
        self.weights = weights;
        self.take(pass);
        Ok(())
    }
}

impl<P: Pass> Engine<P> {
    fn from_parts(
        model: Model<P::Weights>,
        weights: P::Weights,
        encoder: PromptEncoder,
        pass: P,
        options: EngineOptions,
        self_test: SelfTest,
    ) -> Self {
        Self {
            cache: KvCacheIndex::new(pass.capacity().n_cache_blocks),
            key: cache_key(&model, pass.numerics()),
            model,
            weights,
            encoder,
            options,
            pass,
            next_request: 0,
            last_run: None,
            self_test,
        }
    }

    /// Goes on with another pass of the same model, and an empty cache.
    fn take(&mut self, pass: P) {
        self.key = cache_key(&self.model, pass.numerics());
        self.cache = KvCacheIndex::new(pass.capacity().n_cache_blocks);
        self.pass = pass;
        self.last_run = None;
    }

    /// Forgets every cached prefix.
    ///
    /// # Errors
    /// Cache bookkeeping.
    pub fn reset(&mut self) -> Result<(), GenerateError> {
        self.last_run = None;
        Ok(self.cache.reset()?)
    }

    /// The model.
    pub fn model(&self) -> &Model<P::Weights> {
        &self.model
    }

    /// What encodes its prompts.
    pub fn encoder(&self) -> &PromptEncoder {
        &self.encoder
    }

    /// The tokenizer that the file describes.
    pub fn tokenizer(&self) -> &Tokenizer {
        self.encoder.tokenizer()
    }

    /// Puts chats into the file's template of this name from now on, into its default one, or into a known layout.
    ///
    /// # Errors
    /// Where there is none of that name; the engine then stays as it was.
    pub fn choose_template(&mut self, name: Option<&str>) -> Result<(), GenerateError> {
        self.encoder.choose_template(name)
    }

    /// Has the template rendered elsewhere than in this process.
    pub fn set_template_host(&mut self, host: TemplateHost) {
        self.encoder.set_template_host(host);
    }

    /// What the load-time self-test found; nothing on the twin, which is what kernels are tested against.
    pub fn self_test(&self) -> &SelfTest {
        &self.self_test
    }

    /// The forward pass, for teacher-forced steps.
    pub fn pass(&mut self) -> &mut P {
        &mut self.pass
    }

    /// What the last run that ended worked with, as long as nothing was computed or forgotten since.
    pub fn last_run(&self) -> Option<&LastRun> {
        self.last_run.as_ref()
    }

    /// Most positions of one sequence.
    pub fn context_len(&self) -> u32 {
        self.pass.capacity().context_len
    }

    /// Rows of one prefill step: those of the numerics, as far as the forward pass has room.
    pub fn chunk_rows(&self) -> usize {
        self.pass.max_rows().min(self.numerics().chunk_rows) as usize
    }

    /// Every choice that can change a bit.
    pub fn numerics(&self) -> &Numerics {
        self.pass.numerics()
    }
}

impl EngineOptions {
    fn capacity(&self, config: &ModelConfig) -> Capacity {
        Capacity {
            context_len: self.context_len.min(config.context_len),
            n_cache_blocks: self.n_cache_blocks,
            n_sequences: self.n_sequences,
        }
    }
}

async fn prepare(
    device: &Device,
    model: &Model,
    weights: &ModelWeights,
    numerics: Numerics,
    options: EngineOptions,
) -> Result<(ForwardPass, SelfTest), GenerateError> {
    let capacity = options.capacity(&model.config);
    let mut pass = ForwardPass::new(device, &model.config, weights, numerics, capacity).await?;
    let self_test = pass.self_test(&weights.formats(model.config.architecture, numerics.shards)).await?;
    Ok((pass, self_test))
}

/// Blocks of another file or other numerics never match.
fn cache_key<W>(model: &Model<W>, numerics: &Numerics) -> CacheKey {
    let numerics = Sha256::digest(format!("{numerics:?}"));
    CacheKey { model: model.sha256, numerics: numerics.into() }
}
