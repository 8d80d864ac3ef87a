// What crosses between the engine and the page. Generated from the engine's Rust types by `make types`; do not edit.
// A field's comment is its comment there; what is called none there is null here.

/** An ablation and its finding. */
export interface Ablation {
  /** Single sites that alone make the bits differ. */
  causes: readonly string[];
  /** Of these, the sites from which a fork follows. */
  forks: readonly string[];
  /** Groups that give equal bits where they are invariant and the rest by shape; smallest first. */
  removes: readonly string[];
  /** It was stopped before every group was looked at: the lists above conclude nothing. */
  was_cancelled: boolean;
  /** The finding in a sentence or two. */
  sentence: string;
  /** Everything by shape. */
  by_shape: AblationOutcome;
  /** Everything invariant. */
  invariant: AblationOutcome;
  /** Each group changed. */
  cases: readonly AblationCase[];
}

/** One group of sites changed. */
export interface AblationCase {
  /** What the group is called. */
  group: string;
  /** Its sites. */
  sites: readonly Site[];
  /** Everything by shape, but these sites invariant: what is left. */
  made_invariant: AblationOutcome;
  /** Everything invariant, but these sites by shape: what they cause. */
  made_by_shape: AblationOutcome;
}

/** How a cold and a warm run went under some orders. */
export interface AblationOutcome {
  /** The first step of which some logit's bits differ; none where all are equal. */
  first_differing: number | null;
  /** The first step at which the two runs choose different tokens; none where they are the same. */
  fork: number | null;
  /** Steps compared. */
  n_steps: number;
}

/** How far a series of cases is: an ablation, a check of shapes. */
export interface CasesDone {
  /** Cases done. */
  done: number;
  /** Cases in all. */
  of: number;
}

/** What a file's header is checked for. */
export interface CheckOptions {
  /** Most bytes of one binding; none on the CPU twin. */
  binding_bytes: number | null;
  /** Bytes for weights and cache together; the engine's own choice where none is given. */
  memory_bytes: number | null;
  /** Formats that the cache is counted in. */
  formats: Formats;
  /** Whether a person asked for a file whose pre-tokenizer is unknown. */
  load_anyway: boolean;
}

/** A shape beside the plain one. */
export interface CheckedShape {
  /** The shape. */
  shape: Shape;
  /** Number of the first token whose logits differ in a bit; none where none does. */
  first_difference: number | null;
}

/** How far equal bits go. A level is claimed only where it was checked, on the device that it is claimed of. */
export type ClaimLevel = "L0" | "L1" | "L2" | "L3" | "L4";

/** What a comparison tells while it goes. */
export type CompareEvent =
  | {
      kind: "run-started";
      /** Which. */
      run: RunName;
      /** Tokens in the prompt. */
      prompt_tokens: number;
      /** Of these taken from the cache. */
      reused_tokens: number;
    }
  | {
      kind: "prefill";
      /** Of which run. */
      run: RunName;
      /** Prompt tokens in the cache now. */
      done: number;
      /** Tokens in the prompt. */
      total: number;
    }
  | {
      kind: "token";
      /** In which run. */
      run: RunName;
      /** Its number in the answer, from 0. */
      index: number;
      /** Text that it completes, to be appended: empty while a character is unfinished. */
      text: string;
      /** The step. */
      step: Step;
    }
  | {
      kind: "run-ended";
      /** Which. */
      run: RunName;
      /** Why. */
      stop: StopReason;
    };

/** One comparison. */
export interface CompareRequest {
  /** The prompt (of the first turn). */
  prompt: Prompt;
  /** Where the warm run's cache comes from. */
  scenario: Scenario;
  /** Prompts to be completed by one token each between the cold runs and the warm one. */
  before: readonly string[];
  /** Most tokens of each run. */
  max_tokens: number;
}

