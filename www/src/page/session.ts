// The page's one state: the GPU, the model, the comparison on show, and what a person can do next.
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { CompareRequest, EngineError, Formats, Order } from "../shared/engine-records";
import { modelUrlFrom } from "../shared/model-url";
import type {
  CheckCallOptions,
  ModelSource,
  Processor,
  Progress,
  Simulation,
  StorageNews,
} from "../shared/protocol";
import { isResumable } from "../shared/resumable";
import { Announcer } from "./announcer";
import { ComparisonSession } from "./comparison-session";
import { EngineClient } from "./engine-client";
import { badAddress, failureWords, needsFreshEngine } from "./failures";
import { megabytes } from "./format";
import { messages } from "./language";
import { LessonSession } from "./lesson-session";
import type {
  AdapterState,
  BuiltInSource,
  ChoiceState,
  ComparisonInputs,
  ComparisonState,
  LoadFailure,
  ModelState,
  Selection,
  TemplateNames,
} from "./session-state";
import { WhySession } from "./why-session";

/** What is simulated happens once, or as often as it says, so that a test can also see the way back. */
function afterFailure({ gpu, ...others }: Simulation): Simulation {
  const next = { off: "off", real: "real", lost: "real", "lost-twice": "lost" } as const;
  return { ...others, gpu: next[gpu], engine: "real" };
}

/** Half of what the browser says the machine has; null where it says nothing, and the engine has its own number. */
function memoryBudget(): number | null {
  const { deviceMemory } = navigator as { deviceMemory?: number };
  return deviceMemory === undefined ? null : (deviceMemory / 2) * 2 ** 30;
}

export class Session {
  readonly adapter = signal<AdapterState>({ kind: "checking" });
  readonly model = signal<ModelState>({ kind: "absent" });
  readonly loadFailure = signal<LoadFailure | null>(null);
  readonly choice = signal<ChoiceState>({ kind: "none" });
  readonly selection: Signal<Selection>;
  readonly comparisons: ComparisonSession;
  readonly why: WhySession;
  readonly lesson: LessonSession;
  readonly status = signal("");
  /** What this browser's storage did in the newest load. */
  readonly storageNews = signal<StorageNews | null>(null);
  readonly isBusy: ReadonlySignal<boolean> = computed(
    () =>
      this.model.value.kind === "loading" ||
      this.choice.value.kind === "checking" ||
      this.#isCheckingAgain.value ||
      this.comparison.value.kind === "running" ||
      this.why.isRunning.value ||
      this.lesson.isAsking.value ||
      (this.model.value.kind === "ready" && this.model.value.is_configuring),
  );

  /** The model that comes with the page. */
  readonly builtIn: BuiltInSource;
  #simulation: Simulation;
  readonly #client: EngineClient;
  readonly #announcer: Announcer;
  #frameIsScheduled = false;
  /** What the comparison on show was run with. */
  #ranWith: Selection | undefined;
  #bytesReceived = 0;
  readonly #isCheckingAgain = signal(false);
  /** Formats that the selection could not be checked for. */
  #checkedInVain: Formats | null = null;

