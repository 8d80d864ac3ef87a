// The page's one state: the GPU, the model, the comparison on show, and what a person can do next.
import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { EngineError, Formats, Order } from "../shared/engine-records";
import type { Processor, Simulation } from "../shared/protocol";
import { Announcer } from "./announcer";
import { ChoiceSession } from "./choice-session";
import { ComparisonSession } from "./comparison-session";
import { EngineClient } from "./engine-client";
import { failureWords, needsFreshEngine } from "./failures";
import { LessonSession } from "./lesson-session";
import { LoadSession } from "./load-session";
import type {
  AdapterState,
  BuiltInSource,
  ChoiceState,
  ComparisonInputs,
  ComparisonState,
  ModelState,
  Selection,
} from "./session-state";
import { titleOf } from "./sources";
import { type Prepared, WhySession } from "./why-session";

/** What is simulated happens once, or as often as it says, so that a test can also see the way back. */
function afterFailure({ gpu, ...others }: Simulation): Simulation {
  const next = { off: "off", real: "real", lost: "real", "lost-twice": "lost" } as const;
  return { ...others, gpu: next[gpu], engine: "real" };
}

export class Session {
  readonly adapter = signal<AdapterState>({ kind: "checking" });
  readonly model = signal<ModelState>({ kind: "absent" });
  readonly choice = signal<ChoiceState>({ kind: "none" });
  readonly selection: Signal<Selection>;
  readonly choices: ChoiceSession;
  readonly loads: LoadSession;
  readonly comparisons: ComparisonSession;
  readonly why: WhySession;
  readonly lesson: LessonSession;
  readonly status = signal("");
  readonly isBusy: ReadonlySignal<boolean> = computed(
    () =>
      this.model.value.kind === "loading" ||
      this.choice.value.kind === "checking" ||
      this.choices.isCheckingAgain.value ||
      this.comparison.value.kind === "running" ||
      this.why.isRunning.value ||
      this.lesson.isAsking.value ||
      (this.model.value.kind === "ready" && this.model.value.is_configuring),
  );
  /** Whether the model of the comparison on show is the one that is loaded. */
  readonly hasItsModel: ReadonlySignal<boolean> = computed(() => {
    const [shown, model] = [this.comparison.value, this.model.value];
    if (shown.kind === "none" || model.kind !== "ready") return false;
    return shown.model_sha256 === model.loaded.model.sha256;
  });
  /** Whether the engine can be asked about the comparison on show. */
  readonly canAsk: ReadonlySignal<boolean> = computed(() => this.hasItsModel.value && !this.isBusy.value);

  /** The model that comes with the page. */
  readonly builtIn: BuiltInSource;
  #simulation: Simulation;
  readonly #client: EngineClient;
  readonly #announcer: Announcer;
  /** What the comparison on show was run with. */
  #ranWith: Selection;
  /** What a comparison is to be run with whose model could not be loaded. */
  #awaitsModel: (() => ComparisonInputs) | null = null;