/** A comparison as plain data. */
export interface Comparison {
  /** The word for it. */
  verdict: Verdict;
  /** Where the tokens part; none where they are the same. */
  fork: Fork | null;
  /** Number of the first token whose logits differ in a bit; none where none does. */
  first_differing_logits: number | null;
  /** Cold A against cold B; none if one of them did not end. */
  control: Control | null;
  /** What this comparison shows of the device; none where it shows nothing. */
  claim: ClaimLevel | null;
  /** Prompt tokens that the warm run reused. */
  exposure: number;
  /** Noise or corruption; none where it was not looked at. */
  noise: Judgement | null;
  /** What ended it early; none unless the verdict is `error`. */
  error: EngineError | null;
  /** The prompt of the three runs, token by token; empty where the comparison ended before it was known. */
  prompt: readonly PromptToken[];
  /** The runs that ended. */
  runs: readonly Run[];
  /** Formats. */
  formats: Formats;
  /** Order of addition. */
  order: Order;
}

/** What computed the sums. */
export type Computed =
  | {
      on: "gpu";
      /** Sums that both computed. */
      n_sums: number;
      /** Those whose bits differ. */
      n_differing: number;
    }
  | { on: "cpu-twin" };

/** What can be changed of a loaded model. */
export interface ConfigureOptions {
  /** Formats. */
  formats: Formats;
  /** Order of addition. */
  order: Order;
  /** Name of a chat template of the file; the default one where none is given. */
  template: string | null;
}

/** Whether two cold runs agree. */
export interface Control {
  /** Same tokens. */
  same_tokens: boolean;
  /** Same bits of every logit. */
  same_bits: boolean;
}

/** How the device is opened. */
export interface CreateOptions {
  /** Whether the page asked the browser for subgroup operations. */
  subgroups: boolean;
}

/** The limits that bound what can run, as granted. */
export interface DeviceLimits {
  /** Bytes of one storage binding. */
  max_storage_buffer_binding_size: number;
  /** Bytes of one buffer. */
  max_buffer_size: number;
  /** Storage buffers of one kernel. */
  max_storage_buffers_per_shader_stage: number;
  /** Bytes of workgroup memory. */
  max_compute_workgroup_storage_size: number;
  /** Threads of one workgroup. */
  max_compute_invocations_per_workgroup: number;
}

/** What device this is. */
export interface DeviceReport {
  /** Adapter name as the driver or browser gives it; empty where the engine is not told. */
  name: string;
  /** PCI vendor id in hexadecimal, or empty. */
  vendor: string;
  /** Discrete, integrated, virtual, software, or other. */
  device_type: string;
  /** API underneath. */
  backend: string;
  /** Driver name and version where known. */
  driver: string;
  /** Whether the adapter computes on the CPU. */
  software: boolean;
  /** Kernel family that runs here. */
  family: KernelFamily;
  /** Whether kernels use subgroup operations. */
  subgroups: boolean;
  /** Threads of a subgroup where that is one fixed number. */
  subgroup_size: number | null;
  /** Whether the device has f16 arithmetic (not required). */
  shader_f16: boolean;
  /** What it makes of arithmetic. */
  fingerprint: Fingerprint;
  /** Granted limits. */
  limits: DeviceLimits;
}

/** How far two rows of values are apart. */
export interface Difference {
  /** Values of which some bit differs. */
  n_differing: number;
  /** Index of the first of them. */
  first_index: number | null;
  /** Largest `ulp_distance`. */
  largest_ulp: number;
  /**
   * Largest magnitude of a difference, infinite where a value is not finite on one side alone. Where a device takes subnormal
   * numbers for zero, one below 2^-126 may be zero although bits differ.
   */
  largest_absolute: number;
}

/** How far a dissection is. */
export type DissectEvent =
  | {
      kind: "compared";
      /** Tokens. */
      n_tokens: number;
    }
  | { kind: "margins" }
  | { kind: "origin" };

