// The engine's own words: src/web.rs gives exactly these objects. Types only.

/** How numbers are stored and multiplied. */
export type Formats = "int8" | "float" | "half" | "f32";

/** In which order sums are added: chosen by the shape of the call, or one order for every shape. */
export type Order = "by-shape" | "invariant";

/** Every rejection of the engine, and every failure the worker reports. */
export interface EngineError {
  code: string;
  message: string;
  what_to_do: string;
}

export interface DeviceLimits {
  max_storage_buffer_binding_size: number;
  max_buffer_size: number;
  max_storage_buffers_per_shader_stage: number;
  max_compute_workgroup_storage_size: number;
  max_compute_invocations_per_workgroup: number;
}

/** What a device makes of arithmetic; the part of it that the page shows. */
export interface Fingerprint {
  multiply_add_fused: boolean;
  sums_regrouped: boolean;
  sums_and_products_wrong: number;
  subnormal_results_kept: boolean;
  /** Of every word that the probes wrote, 16 hex digits. */
  hash: string;
}

/** The device that was granted. */
export interface DeviceReport {
  /** Empty where the engine was not told; the worker fills it from the probe. */
  name: string;
  vendor: string;
  device_type: string;
  backend: string;
  driver: string;
  software: boolean;
  family: "cpu-adapter" | "gpu-subgroup" | "gpu-plain";
  subgroups: boolean;
  subgroup_size: number | null;
  shader_f16: boolean;
  fingerprint: Fingerprint;
  limits: DeviceLimits;
}

export interface ModelProgress {
  bytes_received: number;
  tensors_uploaded: number;
  tensors_total: number;
}

export interface KernelCheck {
  name: string;
  /** Normalised mean squared error against the CPU twin. */
  nmse: number;
  bit_equal: boolean;
}

/** Keys and values of one sequence of this length. */
export interface KvNeed {
  context_len: number;
  kv_bytes: number;
  total_bytes: number;
  fits: boolean;
}

/** What a model takes of a device, and whether the device has it. */
export interface Fit {
  n_parameters: number;
  weights_bytes: number;
  embedding_bytes: number;
  largest_binding: string;
  largest_binding_bytes: number;
  /** Null on the CPU twin, which binds nothing. */
  binding_limit_bytes: number | null;
  kv_bytes_per_token: number;
  kv: KvNeed[];
  cache_positions: number;
  cache_bytes: number;
  total_bytes: number;
  budget_bytes: number;
  binding_fits: boolean;
  memory_fits: boolean;
  fits: boolean;
  sentence: string;
}

/** What a file's header says of the model in it. */
export interface ModelCheck {
  name: string;
  architecture: string;
  n_blocks: number;
  embedding_dim: number;
  context_len: number;
  vocab_size: number;
  /** Bytes up to the end of the last tensor. */
  needed_bytes: number;
  /** Number of tensors of each type. */
  tensor_types: Record<string, number>;
  tokenizer: TokenizerReport;
  template_sha256: string | null;
  fit: Fit;
}

/** What the header is checked for. */
export interface CheckOptions {
  /** Most bytes that a kernel binds at once; null on the CPU twin. */
  binding_bytes: number | null;
  /** For weights and cache together; null for the engine's own choice. */
  memory_bytes: number | null;
  formats: Formats;
  load_anyway: boolean;
}

/** What can be changed of a loaded model. */
export interface ConfigureOptions {
  formats: Formats;
  order: Order;
  /** Name of a chat template of the file; null for the default one. */
  template: string | null;
}

/** How a file is taken in. */
export interface LoadOptions {
  expected_sha256: string | null;
  formats: Formats;
  order: Order;
  /** A person asked for a file whose pre-tokenizer is unknown. */
  load_anyway: boolean;
}

