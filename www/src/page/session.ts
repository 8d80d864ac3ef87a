// The page's one state: the GPU, the model, the comparison on show, and what a person can do next.
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type {
  AdapterProbe,
  CompareEvent,
  CompareRequest,
  Comparison,
  EngineError,
  Formats,
  LoadedModel,
  LoadStage,
  ModelSource,
  Order,
  Processor,
  Progress,
  Simulation,
} from "../shared/protocol";
import { isResumable } from "../shared/resumable";
import { Announcer } from "./announcer";
import { EngineClient } from "./engine-client";
import { brokenOffStatus, failureWords, needsFreshEngine } from "./failures";
import { plural } from "./format";
import { applyEvent, currentRun, newRunLog, type RunLog } from "./run-log";
import { splitOf } from "./streams";

export type AdapterState =
  | { kind: "checking" }
  | { kind: "found"; probe: AdapterProbe }
  | { kind: "failed"; error: EngineError }
  /** There is no GPU, and a person chose the CPU twin of the kernels. */
  | { kind: "cpu-twin" };

export type ModelState =
  | { kind: "absent" }
  | { kind: "loading"; stage: LoadStage; bytes_received: number; bytes_before: number; started_at: number }
  | { kind: "ready"; loaded: LoadedModel; formats: Formats; order: Order; is_configuring: boolean }
  | { kind: "failed"; stage: LoadStage; error: EngineError };

export interface ComparisonInputs {
  request: CompareRequest;
  formats: Formats;
  order: Order;
}

/** What is on show, also after the page has gone over to another processor. */
interface Shown {
  inputs: ComparisonInputs;
  ran_on: Processor["kind"];
}

export type ComparisonState =
  | { kind: "none" }
  | (Shown & { kind: "running"; is_stopping: boolean })
  | (Shown & { kind: "done"; comparison: Comparison })
  | (Shown & { kind: "failed"; error: EngineError });

export class Session {
  readonly adapter = signal<AdapterState>({ kind: "checking" });
  readonly model = signal<ModelState>({ kind: "absent" });
  readonly comparison = signal<ComparisonState>({ kind: "none" });
  readonly status = signal("");
  /** The runs of the comparison on show; the same object grows, `frame` says when to look again. */
  readonly log = signal<RunLog>(newRunLog(false));
  readonly frame = signal(0);
  readonly isBusy: ReadonlySignal<boolean> = computed(
    () =>
      this.model.value.kind === "loading" ||
      this.comparison.value.kind === "running" ||
      (this.model.value.kind === "ready" && this.model.value.is_configuring),
  );

  readonly source: ModelSource;
  #simulation: Simulation;
  readonly #client: EngineClient;
  readonly #announcer: Announcer;
  #frameIsScheduled = false;
  #forkIsAnnounced = false;
  #bytesReceived = 0;