/** A dissection as plain data. */
export interface Dissection {
  /** The prompt. // [token] */
  prompt_ids: readonly number[];
  /** Prompt tokens that the warm run reuses. */
  reused_tokens: number;
  /** Positions of one cache block. */
  block_tokens: number;
  /** Positions of the prompt that each step of the cold run computes. */
  cold_steps: readonly { start: number; end: number }[];
  /** The same of the warm run, with those that left its cache. */
  warm_steps: readonly { start: number; end: number }[];
  /** The cold run's tokens up to the fork, or beyond, which both runs were fed. // [token] */
  decoded_ids: readonly number[];
  /** Steps whose logits differ in some bit. */
  steps_with_different_logits: number;
  /** The step behind the prompt and those behind each decoded token. */
  steps: readonly StepNoise[];
  /** The lead at each of these steps: of the fork's pair where there is a fork, else of the two best tokens. // [step] */
  leads: readonly Lead[];
  /** None before the first step. */
  flip_risk: FlipRisk | null;
  /** Where the tokens first part; none where they do not. */
  fork: ForkStep | null;
  /** The first value of which some bit differs; none where there is none, and where it was not looked for. */
  origin: Origin | null;
  /** The origin in one sentence; none where it was not looked for. */
  sentence: string | null;
  /** How far the caches are apart, by layer and position; none where that was not looked at. */
  kv_map: KvMap | null;
  /** What ended it early. */
  error: EngineError | null;
  /** It was stopped. */
  was_cancelled: boolean;
}

/** One dot product of the loaded model, as the sums of its blocks of 32 products. */
export interface DotProduct {
  /** Whose first row is multiplied by the token's embedding. */
  tensor: string;
  /** The token. */
  token_id: number;
  /** Its text, special tokens shown. */
  token_text: string;
  /** Of 32 products each. */
  block_sums: readonly number[];
  /** That the kernel for few rows cuts the blocks into. */
  n_slices: number;
}

/** Whose embedding is taken. */
export interface DotProductRequest {
  /** A text; its first token counts. */
  text: string;
}

/** A failure in words. */
export interface EngineError {
  /** Stable: programs decide by it. */
  code: string;
  /** What happened and where. */
  message: string;
  /** The next step. */
  what_to_do: string;
}

/**
 * What a device makes of arithmetic. Counts are out of fixed sets of numbers; errors are in units in the last place (ulp) from the f32
 * nearest to the truth, the largest over 16 fixed arguments.
 */
export interface Fingerprint {
  /** `a * b + c` is rounded once, in at least one of five ways to write it. */
  multiply_add_fused: boolean;
  /** `fma(a, b, c)` is rounded once. */
  fma_fused: boolean;
  /** A sum is added in another order than it is written, in at least one of the forms that the kernels use. */
  sums_regrouped: boolean;
  /** `(a * b + c * d) + e` is added in another order. */
  products_regrouped: boolean;
  /** `(a + b) + constant` is added in another order. */
  constants_regrouped: boolean;
  /** Of 1024 sums and 1024 products, those that are not the nearest f32, ties to even. */
  sums_and_products_wrong: number;
  /** A product below the smallest normal f32 is kept, not flushed to zero. */
  subnormal_results_kept: boolean;
  /** A subnormal operand counts, instead of being taken for zero. */
  subnormal_operands_kept: boolean;
  /** `round` of 2.5 is 2, of 3.5 is 4, of -2.5 is -2. */
  round_ties_to_even: boolean;
  /**
   * Of 2048 numbers half-way between two f16 or one bit beside, those that `pack2x16float` does not bring to the nearest f16, ties
   * to even.
   */
  f16_pack_wrong: number;
  /** Of 2048 f16, every subnormal among them, those that `unpack2x16float` does not return exactly. */
  f16_unpack_wrong: number;
  /** Error of `exp`. */
  exp_ulp: number;
  /** Error of `inverseSqrt`. */
  inverse_sqrt_ulp: number;
  /** Error of a division. */
  division_ulp: number;
  /** Error of `sin`. */
  sin_ulp: number;
  /** Error of `tanh`. */
  tanh_ulp: number;
  /** Of 1024 `dot4I8Packed`, those that are not exact; none where the language lacks it. */
  packed_dot_wrong: number | null;
  /** In which order `subgroupAdd` adds; none without subgroups. */
  subgroup_order: SubgroupOrder | null;
  /**
   * Of 1024 sums and 1024 products in the device's own f16, those that are not the nearest f16, ties to even; none without
   * shader-f16.
   */
  native_f16_wrong: number | null;
  /** Hash of every word that the probes wrote, as 16 hex digits: devices of one hash gave the same bits in all of them. */
  hash: string;
}