export interface ModelReport {
  name: string;
  architecture: string;
  sha256: string;
  len_bytes: number;
  n_blocks: number;
  embedding_dim: number;
  n_heads: number;
  n_kv_heads: number;
  head_dim: number;
  feed_forward_dim: number;
  vocab_size: number;
  /** Positions that the model was trained for. */
  context_len: number;
  /** Positions that the engine has a cache for, at most. */
  max_context_len: number;
  /** Number of tensors of each type. */
  tensor_types: Record<string, number>;
  self_test: { kernels: KernelCheck[]; elapsed_ms: number };
  /** Rows of one prefill step, at most. */
  chunk_rows: number;
  tokenizer: TokenizerReport;
  /** Of the chat template in use, which is the file's default one; null where it has none. */
  template_sha256: string | null;
  /** Null for the default template. */
  template_name: string | null;
  /** Those that the file brings besides its default one. */
  template_names: string[];
  /** Whether the file brings a default chat template that can be used. */
  file_has_template: boolean;
  /** Layouts that many models share and that this vocabulary has the control tokens for. */
  known_template_names: string[];
  /** Whose template the one in use is; null for one that is not known, which may add or drop whatever it likes. */
  template_known_as: string | null;
}

/** How the file's tokenizer was read. */
export interface TokenizerReport {
  model: string;
  pre_tokenizer: string | null;
  /** The rule of words in use; null for vocabularies that know no words. */
  rule: string | null;
  /** Whether published ids of this rule are among the project's tests. */
  proven: boolean;
  /** The file's rule is unknown, and a person asked to load it all the same. */
  loaded_anyway: boolean;
  sha256: string;
}

export type Prompt = { kind: "complete"; text: string } | { kind: "chat"; user: string };

export type Scenario =
  | { kind: "same-prompt" }
  | { kind: "second-turn"; follow_up: string; reply_tokens: number };

export interface CompareRequest {
  prompt: Prompt;
  scenario: Scenario;
  /** Prompts to run before the warm run, so that they share the cache with it. */
  before: string[];
  max_tokens: number;
}

export type RunName = "first-turn" | "cold-a" | "cold-b" | "warm";

export type StopReason = "end-of-turn" | "max-tokens" | "context-full" | "cancelled";

export interface Token {
  id: number;
  text: string;
  logit: number;
}

/** A token of the prompt, as the model was given it. */
export interface PromptToken {
  id: number;
  text: string;
  /** Put there by the chat template or the file's settings, never by a person's text. */
  control: boolean;
}

/** One decoded token. */
export interface Step {
  id: number;
  /** The token's own text, for display. */
  text: string;
  /** The five largest logits, largest first. */
  top: Token[];
  /** Largest logit minus the second largest. */
  margin: number;
  /** Hash of the bits of all logits. */
  logits_hash: string;
  elapsed_ms: number;
}

export type CompareEvent =
  | { kind: "run-started"; run: RunName; prompt_tokens: number; reused_tokens: number }
  | { kind: "prefill"; run: RunName; done: number; total: number }
  /** `text` is the piece to append; it is empty until a character is complete. */
  | { kind: "token"; run: RunName; index: number; text: string; step: Step }
  | { kind: "run-ended"; run: RunName; stop: StopReason };

export interface Run {
  run: RunName;
  prompt_tokens: number;
  reused_tokens: number;
  steps: Step[];
  stop: StopReason;
  /** Null where the run ended before its first token. */
  time_to_first_token_ms: number | null;
  kernels: string[];
}

export type Verdict =
  | "bit-identical"
  | "same-tokens"
  | "forked"
  | "tie"
  | "vacuous"
  | "control-failed"
  | "corrupt"
  | "cancelled"
  | "error";

/** The first position at which the token ids of the cold and the warm run differ. */
export interface Fork {
  index: number;
  cold: Token;
  warm: Token;
  /** Logit of cold's token minus logit of warm's token, in the cold run; null outside its top five. */
  cold_pair_margin: number | null;
  /** The same pair and the same sign, in the warm run. */
  warm_pair_margin: number | null;
}

/** How far equal bits go: repeated runs, cold and warm, any chunks and neighbours, another day, every adapter. */
export type ClaimLevel = "L0" | "L1" | "L2" | "L3" | "L4";

