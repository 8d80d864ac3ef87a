// The states that the page is in: of the GPU, of the model, of a source on its way, and of the comparison on show.
import type {
  Ablation,
  CasesDone,
  CompareRequest,
  Comparison,
  DissectEvent,
  Dissection,
  EngineError,
  Formats,
  Judgement,
  Order,
  ShapeCheck,
  TwinCheck,
} from "../shared/engine-records";
import type {
  AdapterProbe,
  CheckedSource,
  LoadedModel,
  LoadStage,
  ModelSource,
  Processor,
  RestartReason,
} from "../shared/protocol";
import type { ReplayOutcome } from "./replay-check";

export type AdapterState =
  | { kind: "checking" }
  | { kind: "found"; probe: AdapterProbe }
  | { kind: "failed"; error: EngineError }
  /** There is no GPU, and a person chose the CPU twin of the kernels. */
  | { kind: "cpu-twin" };

export type ModelState =
  | { kind: "absent" }
  | {
      kind: "loading";
      stage: LoadStage;
      /** Which of several files is on its way; null where there is one. */
      part: { number: number; count: number } | null;
      bytes_received: number;
      bytes_total: number | null;
      bytes_before: number;
      started_at: number;
      /** Why the transfer began again from the first byte, if it did. */
      restarted: RestartReason | null;
      /** How often a silent server has been asked again since the last byte. */
      tries: number;
    }
  | {
      kind: "ready";
      loaded: LoadedModel;
      /** What it was loaded from. */
      selection: Selection;
      formats: Formats;
      order: Order;
      is_configuring: boolean;
    };

/** A load that failed. The model that was loaded before stays where its engine can go on. */
export interface LoadFailure {
  stage: LoadStage;
  error: EngineError;
}

/** What the next load takes. */
export interface Selection {
  source: ModelSource;
  /** What its header says; null for the model that comes with the page. */
  checked: CheckedSource | null;
  /** A person asked for a file whose pre-tokenizer is unknown. */
  load_anyway: boolean;
}

/** A person's source on its way to being the selection. */
export type ChoiceState =
  | { kind: "none" }
  | { kind: "checking"; source: ModelSource }
  | { kind: "refused"; source: ModelSource; error: EngineError };

export interface ComparisonInputs {
  request: CompareRequest;
  formats: Formats;
  order: Order;
  /** Name of a chat template; null for the file's default one. */
  template: string | null;
}

/** What is on show, also after the page has gone over to another processor. */
export interface Shown {
  inputs: ComparisonInputs;
  ran_on: Processor;
  /** What the model is called. */
  model_title: string;
  /** Of the model's file: nothing may be asked of another one about this comparison. */
  model_sha256: string;
}

/** A comparison that has ended, with its verdict. */
export type DoneComparison = Shown & {
  kind: "done";
  comparison: Comparison;
  /** What came of running it once more after a lost device; null where none was lost. */
  replay: ReplayOutcome | null;
};

export type ComparisonState =
  | { kind: "none" }
  | (Shown & {
      kind: "running";
      is_stopping: boolean;
      /** The device was lost: the same steps once more, on a new one. */
      is_replay: boolean;
    })
  | DoneComparison
  | (Shown & { kind: "failed"; error: EngineError });

/** A question about the comparison on show. */
export type InquiryState<Event, Found> =
  | { kind: "none" }
  | { kind: "running"; event: Event | null; is_stopping: boolean }
  | { kind: "done"; found: Found }
  | { kind: "failed"; error: EngineError };

/** The fork on show, taken apart. */
export type DissectionState = InquiryState<DissectEvent, Dissection>;

/** The orders of addition changed site by site; null where it was stopped before there was anything to tell. */
export type AblationState = InquiryState<CasesDone, Ablation | null>;

/** One choice of orders after the other; what each came to is kept among the trials. */
export type TrialState = Exclude<InquiryState<null, never>, { kind: "done" }>;

/** The prompt in other shapes; null where it was stopped before there was anything to tell. */
export type ShapesState = InquiryState<CasesDone, ShapeCheck | null>;

/** The device held against the CPU twin; told of are the tokens of both so far. */
export type TwinState = InquiryState<number, TwinCheck>;

/** Noise or corruption; told of are the tokens so far. Null where it was stopped. */
export type NoiseState = InquiryState<number, Judgement | null>;

/** Names of chat templates. */
export interface TemplateNames {
  /** Those that the loaded file brings besides its default one. */
  own: readonly string[];
  /** Known layouts that its vocabulary has the control tokens for. */
  known: readonly string[];
}

export type BuiltInSource = Extract<ModelSource, { kind: "built-in" }>;