  constructor(builtIn: BuiltInSource, simulation: Simulation) {
    this.builtIn = builtIn;
    this.selection = signal({ source: builtIn, checked: null, load_anyway: false });
    this.#ranWith = this.selection.value;
    this.#simulation = simulation;
    this.#client = new EngineClient((error) => this.#deviceLostWhileIdle(error));
    this.#announcer = new Announcer((message) => {
      this.status.value = message;
    });
    const { adapter, model, choice, selection, isBusy } = this;
    const engine = { client: this.#client, announcer: this.#announcer };
    const onBrokenOff = (error: EngineError) => {
      if (needsFreshEngine(error)) this.#dropEngine();
    };
    this.choices = new ChoiceSession({
      ...engine,
      builtIn,
      choice,
      selection,
      adapter,
      model,
      isBusy,
      onSelected: () => {
        this.loads.dismissFailure();
        this.loads.forgetBytes();
        this.#awaitsModel = null;
      },
    });
    this.loads = new LoadSession({
      ...engine,
      model,
      selection,
      isBusy,
      processor: () => this.#processor(),
      simulation: () => this.#simulation,
    });
    this.comparisons = new ComparisonSession({
      ...engine,
      configure: (inputs) => this.loads.configure(inputs),
      recover: (inputs) => this.#recover(inputs),
      onBrokenOff,
    });
    this.why = new WhySession({ ...engine, prepare: () => this.#prepareInquiry(), onBrokenOff });
    // What the next one comes to may be something else.
    effect(() => {
      if (model.value.kind !== "ready") this.why.trials.forget();
    });
    this.lesson = new LessonSession({ client: this.#client, adapter, isBusy, onBrokenOff });
  }

  get comparison(): Signal<ComparisonState> {
    return this.comparisons.state;
  }

  async checkGpu(): Promise<void> {
    this.adapter.value = { kind: "checking" };
    try {
      const probe = await this.#client.call({ kind: "probe", simulation: this.#simulation });
      this.adapter.value = { kind: "found", probe };
    } catch (reason) {
      const error = reason as EngineError;
      this.adapter.value = { kind: "failed", error };
      this.#announcer.failure(failureWords(error).title);
    }
  }

  /** Goes on without a GPU. */
  chooseCpuTwin(): void {
    this.adapter.value = { kind: "cpu-twin" };
    this.model.value = { kind: "absent" };
    this.loads.dismissFailure();
  }

  /** Says something once on the status line. */
  announce(message: string): void {
    this.#announcer.event(message);
  }

  /** Cold A, cold B, warm. Loads the model first where it is missing; what it cannot do may then change the inputs. */
  async run(inputsNow: () => ComparisonInputs): Promise<void> {
    if (this.isBusy.value) return;
    const { formats, order } = inputsNow();
    this.#awaitsModel = inputsNow;
    if (this.model.value.kind !== "ready" && !(await this.loads.load(formats, order))) return;
    this.#awaitsModel = null;
    const model = this.model.value;
    if (model.kind !== "ready") return;
    const inputs = inputsNow();
    this.why.clear(inputs.order);
    this.#ranWith = model.selection;
    await this.comparisons.run({
      inputs,
      ran_on: model.loaded.processor,
      model_title: titleOf(model.selection),
      model_sha256: model.loaded.model.sha256,
    });
  }

  /** Loads the selection, and no more. */
  load(formats: Formats, order: Order): Promise<boolean> {
    this.#awaitsModel = null;
    return this.loads.load(formats, order);
  }

  /** The load that failed or was stopped, once more; and the comparison, where it was for one. */
  async loadAgain(formats: Formats, order: Order): Promise<void> {
    const inputsNow = this.#awaitsModel;
    if (inputsNow) await this.run(inputsNow);
    else await this.load(formats, order);
  }

  /** Ends what is in progress; what is there stays. */
  stop(): void {
    this.why.noteStopping();
    this.comparisons.noteStopping();
    this.#client.cancel();
  }

  /** After a lost device or a failed kernel, or to leave the CPU twin: a new worker, a new device. */
  async restart(): Promise<void> {
    this.#dropEngine();
    this.model.value = { kind: "absent" };
    this.loads.dismissFailure();
    await this.checkGpu();
  }

  /** Sets the engine up as it was for the comparison on show; null where nothing can be asked now. */
  async #prepareInquiry(): Promise<Prepared | null> {
    const { comparison, model } = this;
    const shown = comparison.value;
    if (model.value.kind !== "ready" || shown.kind !== "done" || !this.hasItsModel.value) return null;
    const { selection } = model.value;
    await this.loads.configure(shown.inputs);
    return { inputs: shown.inputs, selection };
  }

  /** After a lost device: a new one, and the same model in it; null where there is none. */
  async #recover({ formats, order }: ComparisonInputs): Promise<Processor | null> {
    await this.checkGpu();
    if (this.adapter.value.kind !== "found") return null;
    if (!(await this.loads.loadNow(formats, order, this.#ranWith))) return null;
    return this.model.value.kind === "ready" ? this.model.value.loaded.processor : null;
  }

  #processor(): Processor["kind"] {
    return this.adapter.value.kind === "cpu-twin" ? "cpu-twin" : "gpu";
  }

  #deviceLostWhileIdle(error: EngineError): void {
    this.#dropEngine();
    this.model.value = { kind: "absent" };
    this.loads.failure.value = { stage: "engine", error };
    this.#announcer.failure(failureWords(error).title);
  }

  #dropEngine(): void {
    this.#client.restart();
    this.#simulation = afterFailure(this.#simulation);
    this.loads.forgetBytes();
    if (this.model.value.kind === "ready") this.model.value = { kind: "absent" };
  }
}
