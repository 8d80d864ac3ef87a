// What crosses between the page and its worker. Types only: both sides import this file, neither imports the other.
import type {
  Ablation,
  AblationOutcome,
  CasesDone,
  CompareEvent,
  CompareRequest,
  Comparison,
  ConfigureOptions,
  DeviceReport,
  DissectEvent,
  Dissection,
  DotProduct,
  EngineError,
  Formats,
  Judgement,
  LessonAnswer,
  LessonRequest,
  ModelCheck,
  ModelReport,
  Order,
  OrdersRequest,
  ShapeCheck,
  TwinCheck,
} from "./engine-records";

export interface AdapterWords {
  vendor: string;
  architecture: string;
  device: string;
  description: string;
}

/** What the worker sees before any wasm is fetched. */
export interface AdapterProbe {
  /** Words for a person, never empty. */
  name: string;
  /** What the browser tells of the adapter, in its own words; browsers leave most of it empty. */
  told: AdapterWords;
  software: boolean;
  subgroups: boolean;
  shader_f16: boolean;
  /** Most bytes that a kernel binds at once. */
  binding_bytes: number;
}

/** Test parameters of the page's address, passed to the worker. */
export interface Simulation {
  gpu: "real" | "off" | "lost" | "lost-twice";
  /** Whether the engine breaks down in its first comparison, as wasm does that traps. */
  engine: "real" | "crash";
  subgroups: "auto" | "off";
}

/** Where a model's bytes come from. */
export type ModelSource =
  /** The file that is served with the page. */
  | {
      kind: "built-in";
      /** What people call the file. */
      title: string;
      file_name: string;
      url: string;
      len_bytes: number;
      sha256: string;
    }
  /** A person's own: one file, or all parts of a model in any order. */
  | { kind: "files"; files: File[] }
  /** An address that a person typed, https or this site's. */
  | { kind: "url"; url: string };

/** What was found out about a person's source before it is loaded. */
export interface CheckedSource {
  check: ModelCheck;
  /** That keys and values were counted in. */
  formats: Formats;
  /** Null where the server does not say. */
  len_bytes: number | null;
  /** Another host that the bytes come from, after a redirect. */
  redirected_to: string | null;
  /** More than one for a model in parts. */
  n_files: number;
}

/** What computes. */
export type Processor =
  /** The engine's report, its name completed by the probe. */
  | { kind: "gpu"; device: DeviceReport }
  /** The kernels' twins, on the CPU; there is no device to report. */
  | { kind: "cpu-twin" };

export interface LoadedModel {
  processor: Processor;
  model: ModelReport;
}

/** What a header is checked for. */
export interface CheckCallOptions {
  on: Processor["kind"];
  memory_bytes: number | null;
  formats: Formats;
  load_anyway: boolean;
}

/** Requests that are answered by one `done` or one `failed`; one at a time. */
export type Call =
  | { kind: "probe"; simulation: Simulation }
  /** Reads the header and no more; a loaded model stays. */
  | ({ kind: "check-model"; source: ModelSource } & CheckCallOptions)
  /** The header that was read last, for other formats. */
  | ({ kind: "check-again" } & CheckCallOptions)
  | {
      kind: "load-model";
      on: Processor["kind"];
      source: ModelSource;
      /** Of the model's data, where a check has told; an answer without end is broken off behind it. */
      needed_bytes: number | null;
      formats: Formats;
      order: Order;
      load_anyway: boolean;
      simulation: Simulation;
    }
  | { kind: "configure"; options: ConfigureOptions }
  | { kind: "compare"; request: CompareRequest }
  | {
      kind: "dissect";
      request: CompareRequest;
      /** Behind the fork too, both runs fed the cold run's tokens. */
      beyond_fork: boolean;
    }
  | { kind: "ablate"; request: CompareRequest }
  | { kind: "try-orders"; request: OrdersRequest }
  | { kind: "check-shapes"; request: CompareRequest }
  | { kind: "judge-noise"; request: CompareRequest }
  /** Needs the loaded model's file once more, for the twin. */
  | {
      kind: "check-twin";
      request: CompareRequest;
      source: ModelSource;
      needed_bytes: number | null;
      options: ConfigureOptions;
      load_anyway: boolean;
    }
  /** Needs no model; where no device is open yet, one is opened. */
  | { kind: "lesson"; on: Processor["kind"]; request: LessonRequest }
  /** Of the loaded model, for the first token of a text. */
  | { kind: "dot-product"; text: string };

export interface CallResult {
  probe: AdapterProbe;
  "check-model": CheckedSource;
  "check-again": Pick<CheckedSource, "check" | "formats">;
  "load-model": LoadedModel;
  configure: ModelReport;
  compare: Comparison;
  dissect: Dissection;
  /** Null where it was stopped before there was anything to tell. */
  ablate: Ablation | null;
  /** Null as above. */
  "try-orders": AblationOutcome | null;
  /** Null as above. */
  "check-shapes": ShapeCheck | null;
  /** Null as above. */
  "judge-noise": Judgement | null;
  "check-twin": TwinCheck;
  lesson: LessonAnswer;
  "dot-product": DotProduct;
}

export type Request =
  | { kind: "call"; id: number; call: Call }
  /** Ends the call in progress within one step; without one it does nothing. */
  | { kind: "cancel" };

export type LoadStage = "engine" | "download" | "verify";

export type RestartReason =
  /** The server sent the whole file where the rest was asked for. */
  | "whole-file"
  /** The file is another one now. */
  | "file-changed"
  /** The server does not say which version it sends, or which bytes. */
  | "nothing-to-go-by"
  /** The part that an earlier visit kept is no longer what was written. */
  | "part-altered"
  /** The kept file went away while it was read. */
  | "copy-gone";

/** Why a model that is downloaded is not kept in this browser. */
export type NotKept =
  /** The browser has no storage of files, or refuses it in this window. */
  | "no-storage"
  /** Another tab is writing or reading it. */
  | "other-tab"
  | "full"
  /** Its record is damaged, or of a later version of this page. */
  | "needs-check";

/** What this browser's storage does in a load. */
export type StorageNews =
  /** The bytes come from there; no server is asked. */
  | { kind: "from-storage" }
  /** So many bytes were there from an earlier visit; the rest is downloaded. */
  | { kind: "continued"; bytes: number }
  /** The model is kept for the next visit. */
  | { kind: "kept" }
  /** The load goes on without. Null where nobody says how much is needed or free. */
  | { kind: "not-kept"; why: NotKept; needs_bytes: number | null; free_bytes: number | null };

export type Progress =
  | { kind: "stage"; stage: LoadStage }
  /** From here on come the bytes of one of several files; `number` is from 1. */
  | { kind: "part"; number: number; count: number }
  /** `bytes_total` is null where nobody knows it. */
  | { kind: "download"; bytes_received: number; bytes_total: number | null }
  /** What had arrived was of no use: the file is taken from its first byte again. */
  | { kind: "restarted"; why: RestartReason }
  | { kind: "storage"; news: StorageNews }
  /** The server has sent nothing for a while, and is asked again. */
  | { kind: "silent"; nth_try: number }
  | { kind: "compare" | "check-twin" | "judge-noise"; event: CompareEvent }
  | { kind: "dissect"; event: DissectEvent }
  | { kind: "ablate" | "check-shapes"; event: CasesDone };

export type Response =
  | { kind: "progress"; id: number; progress: Progress }
  | { kind: "done"; id: number; result: CallResult[Call["kind"]] }
  | { kind: "failed"; id: number; error: EngineError }
  /** The device went away while no call was running. */
  | { kind: "device-lost"; error: EngineError };