/** What a model takes of a device, and whether the device has it. */
export interface Fit {
  /** Numbers in all tensors. */
  n_parameters: number;
  /** Bytes of the weights. */
  weights_bytes: number;
  /** Bytes of the token embedding, which is cut, as is a head of its own, where a device binds less at once. */
  embedding_bytes: number;
  /** The largest other weights that one kernel binds. */
  largest_binding: string;
  /** Their bytes. */
  largest_binding_bytes: number;
  /** Most bytes that a kernel binds at once; none on the CPU twin. */
  binding_limit_bytes: number | null;
  /** Bytes of keys and values of one position, all layers. */
  kv_bytes_per_token: number;
  /** Keys and values of sequences of some lengths. */
  kv: readonly KvNeed[];
  /** Positions that the cache is set up for. */
  cache_positions: number;
  /** Bytes of the cache. */
  cache_bytes: number;
  /** Weights and cache. */
  total_bytes: number;
  /** Bytes that they may take together. */
  budget_bytes: number;
  /** Whether the largest binding is within the limit. */
  binding_fits: boolean;
  /** Whether weights and cache are within the budget. */
  memory_fits: boolean;
  /** Both. */
  fits: boolean;
  /** All of that in words, with numbers. */
  sentence: string;
}

/** How likely noise of the size that was measured flips each step. */
export interface FlipRisk {
  /** Root mean square of the gap's change, in logits. */
  spread: number;
  /** Chance of a flip, by the gap of the cold run. // [step] */
  per_step: readonly number[];
}

/** The first token that the cold and the warm run do not share. */
export interface Fork {
  /** Number of the token, from 0. */
  index: number;
  /** The cold run's token there. */
  cold: Token;
  /** The warm run's token there. */
  warm: Token;
  /**
   * Logit of the cold run's token minus logit of the warm run's token, in the cold run; none where one of them is not among its five
   * largest.
   */
  cold_pair_margin: number | null;
  /** The same in the warm run. */
  warm_pair_margin: number | null;
}

/** Where the two runs choose different tokens. */
export interface ForkStep {
  /** Number of the token, from 0. */
  index: number;
  /** The cold run's token. */
  cold_id: number;
  /** The warm run's token. */
  warm_id: number;
  /** Logit of the cold run's token minus logit of its second, in the cold run. */
  cold_gap: number;
}

/** Named sets of formats. */
export type Formats = "int8" | "float" | "half" | "f32";

/** What a difference is. */
export type Judgement =
  | {
      kind: "noise";
      /** Largest ratio of a distance to the rounding at its place. */
      times_rounding: number;
    }
  | {
      kind: "corrupt";
      /** Layer, from 0; none for the logits. */
      layer: number | null;
      /** Which tensor. */
      tensor: TapTensor;
      /** Position in the sequence. */
      position: number;
      /** Ratio of the distance to the rounding. */
      times_rounding: number;
    };

/** How far one kernel is from its CPU twin. */
export interface KernelCheck {
  /** Kernel name. */
  name: string;
  /** Largest squared error over squared value among its outputs. */
  nmse: number;
  /** Whether every output word is the twin's. */
  bit_equal: boolean;
}

/** A set of kernels that suits one kind of device. All families add in the same orders. */
export type KernelFamily = "cpu-adapter" | "gpu-subgroup" | "gpu-plain";

/** How keys, or values, are stored in the cache. */
export type KvFormat = "f32" | "f16" | "q8_0" | "q4_0";

/** How far the caches of two runs are apart. */
export interface KvMap {
  /** Keys. */
  k: KvMapSide;
  /** Values. */
  v: KvMapSide;
}

/** How far keys or values are apart, by layer and position. */
export interface KvMapSide {
  /** Format that the cache rounds to. */
  format: KvFormat;
  /**
   * Most steps between two values, each to the next number of that format; of f32 where each block has a scale of its own.
   * // [layer, position]
   */
  largest_steps: readonly (readonly number[])[];
  /** Share of values of which some bit differs. // [layer, position] */
  share: readonly (readonly number[])[];
  /** Length of the difference, as a vector, over that of the cold run's row. // [layer, position] */
  relative_l2: readonly (readonly number[])[];
}