  constructor(source: ModelSource, simulation: Simulation) {
    this.source = source;
    this.#simulation = simulation;
    this.#client = new EngineClient((error) => this.#deviceLostWhileIdle(error));
    this.#announcer = new Announcer((message) => {
      this.status.value = message;
    });
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
  }

  async loadModel(formats: Formats, order: Order): Promise<boolean> {
    if (this.isBusy.value) return false;
    const started_at = performance.now();
    this.model.value = {
      kind: "loading",
      stage: "engine",
      bytes_received: this.#bytesReceived,
      bytes_before: this.#bytesReceived,
      started_at,
    };
    this.#announcer.event("Loading the model");
    try {
      const loaded = await this.#client.call(
        {
          kind: "load-model",
          on: this.#processor(),
          source: this.source,
          formats,
          order,
          simulation: this.#simulation,
        },
        (progress) => this.#loadProgress(progress),
      );
      this.#bytesReceived = 0;
      this.model.value = { kind: "ready", loaded, formats, order, is_configuring: false };
      this.#announcer.event("The model is ready");
      return true;
    } catch (reason) {
      this.#modelFailed(reason as EngineError);
      return false;
    }
  }

  /** Cold A, cold B, warm. Loads the model first where it is missing. */
  async run(inputs: ComparisonInputs): Promise<void> {
    if (this.isBusy.value) return;
    if (this.model.value.kind !== "ready" && !(await this.loadModel(inputs.formats, inputs.order))) return;
    const shown: Shown = { inputs, ran_on: this.#processor() };

    this.log.value = newRunLog(inputs.request.scenario.kind === "second-turn");
    this.#forkIsAnnounced = false;
    this.comparison.value = { ...shown, kind: "running", is_stopping: false };
    try {
      await this.#configure(inputs.formats, inputs.order);
      if (this.#isStopping()) {
        this.comparison.value = { kind: "none" };
        return;
      }
      this.#announcer.event("Comparison started");
      const comparison = await this.#client.call({ kind: "compare", request: inputs.request }, (progress) =>
        this.#compareProgress(progress),
      );
      this.comparison.value = { ...shown, kind: "done", comparison };
      this.#announcer.event(
        comparison.verdict === "cancelled" ? "Stopped" : "Finished, the verdict is on the page",
      );
    } catch (reason) {
      const error = reason as EngineError;
      this.comparison.value = { ...shown, kind: "failed", error };
      this.#announcer.failure(brokenOffStatus(error));
      if (needsFreshEngine(error)) this.#dropEngine();
    }
    this.frame.value += 1;
  }

  /** Ends the load or the comparison in progress; what is there stays. */
  stop(): void {
    if (this.comparison.value.kind === "running") {
      this.comparison.value = { ...this.comparison.value, is_stopping: true };
    }
    this.#client.cancel();
  }

  /** After a lost device or a failed kernel, or to leave the CPU twin: a new worker, a new device. */
  async restart(): Promise<void> {
    this.#dropEngine();
    this.model.value = { kind: "absent" };
    await this.checkGpu();
  }

  async #configure(formats: Formats, order: Order): Promise<void> {
    const model = this.model.value;
    if (model.kind !== "ready" || (model.formats === formats && model.order === order)) return;
    this.model.value = { ...model, is_configuring: true };
    try {
      const report = await this.#client.call({ kind: "configure", formats, order });
      const loaded = { ...model.loaded, model: report };
      this.model.value = { kind: "ready", loaded, formats, order, is_configuring: false };
    } catch (reason) {
      this.model.value = { ...model, is_configuring: false };
      throw reason;
    }
  }

  #processor(): Processor["kind"] {
    return this.adapter.value.kind === "cpu-twin" ? "cpu-twin" : "gpu";
  }

  #isStopping(): boolean {
    return this.comparison.value.kind === "running" && this.comparison.value.is_stopping;
  }

  #loadProgress(progress: Progress): void {
    const model = this.model.value;
    if (model.kind !== "loading") return;
    if (progress.kind === "stage") {
      const started_at = performance.now();
      this.model.value = { ...model, stage: progress.stage, started_at };
    } else if (progress.kind === "download") {
      this.#bytesReceived = progress.bytes_received;
      const percent = Math.floor((100 * progress.bytes_received) / progress.bytes_total);
      this.#announcer.progress(`Model download: ${percent} percent`);
      this.#nextFrame(() => {
        if (this.model.value.kind === "loading") {
          this.model.value = { ...this.model.value, bytes_received: this.#bytesReceived };
        }
      });
    }
  }

  #modelFailed(error: EngineError): void {
    const stage = this.model.value.kind === "loading" ? this.model.value.stage : "engine";
    if (!isResumable(error)) this.#bytesReceived = 0;
    this.model.value = { kind: "failed", stage, error };
    this.#announcer.failure(failureWords(error).title);
    if (needsFreshEngine(error)) this.#client.restart();
  }

  #compareProgress(progress: Progress): void {
    if (progress.kind !== "compare") return;
    applyEvent(this.log.value, progress.event);
    this.#announceProgress(progress.event);
    this.#nextFrame(() => {
      this.frame.value += 1;
    });
  }

  #announceProgress(event: CompareEvent): void {
    if (event.kind !== "token" || event.run !== "warm" || this.#forkIsAnnounced) return;
    const cold = this.log.value.get("cold-a")?.tokens ?? [];
    const warm = this.log.value.get("warm")?.tokens ?? [];
    const { fork } = splitOf(cold.slice(0, warm.length), warm);
    if (fork !== null) {
      this.#forkIsAnnounced = true;
      this.#announcer.event(`First divergence at token ${fork + 1}`);
    } else {
      this.#announcer.progress(`${plural(warm.length, "token")}, identical so far`);
    }
  }

  #deviceLostWhileIdle(error: EngineError): void {
    const stage: LoadStage = "engine";
    this.#dropEngine();
    this.model.value = { kind: "failed", stage, error };
    this.#announcer.failure(failureWords(error).title);
  }

  #dropEngine(): void {
    this.#client.restart();
    // A simulated loss happens once, so that a test can also see the way back.
    this.#simulation = {
      ...this.#simulation,
      gpu: this.#simulation.gpu === "lost" ? "real" : this.#simulation.gpu,
    };
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

  /** The run that is at work, for the run strip. */
  currentRun(): ReturnType<typeof currentRun> {
    return currentRun(this.log.value);
  }
}
