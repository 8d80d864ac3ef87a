//! The loop: reuse the longest cached prefix, prefill the rest, decode greedily, stop.

use web_time::Instant;

use super::prompt_encoder::check_prompt_len;
use super::trace::{RunTrace, Step, StopReason, TOP};
use super::{CancelToken, Engine, GenerateError, LastRun};
use crate::cache::{Sequence, Written};
use crate::gpu::select::{self, KernelShape};
use crate::gpu::step::Top;
use crate::model::{KvSlot, ModelError, Outputs, Pass, Row};
use crate::numerics::Site;
use crate::tokenizer::TokenId;

/// How far a run goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunOptions {
    /// Most tokens to decode.
    pub max_tokens: usize,
    /// Most prompt tokens to take from the cache.
    pub max_reused_tokens: usize,
}

impl RunOptions {
    /// Up to `max_tokens` tokens, with all the reuse there is.
    pub fn tokens(max_tokens: usize) -> Self {
        Self { max_tokens, max_reused_tokens: usize::MAX }
    }
}

/// What a run tells while it goes.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEvent {
    /// It begins.
    RunStarted {
        /// Tokens in the prompt.
        prompt_tokens: usize,
        /// Of these taken from the cache.
        reused_tokens: usize,
    },
    /// A prefill step is done.
    Prefill {
        /// Prompt tokens in the cache now.
        done: usize,
        /// Tokens in the prompt.
        total: usize,
    },
    /// A token was chosen.
    Token {
        /// Its number in the answer, from 0.
        index: usize,
        /// Text that it completes: may be empty while a character is unfinished.
        text: String,
        /// The step.
        step: Step,
    },
    /// It ended.
    RunEnded {
        /// Why.
        stop: StopReason,
    },
}

impl<P: Pass> Engine<P> {
    /// Runs a prompt greedily and keeps what it computed in the cache.
    ///
    /// # Errors
    /// [`GenerateError::EmptyPrompt`], [`GenerateError::PromptTooLong`] before anything runs; GPU and cache errors.
    pub async fn run(
        &mut self,
        prompt: &[TokenId],
        options: RunOptions,
        cancel: &CancelToken,
        mut on_event: impl FnMut(RunEvent),
    ) -> Result<RunTrace, GenerateError> {
        self.check_prompt(prompt)?;
        self.last_run = None;
        let begin = self.cache.begin_with_reuse_limit(self.key, prompt, options.max_reused_tokens)?;
        let copies: Vec<_> = begin.copies.iter().map(|copy| (copy.from.0, copy.to.0)).collect();
        self.pass.copy_blocks(&copies);
        self.next_request += 1;
        on_event(RunEvent::RunStarted { prompt_tokens: prompt.len(), reused_tokens: begin.reused_tokens });
        let mut run = Run {
            request: self.next_request,
            started: Instant::now(),
            sequence: begin.sequence,
            trace: RunTrace {
                prompt_tokens: prompt.len(),
                reused_tokens: begin.reused_tokens,
                steps: Vec::new(),
                stop: StopReason::Cancelled,
                time_to_first_token_ms: None,
                kernels: Vec::new(),
            },
        };
        let result = self.prefill_and_decode(&mut run, prompt, options.max_tokens, cancel, &mut on_event).await;
        let result = match result {
            // Whoever left the step stopped the run; what it wrote is behind the end of the sequence.
            Err(GenerateError::Model(ModelError::StepLeft)) => Ok(StopReason::Cancelled),
            result => result,
        };
        match result {
            Ok(stop) => {
                self.last_run = last_run(&run.sequence);
                self.cache.finish(run.sequence)?;
                run.trace.stop = stop;
                on_event(RunEvent::RunEnded { stop });
                Ok(run.trace)
            }
            Err(error) => {
                self.cache.abandon(run.sequence)?;
                Err(error)
            }
        }
    }

    /// Whether a prompt fits, with room for at least one token of an answer.
    ///
    /// # Errors
    /// [`GenerateError::EmptyPrompt`], [`GenerateError::PromptTooLong`].
    pub fn check_prompt(&self, prompt: &[TokenId]) -> Result<(), GenerateError> {
        check_prompt_len(prompt.len(), self.pass.capacity().context_len)
    }