/** Keys and values of one sequence. */
export interface KvNeed {
  /** Its positions. */
  context_len: number;
  /** Bytes of its keys and values. */
  kv_bytes: number;
  /** The same with the weights. */
  total_bytes: number;
  /** Whether that is within the budget. */
  fits: boolean;
}

/** The lead of one token over another at one step, and how much noise moved it or could have. Everything in logits. */
export interface Lead {
  /** In the cold run: of the fork's cold token over its warm one; without a fork, of the best token over the second. */
  cold: number;
  /** Of the same two tokens, in the warm run. */
  warm: number;
  /** How far it moved from the one run to the other. */
  drift: number;
  /** Twice epsilon: no larger lead can be lost to noise of this size. */
  two_epsilon: number;
}

/** An answer, and what computed it. */
export type LessonAnswer =
  | {
      /** What computed it. */
      computed: Computed;
      kind: "trees";
      /** In the order of the request. */
      trees: readonly TreeResult[];
      /** The sum without any rounding, where f64 can hold it. */
      exact: number | null;
    }
  | {
      /** What computed it. */
      computed: Computed;
      kind: "orders";
      /** Orders there are. */
      n_orders: number;
      /** The different results, smallest first. */
      results: readonly OrderResult[];
      /** The sum without any rounding, where f64 can hold it. */
      exact: number | null;
    }
  | {
      /** What computed it. */
      computed: Computed;
      kind: "number";
      /** The number and what is added, none at the ends of the format's range. */
      sum: number | null;
      /** What kind it is. */
      class: NumberClass;
      /** Its value, where it is a finite one. */
      value: number | null;
      /** The next number away from zero, where that is finite. */
      next: number | null;
      /** The gap to it is 2 to this power; none for what is not finite. */
      gap_exponent: number | null;
    };

/** A question. */
export type LessonRequest =
  | {
      kind: "trees";
      /** Of the sums. */
      format: SumFormat;
      /** Rounded to the format first. */
      values: readonly number[];
      /** Each has every value once. */
      trees: readonly TreeRequest[];
    }
  | {
      kind: "orders";
      /** Of the sums. */
      format: SumFormat;
      /** Rounded to the format first. */
      values: readonly number[];
    }
  | {
      kind: "number";
      /** Of the number. */
      format: SumFormat;
      /** The number's. */
      bits: number;
      /** What is added. */
      plus: number;
    };

/** What is wanted of a file, and how it shall run. */
export interface LoadOptions {
  /** 64 hex digits, where the file's hash is known. */
  expected_sha256: string | null;
  /** Formats. */
  formats: Formats;
  /** Order of addition. */
  order: Order;
  /** Whether a person asked for a file whose pre-tokenizer is unknown. */
  load_anyway: boolean;
}

/** What a header says, once nothing in it is in the way of a load. */
export interface ModelCheck {
  /** Bytes up to the end of the last tensor. */
  needed_bytes: number;
  /** Tensors of each format. */
  tensor_types: Record<string, number>;
  /** How the vocabulary is read. */
  tokenizer: TokenizerReport;
  /** What the file says of its licence, if it says anything. */
  license: string | null;
  /** SHA-256 of the chat template, where there is one. */
  template_sha256: string | null;
  /** What it takes, and whether that is there. */
  fit: Fit;
  /** Keys of the header that are not done as they say, or not read, each in a sentence. */
  notes: readonly string[];
  /** The model's own name, or empty. */
  name: string;
  /** What `general.architecture` stands for. */
  architecture: string;
  /** Transformer blocks. */
  n_blocks: number;
  /** Width of the residual stream. */
  embedding_dim: number;
  /** Query heads. */
  n_heads: number;
  /** Key and value heads, a divisor of `n_heads`. */
  n_kv_heads: number;
  /** Values of one head. */
  head_dim: number;
  /** Width of the feed-forward layer. */
  feed_forward_dim: number;
  /** Rows of the embedding and of the head. */
  vocab_size: number;
  /** Tokens of the vocabulary, which are the first of those rows: what pads them is never chosen. */
  n_tokens: number;
  /** Positions that the model was trained for. */
  context_len: number;
  /** RMSNorm epsilon. */
  norm_eps: number;
  /** RoPE base. */
  rope_base: number;
  /** Values of a head that rotate. */
  rope_dim: number;
  /** Positions are divided by this. */
  rope_scale: number;
  /** The sliding window, where some layers have one. */
  window: SlidingWindow | null;
}