  constructor(builtIn: BuiltInSource, simulation: Simulation) {
    this.builtIn = builtIn;
    this.selection = signal({ source: builtIn, checked: null, load_anyway: false });
    this.#simulation = simulation;
    this.#client = new EngineClient((error) => this.#deviceLostWhileIdle(error));
    this.#announcer = new Announcer((message) => {
      this.status.value = message;
    });
    this.comparisons = new ComparisonSession({
      client: this.#client,
      announcer: this.#announcer,
      configure: (inputs) => this.#configure(inputs),
      recover: (inputs) => this.#recover(inputs),
      onBrokenOff: (error) => this.#noteBrokenOff(error),
    });
    this.why = new WhySession({
      client: this.#client,
      announcer: this.#announcer,
      prepare: () => this.#prepareInquiry(),
      onBrokenOff: (error) => this.#noteBrokenOff(error),
    });
    this.lesson = new LessonSession({
      client: this.#client,
      adapter: this.adapter,
      isBusy: this.isBusy,
      onBrokenOff: (error) => this.#noteBrokenOff(error),
    });
  }

  #noteBrokenOff(error: EngineError): void {
    if (needsFreshEngine(error)) this.#dropEngine();
  }

  get comparison(): Signal<ComparisonState> {
    return this.comparisons.state;
  }

  /** The request of the comparison on show, with the engine as it was then; null where nothing can be asked now. */
  async #prepareInquiry(): Promise<CompareRequest | null> {
    const shown = this.comparison.value;
    if (this.model.value.kind !== "ready" || shown.kind !== "done") return null;
    await this.#configure(shown.inputs);
    return shown.inputs.request;
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
    this.loadFailure.value = null;
  }

  /** Goes back to the model that comes with the page; what is loaded stays. */
  chooseBuiltIn(): void {
    if (this.isBusy.value) return;
    this.choice.value = { kind: "none" };
    this.#select({ source: this.builtIn, checked: null, load_anyway: false });
  }

  /** Reads a person's source up to the end of its header. Where it is refused, all is as it was. */
  async choose(source: ModelSource, formats: Formats, load_anyway = false): Promise<boolean> {
    if (this.isBusy.value) {
      this.#announcer.event(messages.value.status.busy);
      return false;
    }
    this.choice.value = { kind: "checking", source };
    this.#announcer.event(messages.value.status.readingHeader);
    try {
      const options = this.#checkOptions(formats, load_anyway);
      const checked = await this.#client.call({ kind: "check-model", source, ...options });
      this.choice.value = { kind: "none" };
      this.#select({ source, checked, load_anyway });
      const { status } = messages.value;
      this.#announcer.event(checked.check.fit.fits ? status.fits : status.fitsNot);
      return true;
    } catch (reason) {
      this.#refuse(source, reason as EngineError);
      return false;
    }
  }

  /** Whether the selection fits depends on the formats; its header is not read again for that. */
  async checkAgain(formats: Formats): Promise<void> {
    const { source, checked, load_anyway } = this.selection.value;
    const isUpToDate = checked === null || checked.formats === formats || this.isSelectionLoaded();
    if (isUpToDate || this.isBusy.value || this.#checkedInVain === formats) return;
    this.#isCheckingAgain.value = true;
    try {
      const options = this.#checkOptions(formats, load_anyway);
      const again = await this.#client.call({ kind: "check-again", ...options });
      this.selection.value = { source, checked: { ...checked, ...again }, load_anyway };
    } catch {
      // The engine was started anew and has not read this header; the card tells which formats it is for.
      this.#checkedInVain = formats;
    } finally {
      this.#isCheckingAgain.value = false;
    }
  }

  #checkOptions(formats: Formats, load_anyway: boolean): CheckCallOptions {
    const on = this.adapter.value.kind === "found" ? "gpu" : "cpu-twin";
    return { on, memory_bytes: memoryBudget(), formats, load_anyway };
  }

  #refuse(source: ModelSource, error: EngineError): void {
    // Who stopped it knows.
    const isStopped = error.code === "download-cancelled";
    this.choice.value = isStopped ? { kind: "none" } : { kind: "refused", source, error };
    this.#announcer.failure(failureWords(error, source.kind).title);
  }

  /** The address that was typed, or null: it is then refused in words. */
  addressFrom(typed: string): string | null {
    const url = modelUrlFrom(typed, location.href);
    if (url === null) this.#refuse({ kind: "url", url: typed }, badAddress(typed));
    return url;
  }

  dismissRefusal(): void {
    this.choice.value = { kind: "none" };
  }

  dismissLoadFailure(): void {
    this.loadFailure.value = null;
  }

  /** What chats can be put into, besides the file's default template. */
  templateNames(): TemplateNames {
    const model = this.model.value;
    if (model.kind !== "ready") return { own: [], known: [] };
    const { template_names, known_template_names } = model.loaded.model;
    return { own: template_names, known: known_template_names };
  }

  /** Whether the selection is what is loaded. */
  isSelectionLoaded(): boolean {
    const model = this.model.value;
    return model.kind === "ready" && model.selection === this.selection.value;
  }

  /** Says something once on the status line. */
  announce(message: string): void {
    this.#announcer.event(message);
  }

  #select(selection: Selection): void {
    this.#checkedInVain = null;
    this.selection.value = selection;
    this.loadFailure.value = null;
    this.#bytesReceived = 0;
  }

  async loadModel(formats: Formats, order: Order): Promise<boolean> {
    return !this.isBusy.value && this.#load(formats, order);
  }

  async #load(formats: Formats, order: Order, selection = this.selection.value): Promise<boolean> {
    const before = this.model.value;
    this.#beginLoading();
    try {
      const { source, checked, load_anyway } = selection;
      const loaded = await this.#client.call(
        {
          kind: "load-model",
          on: this.#processor(),
          source,
          needed_bytes: checked?.check.needed_bytes ?? null,
          formats,
          order,
          load_anyway,
          simulation: this.#simulation,
        },
        (progress) => this.#loadProgress(progress),
      );
      this.#bytesReceived = 0;
      this.model.value = { kind: "ready", loaded, selection, formats, order, is_configuring: false };
      this.#announcer.event(messages.value.status.ready);
      return true;
    } catch (reason) {
      this.#loadFailed(reason as EngineError, before);
      return false;
    }
  }

  #beginLoading(): void {
    this.loadFailure.value = null;
    this.storageNews.value = null;
    const { source, checked } = this.selection.value;
    this.model.value = {
      kind: "loading",
      stage: "engine",
      bytes_received: this.#bytesReceived,
      bytes_total: source.kind === "built-in" ? source.len_bytes : (checked?.len_bytes ?? null),
      bytes_before: this.#bytesReceived,
      started_at: performance.now(),
      restarted: null,
      tries: 0,
    };
    this.#announcer.event(messages.value.status.loading);
  }

  /** Cold A, cold B, warm. Loads the model first where it is missing; what it cannot do may then change the inputs. */
  async run(inputsNow: () => ComparisonInputs): Promise<void> {
    if (this.isBusy.value) return;
    const { formats, order } = inputsNow();
    if (this.model.value.kind !== "ready" && !(await this.loadModel(formats, order))) return;
    const inputs = inputsNow();
    this.why.clear();
    if (this.model.value.kind === "ready") this.#ranWith = this.model.value.selection;
    await this.comparisons.run({ inputs, ran_on: this.#processor() });
  }

  /** After a lost device: a new one, and the same model in it. */
  async #recover({ formats, order }: ComparisonInputs): Promise<boolean> {
    await this.checkGpu();
    return this.adapter.value.kind === "found" && this.#load(formats, order, this.#ranWith);
  }

  /** Puts a message on the status line. */
  say(message: string): void {
    this.#announcer.event(message);
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
    this.loadFailure.value = null;
    await this.checkGpu();
  }

  async #configure({ formats, order, template }: ComparisonInputs): Promise<void> {
    const model = this.model.value;
    if (model.kind !== "ready") return;
    const isSame = model.formats === formats && model.order === order;
    if (isSame && model.loaded.model.template_name === template) return;
    this.model.value = { ...model, is_configuring: true };
    try {
      const options = { formats, order, template };
      const report = await this.#client.call({ kind: "configure", options });
      const loaded = { ...model.loaded, model: report };
      this.model.value = { ...model, loaded, formats, order, is_configuring: false };
    } catch (reason) {
      this.model.value = { ...model, is_configuring: false };
      throw reason;
    }
  }

  #processor(): Processor["kind"] {
    return this.adapter.value.kind === "cpu-twin" ? "cpu-twin" : "gpu";
  }

  #loadProgress(progress: Progress): void {
    const model = this.model.value;
    if (model.kind !== "loading") return;
    if (progress.kind === "stage") {
      const started_at = performance.now();
      this.model.value = { ...model, stage: progress.stage, started_at };
    } else if (progress.kind === "download") {
      this.#downloadProgress(progress.bytes_received, progress.bytes_total);
    } else if (progress.kind === "restarted") {
      this.#bytesReceived = 0;
      this.model.value = { ...model, bytes_received: 0, bytes_before: 0, restarted: progress.why };
      this.#announcer.event(messages.value.status.fromFirstByte);
    } else if (progress.kind === "silent") {
      this.model.value = { ...model, tries: progress.nth_try };
    } else if (progress.kind === "storage") {
      const { news } = progress;
      this.storageNews.value = news;
      // Bytes that did not come over the network are no part of its rate.
      if (news.kind === "continued")
        this.model.value = { ...model, bytes_before: news.bytes, started_at: performance.now() };
    }
  }

  #downloadProgress(bytes_received: number, bytes_total: number | null): void {
    this.#bytesReceived = bytes_received;
    const isTold = bytes_total !== null && bytes_total >= bytes_received && bytes_total > 0;
    const { status } = messages.value;
    const part = isTold
      ? status.percent(Math.floor((100 * bytes_received) / bytes_total))
      : megabytes(bytes_received);
    this.#announcer.progress(status.download(part));
    this.#nextFrame(() => {
      if (this.model.value.kind !== "loading") return;
      const total = isTold ? bytes_total : null;
      this.model.value = {
        ...this.model.value,
        bytes_received: this.#bytesReceived,
        bytes_total: total,
        tries: 0,
      };
    });
  }

  #loadFailed(error: EngineError, before: ModelState): void {
    const stage = this.model.value.kind === "loading" ? this.model.value.stage : "engine";
    const { kind } = this.selection.value.source;
    if (!isResumable(error)) this.#bytesReceived = 0;
    this.loadFailure.value = { stage, error };
    this.#announcer.failure(failureWords(error, kind).title);
    const isEngineGone = needsFreshEngine(error);
    this.model.value = before.kind === "ready" && !isEngineGone ? before : { kind: "absent" };
    if (isEngineGone) this.#client.restart();
  }

  #deviceLostWhileIdle(error: EngineError): void {
    this.#dropEngine();
    this.model.value = { kind: "absent" };
    this.loadFailure.value = { stage: "engine", error };
    this.#announcer.failure(failureWords(error).title);
  }

  #dropEngine(): void {
    this.#client.restart();
    this.#simulation = afterFailure(this.#simulation);
    this.#bytesReceived = 0;
    if (this.model.value.kind === "ready") this.model.value = { kind: "absent" };
  }

  /** Many events may arrive between two frames; the page is drawn once. */
  #nextFrame(draw: () => void): void {
    if (this.#frameIsScheduled) return;
    this.#frameIsScheduled = true;
    requestAnimationFrame(() => {
      this.#frameIsScheduled = false;
      draw();
    });
  }
}
