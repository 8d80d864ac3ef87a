// The engine's wasm-bindgen package as src/web.rs exports it. The bundler maps this name to
// src/engine/lastbit.js, which is generated; declaring it here lets types be checked without it.
declare module "lastbit-engine" {
  import type {
    Ablation,
    AblationOutcome,
    CasesDone,
    CheckOptions,
    CompareEvent,
    CompareRequest,
    Comparison,
    ConfigureOptions,
    CreateOptions,
    DeviceReport,
    DissectEvent,
    Dissection,
    DotProduct,
    DotProductRequest,
    EngineError,
    Judgement,
    LessonAnswer,
    LessonRequest,
    LoadOptions,
    ModelCheck,
    ModelProgress,
    ModelReport,
    OrdersRequest,
    ShapeCheck,
    TwinCheck,
  } from "../shared/engine-records";

  /** Fetches and compiles the wasm. */
  export default function init(): Promise<unknown>;

  /** The lesson's sums on the CPU twin, without a model. What is thrown is an EngineError object. */
  export function lessonOnTwin(request: LessonRequest): LessonAnswer;

  export class CancelToken {
    constructor();
    cancel(): void;
    free(): void;
  }

  /** The tiny model of the tests: one file, or the parts of one; with names and sources of further chat templates. */
  export function tinyModel(seed: number, nParts: number, templates: string[]): Uint8Array[];

  /** The names of all files of the model that a file of this name is a part of, in order; its own where it is none. */
  export function partNames(name: string): string[];

  /** SHA-256 of bytes that come in pieces. */
  export class FileHash {
    constructor();
    push(bytes: Uint8Array): void;
    /** Of all bytes so far. */
    hex(): string;
    free(): void;
  }

  /** Takes the beginnings of a model's files. What is thrown is an EngineError object. */
  export class ModelHeader {
    constructor();
    begin_file(name: string, len_bytes: number | undefined): void;
    /** Whether the header is complete. */
    push(bytes: Uint8Array): boolean;
    /** Throws what is wrong with a file that ended before its header did. */
    end_file(): void;
    /** In which order the files make the model. */
    order(): Uint32Array;
    /** Bytes of each file, as they were begun; those up to the end of its data where nobody told. */
    lens_bytes(): Float64Array;
    check(options: CheckOptions): ModelCheck;
    free(): void;
  }

  /** Every promise rejects with an EngineError object. */
  export class Engine {
    /** `renderTemplate` takes a request and gives its reply, both JSON; it rejects with a TemplateFailure. */
    static create(
      options: CreateOptions,
      renderTemplate: (request: string) => Promise<string>,
    ): Promise<Engine>;
    device(): DeviceReport;
    /** 0 bytes where the length is unknown. `parts` is used up. */
    begin_model(total_bytes: number, parts: ModelHeader | undefined): void;
    push_model(bytes: Uint8Array): Promise<ModelProgress>;
    /** Once `stop` gives something, the work is dropped and this rejects with it. */
    finish_model(options: LoadOptions, stop: Promise<EngineError>): Promise<ModelReport>;
    configure(options: ConfigureOptions): Promise<ModelReport>;
    compare(
      request: CompareRequest,
      cancel: CancelToken,
      on_event: (event: CompareEvent) => void,
    ): Promise<Comparison>;
    /** Resolves with what was found, also where it was stopped or failed. */
    dissect(
      request: CompareRequest,
      beyond_fork: boolean,
      cancel: CancelToken,
      on_event: (event: DissectEvent) => void,
    ): Promise<Dissection>;
    /** Resolves with null where it was stopped before there was anything to tell. */
    ablate(
      request: CompareRequest,
      cancel: CancelToken,
      on_event: (event: CasesDone) => void,
    ): Promise<Ablation | null>;
    /** Resolves with null where it was stopped. */
    try_orders(request: OrdersRequest, cancel: CancelToken): Promise<AblationOutcome | null>;
    /** As `ablate`. */
    check_shapes(
      request: CompareRequest,
      cancel: CancelToken,
      on_event: (event: CasesDone) => void,
    ): Promise<ShapeCheck | null>;
    /** Resolves with null where it was stopped. */
    judge_noise(
      request: CompareRequest,
      cancel: CancelToken,
      on_event: (event: CompareEvent) => void,
    ): Promise<Judgement | null>;
    /** Runs the first tokens here and on the twin of the same model, set up alike. */
    check_twin(
      twin: TwinEngine,
      request: CompareRequest,
      cancel: CancelToken,
      on_event: (event: CompareEvent) => void,
    ): Promise<TwinCheck>;
    /** The lesson's sums on the device, without a model. */
    lesson(request: LessonRequest): Promise<LessonAnswer>;
    dot_product(request: DotProductRequest): Promise<DotProduct>;
    free(): void;
  }

  /** The kernels' twins on the CPU. What is thrown is an EngineError object. */
  export class TwinEngine {
    /** `parts` is used up. `pause` is awaited before every layer. */
    static create(
      file: Uint8Array,
      parts: ModelHeader | undefined,
      options: LoadOptions,
      renderTemplate: (request: string) => Promise<string>,
      pause: () => Promise<void>,
    ): TwinEngine;
    model(): ModelReport;
    configure(options: ConfigureOptions): ModelReport;
    dot_product(request: DotProductRequest): DotProduct;
    compare(
      request: CompareRequest,
      cancel: CancelToken,
      on_event: (event: CompareEvent) => void,
    ): Promise<Comparison>;
    free(): void;
  }
}

// The template engine, as template/src/worker.rs exports it; src/template-engine/lastbit_template.js.
declare module "lastbit-template" {
  /** Fetches and compiles the wasm. */
  export default function init(): Promise<unknown>;

  /** A request as JSON to its reply as JSON. Throws where it takes too much memory or too deep a stack. */
  export function render(request: string): string;
}