/** How far a file has come. */
export interface ModelProgress {
  /** Bytes taken in. */
  bytes_received: number;
  /** Tensors on the GPU. */
  tensors_uploaded: number;
  /** Tensors of the file; 0 until the header is read. */
  tensors_total: number;
}

/** A loaded model, and how it runs. */
export interface ModelReport {
  /** SHA-256 of the file. */
  sha256: string;
  /** Bytes of the file. */
  len_bytes: number;
  /** Names of the matrices that hold nothing but zeros: where the file was downloaded, its end may never have come. */
  zero_matrices: readonly string[];
  /** Number of tensors of each type. */
  tensor_types: Record<string, number>;
  /** How far the kernels are from their CPU twins on this device. */
  self_test: SelfTest;
  /** Rows of one prefill step, at most. */
  chunk_rows: number;
  /** Positions that the engine has a cache for, at most. */
  max_context_len: number;
  /** How the file's tokenizer was read. */
  tokenizer: TokenizerReport;
  /** Name of the chat template in use; none for the file's default one. */
  template_name: string | null;
  /** SHA-256 of the chat template in use; none where there is no template. */
  template_sha256: string | null;
  /** Those that the file brings besides its default one. */
  template_names: readonly string[];
  /** Whether the file brings a default chat template that can be used. */
  file_has_template: boolean;
  /** Layouts that many models share and that this vocabulary has the control tokens for. */
  known_template_names: readonly string[];
  /** Whose template the one in use is; none for one that is not known, which may add or drop whatever it likes. */
  template_known_as: string | null;
  /** The model's own name, or empty. */
  name: string;
  /** What `general.architecture` stands for. */
  architecture: string;
  /** Transformer blocks. */
  n_blocks: number;
  /** Width of the residual stream. */
  embedding_dim: number;
  /** Query heads. */
  n_heads: number;
  /** Key and value heads, a divisor of `n_heads`. */
  n_kv_heads: number;
  /** Values of one head. */
  head_dim: number;
  /** Width of the feed-forward layer. */
  feed_forward_dim: number;
  /** Rows of the embedding and of the head. */
  vocab_size: number;
  /** Tokens of the vocabulary, which are the first of those rows: what pads them is never chosen. */
  n_tokens: number;
  /** Positions that the model was trained for. */
  context_len: number;
  /** RMSNorm epsilon. */
  norm_eps: number;
  /** RoPE base. */
  rope_base: number;
  /** Values of a head that rotate. */
  rope_dim: number;
  /** Positions are divided by this. */
  rope_scale: number;
  /** The sliding window, where some layers have one. */
  window: SlidingWindow | null;
}

/** What kind of number the bits are. */
export type NumberClass = "zero" | "subnormal" | "normal" | "infinite" | "not-a-number";

/** In which order sums are added. */
export type Order = "by-shape" | "invariant" | "vector" | "tiled";

/** One result of many orders. */
export interface OrderResult {
  /** The sum. */
  value: number;
  /** Orders that give it. */
  n_orders: number;
}

/** A comparison's prompt under orders of its own: some sites invariant, the others by shape. */
export interface OrdersRequest {
  /** What the comparison was asked for. */
  comparison: CompareRequest;
  /** The sites whose order is invariant. */
  invariant: readonly Site[];
}

/** The first value of which some bit differs. */
export interface Origin {
  /** Layer, from 0; none for the logits. */
  layer: number | null;
  /** Which tensor. */
  tensor: TapTensor;
  /** Position in the sequence. */
  position: number;
  /** Index in the tensor's row. */
  index: number;
  /** Representable numbers between the two values. */
  ulp: number;
  /** The cold run's value. */
  cold: OriginSide;
  /** The warm run's value. */
  warm: OriginSide;
  /** How far every tensor of that position is apart, in order of execution. */
  taps: readonly Tap[];
}

/** One run's side of the origin. */
export interface OriginSide {
  /** The value. */
  value: number;
  /** Its bits, in hexadecimal. */
  bits: string;
  /** What wrote it; of a value that was altered in the cache, what had written it before. */
  writer: Writer;
  /** The cache held another value than the kernel writes. */
  altered: boolean;
}