export interface Comparison {
  verdict: Verdict;
  fork: Fork | null;
  first_differing_logits: number | null;
  /** Cold A against cold B; null where one of them did not end. */
  control: { same_tokens: boolean; same_bits: boolean } | null;
  /** What this comparison shows of the device; null where it shows nothing. */
  claim: ClaimLevel | null;
  /** Prompt tokens that the warm run reused. */
  exposure: number;
  /** What ended it early; null unless the verdict is `error`. */
  error: EngineError | null;
  /** The prompt of the three runs; empty where the comparison ended before it was known. */
  prompt: PromptToken[];
  runs: Run[];
  formats: Formats;
  order: Order;
}

// ---- A fork taken apart ----

/** Positions from `start` up to but not including `end`. */
export interface PositionRange {
  start: number;
  end: number;
}

/** One step of both runs, fed the same tokens. Everything in logits. */
export interface StepNoise {
  /** Largest minus second largest logit of the cold run. */
  gap: number;
  /** Change of the gap in the warm run. */
  gap_change: number;
  /** Largest change of any logit. */
  largest_change: number;
  /** Logit of the fork's cold token minus logit of its warm token, in the cold run and in the warm one; null without a fork. */
  pair_margin: [number, number] | null;
}

export type TapTensor =
  | "q"
  | "k"
  | "v"
  | "attention-output"
  | "residual-after-attention"
  | "ffn-hidden"
  | "residual-after-ffn"
  | "logits";

/** How far one tensor of one layer is apart. */
export interface Tap {
  /** Null for the logits. */
  layer: number | null;
  tensor: TapTensor;
  difference: { n_differing: number; largest_ulp: number } | null;
}

export interface OriginSide {
  value: number;
  bits: string;
  writer: { kernel: string; chunk_rows: number };
  /** The cache held another value than the kernel writes. */
  altered: boolean;
}

export interface Origin {
  layer: number | null;
  tensor: TapTensor;
  position: number;
  index: number;
  ulp: number;
  cold: OriginSide;
  warm: OriginSide;
  taps: Tap[];
}

/** How far keys or values are apart: [layer][position]. */
export interface KvMapSide {
  /** That the cache rounds to. */
  format: "f32" | "f16" | "q8_0" | "q4_0";
  /** Distance in ulp of f32 between two neighbouring numbers of that format. */
  step_ulp: number;
  largest_ulp: number[][];
  share: number[][];
}

export interface Dissection {
  prompt_ids: number[];
  reused_tokens: number;
  /** Positions of one cache block. */
  block_tokens: number;
  cold_steps: PositionRange[];
  warm_steps: PositionRange[];
  decoded_ids: number[];
  steps_with_different_logits: number;
  steps: StepNoise[];
  /** Chance of a flip in each step, by the spread of the gap's change. */
  flip_risk: { spread: number; per_step: number[] } | null;
  fork: { index: number; cold_id: number; warm_id: number; cold_gap: number } | null;
  origin: Origin | null;
  /** The origin in words; null where it was not looked for. */
  sentence: string | null;
  kv_map: { k: KvMapSide; v: KvMapSide } | null;
  error: EngineError | null;
  was_cancelled: boolean;
}

/** Where products are summed. */
export type Site = "attn-qkv" | "attention" | "attn-output" | "ffn-gate-up" | "ffn-down" | "output";

/** How a cold and a warm run went under some orders. */
export interface AblationOutcome {
  /** The first step of which some logit's bits differ; null where all are equal. */
  first_differing: number | null;
  fork: number | null;
  n_steps: number;
}

/** One group of sites changed. */
export interface AblationCase {
  group: string;
  sites: Site[];
  /** Everything by shape, but these sites invariant: what is left. */
  made_invariant: AblationOutcome;
  /** Everything invariant, but these sites by shape: what they cause. */
  made_by_shape: AblationOutcome;
}

export interface Ablation {
  by_shape: AblationOutcome;
  invariant: AblationOutcome;
  cases: AblationCase[];
  sentence: string;
}

export interface AblateEvent {
  done: number;
  of: number;
}

export type DissectEvent = { kind: "compared"; n_tokens: number } | { kind: "margins" } | { kind: "origin" };