    async fn prefill_and_decode(
        &mut self,
        run: &mut Run,
        prompt: &[TokenId],
        max_tokens: usize,
        cancel: &CancelToken,
        on_event: &mut impl FnMut(RunEvent),
    ) -> Result<StopReason, GenerateError> {
        if max_tokens == 0 {
            return Ok(StopReason::MaxTokens);
        }
        let chunk_rows = self.chunk_rows();
        let mut rest = &prompt[run.trace.reused_tokens..];
        let mut next = None;
        let mut step_started = run.started;
        while !rest.is_empty() {
            if cancel.is_cancelled() {
                return Ok(StopReason::Cancelled);
            }
            let (chunk, after) = rest.split_at(rest.len().min(chunk_rows));
            let outputs = if after.is_empty() { Outputs::Last } else { Outputs::None };
            next = self.step(run, chunk, outputs).await?;
            rest = after;
            on_event(RunEvent::Prefill { done: prompt.len() - rest.len(), total: prompt.len() });
        }
        run.trace.time_to_first_token_ms = Some(run.started.elapsed().as_secs_f64() * 1e3);

        let mut text = self.tokenizer().decode_stream();
        while let Some(top) = next.take() {
            let step = step_from_top(&top, step_started.elapsed().as_secs_f64() * 1e3);
            let index = run.trace.steps.len();
            run.trace.steps.push(step);
            let ends_turn = self.tokenizer().is_end_of_turn(step.id);
            let piece = if ends_turn { String::new() } else { text.push(step.id) };
            on_event(RunEvent::Token { index, text: piece, step });
            if ends_turn {
                return Ok(StopReason::EndOfTurn);
            }
            if run.trace.steps.len() >= max_tokens {
                return Ok(StopReason::MaxTokens);
            }
            if run.sequence.len() >= self.pass.capacity().context_len as usize {
                return Ok(StopReason::ContextFull);
            }
            if cancel.is_cancelled() {
                return Ok(StopReason::Cancelled);
            }
            step_started = Instant::now();
            next = self.step(run, &[step.id], Outputs::Last).await?;
        }
        Ok(StopReason::MaxTokens)
    }

    /// One forward step of one sequence's next tokens.
    async fn step(&mut self, run: &mut Run, ids: &[TokenId], outputs: Outputs) -> Result<Option<Top>, GenerateError> {
        self.cache.reserve(&mut run.sequence, ids.len())?;
        let blocks: Vec<u32> = run.sequence.blocks().iter().map(|block| block.0).collect();
        self.pass.set_block_table(0, 0, &blocks);
        let first = run.sequence.len();
        let mut rows = Vec::with_capacity(ids.len());
        for (i, &token) in ids.iter().enumerate() {
            let position = u32::try_from(first + i).expect("a sequence is shorter than the context");
            rows.push(Row { sequence: 0, position, token, block: blocks[(first + i) / crate::cache::BLOCK_TOKENS] });
        }
        let tops = self.pass.forward(&rows, outputs).await?;
        let n_rows = u32::try_from(rows.len()).expect("a step is at most MAX_ROWS rows");
        self.cache.append(&mut run.sequence, ids, self.written(run.request, n_rows))?;
        run.note_kernels(&self.pass.kernel_names(n_rows));
        Ok(tops.last().copied())
    }

    fn written(&self, request: u64, chunk_rows: u32) -> Written {
        let (fixed, _) = select::attention_splits(self.numerics().orders.of(Site::Attention), chunk_rows);
        Written {
            request,
            chunk_rows,
            matmul_kernel: match self.pass.kernel_shape(Site::AttnQkv, chunk_rows) {
                KernelShape::Vector => "qkv vector",
                KernelShape::Tiled => "qkv tiled",
            },
            attention_kernel: if fixed { "attention in 64-key tiles" } else { "attention by length" },
        }
    }
}

/// A run in progress.
struct Run {
    request: u64,
    started: Instant,
    sequence: Sequence,
    trace: RunTrace,
}

impl Run {
    fn note_kernels(&mut self, names: &[String]) {
        for name in names {
            if !self.trace.kernels.contains(name) {
                self.trace.kernels.push(name.clone());
            }
        }
    }
}

/// None where a position has no slot, so that no row can be taken for another position's.
fn last_run(sequence: &Sequence) -> Option<LastRun> {
    let slot = |(position, _): (usize, &TokenId)| {
        let (block, offset) = sequence.slot(position)?;
        Some(KvSlot::new(block.0, u32::try_from(offset).ok()?))
    };
    let slots = sequence.tokens().iter().enumerate().map(slot).collect::<Option<_>>()?;
    Some(LastRun { ids: sequence.tokens().to_vec(), slots })
}

fn step_from_top(top: &Top, elapsed_ms: f64) -> Step {
    let mut pairs = [(0, 0.0); TOP];
    for (pair, (id, value)) in pairs.iter_mut().zip(top.ids.iter().zip(&top.values)) {
        *pair = (*id, *value);
    }
    Step { id: top.ids[0], top: pairs, logits_hash: top.hash, elapsed_ms }
}