/** What a person asks. */
export type Prompt =
  | {
      kind: "complete";
      /** The text. */
      text: string;
    }
  | {
      kind: "chat";
      /** The message. */
      user: string;
    };

/** A token of the prompt. */
export interface PromptToken {
  /** Token id. */
  id: number;
  /** Its text, special tokens shown. */
  text: string;
  /** Whether it is a control token, which only the chat template or the file's own settings put there. */
  control: boolean;
}

/** One run. */
export interface Run {
  /** Which. */
  run: RunName;
  /** Tokens in the prompt. */
  prompt_tokens: number;
  /** Of these taken from the cache. */
  reused_tokens: number;
  /** Tokens decoded. */
  steps: readonly Step[];
  /** Why it ended. */
  stop: StopReason;
  /** Milliseconds to the first token; none where the run ended before it. */
  time_to_first_token_ms: number | null;
  /** Kernels that ran. */
  kernels: readonly string[];
}

/** Which run of a comparison. */
export type RunName = "first-turn" | "cold-a" | "cold-b" | "warm";

/** Where the warm run's cache comes from. */
export type Scenario =
  | { kind: "same-prompt" }
  | {
      kind: "second-turn";
      /** The second message. */
      follow_up: string;
      /** Most tokens of the model's answer to the first. */
      reply_tokens: number;
    };

/** What the self-test found on a device that passed. */
export interface SelfTest {
  /** Every kernel once. */
  kernels: readonly KernelCheck[];
  /**
   * Whether vector and tiled pipelines of every site gave the same bits for the same rows in order invariant. Where they do not, one
   * pipeline must serve every row count there; false too where their arithmetic differs.
   */
  invariant_pipelines_agree: boolean;
  /** How long it took, twins included. */
  elapsed_ms: number;
}

/** How a prompt and its answer are computed. */
export interface Shape {
  /** Rows of the prompt in one step, at most; with the neighbours no more than the engine's. */
  chunk_rows: number;
  /** Prompt tokens that are taken from the cache, where a cold run has left them. */
  reused_tokens: number;
  /** Rows of other sequences in every step. */
  n_neighbours: number;
}

/** Whether a prompt's answer is the same in every shape. */
export interface ShapeCheck {
  /** The shape that all are held against: a cold run in the engine's own chunks. */
  plain: Shape;
  /** Tokens whose logits were compared in each. */
  n_tokens: number;
  /** Each shape that was tried. */
  shapes: readonly CheckedShape[];
  /** Shapes of which a bit differs. */
  n_differing: number;
  /** `ClaimLevel::L2` where every shape has the plain one's bits, in an order that promises it. */
  claim: ClaimLevel | null;
  /** It was stopped before every shape was tried. */
  was_cancelled: boolean;
}

/** A place of the forward pass where sums are added, as it recurs in every layer. */
export type Site = "attn_qkv" | "attention" | "attn_output" | "ffn_gate_up" | "ffn_down" | "output";

/** A sliding window of a model. */
export interface SlidingWindow {
  /** Keys that a row sees in a layer with a window: its own and those right before. */
  len: number;
  /** Which layers have it. */
  pattern: WindowPattern;
}

/** One decoded token. */
export interface Step {
  /** The token chosen. */
  id: number;
  /** Its text, special tokens shown. */
  text: string;
  /** The five largest logits, largest first. */
  top: readonly Token[];
  /** Largest minus second largest logit. */
  margin: number;
  /** Hash of all logits, 32 hex digits. */
  logits_hash: string;
  /** Milliseconds from the start of the step to its result. */
  elapsed_ms: number;
}

/** One step of both runs, fed the same tokens. Everything in logits. */
export interface StepNoise {
  /** Largest minus second largest logit of the cold run. */
  gap: number;
  /** Change of the gap in the warm run. */
  gap_change: number;
  /** Largest change of any logit: epsilon. */
  largest_change: number;
  /** Logit of the fork's cold token minus logit of its warm token, in the cold run and in the warm one; none without a fork. */
  pair_margin: readonly [number, number] | null;
}

/** Why a run ended. */
export type StopReason = "end-of-turn" | "max-tokens" | "context-full" | "cancelled";

/** In which order the lanes of a subgroup are added. */
export type SubgroupOrder = "sequential" | "neighbours" | "halves" | "other";

/** A format of sums. In each, a sum is the nearest number of the format, ties to even. */
export type SumFormat = "f16" | "bf16" | "f32";

/** What was tapped of one tensor. */
export interface Tap {
  /** Layer, from 0; none for the logits. */
  layer: number | null;
  /** Which tensor. */
  tensor: TapTensor;
  /** 128-bit hash of the bits of its values. */
  hash: readonly [number, number, number, number];
  /** How far it is from the first run's; none in the first run. */
  difference: Difference | null;
}

/** A tensor that can be tapped, in the order in which a layer writes them; the logits come after the last layer. */
export type TapTensor =
  | "q"
  | "k"
  | "v"
  | "attention-output"
  | "residual-after-attention"
  | "ffn-hidden"
  | "residual-after-ffn"
  | "logits";

/** What the page's renderer of templates rejects with. */
export type TemplateFailure =
  | {
      kind: "timed-out";
      /** After so long. */
      limit_ms: number;
    }
  | {
      kind: "crashed";
      /** In the words of whatever broke. */
      how: string;
    };

/** A candidate. */
export interface Token {
  /** Token id. */
  id: number;
  /** Its text, special tokens shown. */
  text: string;
  /** Its logit. */
  logit: number;
}

/** How a file's tokenizer was read; part of every record. */
export interface TokenizerReport {
  /** The model: `gpt2` or `llama`. */
  model: string;
  /** The rule of words that the file names. */
  pre_tokenizer: string | null;
  /** The rule of words in use; none for vocabularies with scores, which know no words. */
  rule: string | null;
  /** Whether ids published for this rule are among the project's tests. */
  proven: boolean;
  /** The file's rule is unknown, and a person asked to load it all the same. */
  loaded_anyway: boolean;
  /** SHA-256 over everything in the file that decides ids. */
  sha256: string;
}

/** A number by its place, or the sum of two trees. In JSON `[[0, 1], 2]` adds the first two numbers, then the third. */
export type Tree = number | readonly [Tree, Tree];

/** A tree, or the name of one. */
export type TreeRequest = TreeShape | Tree;

/** The sums of one tree. */
export interface TreeResult {
  /** The whole sum. */
  total: number;
  /** Its bits in the format. */
  bits: number;
  /** The sum after each addition, in postfix order: left before right before their sum. */
  partial: readonly number[];
}

/** A tree that exists for any number of values. */
export type TreeShape = "sequential" | "pairwise";

/** A device's runs beside the twin's. */
export interface TwinCheck {
  /** Decoded tokens whose logits were compared, over all runs. */
  n_steps: number;
  /** Of which run, and the number of its first token whose logits differ. */
  first_difference: readonly [RunName, number] | null;
  /** `ClaimLevel::L4` where every bit agreed and nothing is known of the device that would keep others from agreeing. */
  claim: ClaimLevel | null;
  /** Why there is no claim. */
  reason: string | null;
}

/** What a comparison shows. The first that applies, in the order of declaration. */
export type Verdict =
  | "error"
  | "cancelled"
  | "control-failed"
  | "vacuous"
  | "corrupt"
  | "tie"
  | "forked"
  | "same-tokens"
  | "bit-identical";

/** Which layers see a window, and what else is different in them. */
export interface WindowPattern {
  /** Every so many-th layer sees all keys: layer i where i + 1 is a multiple of it. None: no layer does. */
  global_every: number | null;
  /** Base of the rotations in layers with a window, which are then not scaled; none where it is the file's as everywhere. */
  local_rope_base: number | null;
}

/** How a row of a tensor was written. */
export interface Writer {
  /** The kernel. */
  kernel: string;
  /** For K and V, the attention kernel of the same step: those of every layer but the first depend on it. */
  attention_kernel: string | null;
  /** Rows of the step. */
  chunk_rows: number;
  /** Number of the step in its run, from 0: the schedule's, then one for each token. */
  step: number;
}
