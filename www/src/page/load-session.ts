// The model: loads the selection, follows its bytes, and has the engine compute as a comparison asks.
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { EngineError, Formats, Order } from "../shared/engine-records";
import type { Processor, Progress, Simulation, StorageNews } from "../shared/protocol";
import { isResumable } from "../shared/resumable";
import type { Announcer } from "./announcer";
import type { EngineClient } from "./engine-client";
import { failureWords, needsFreshEngine } from "./failures";
import { megabytes } from "./format";
import { messages } from "./language";
import type { ComparisonInputs, LoadFailure, ModelState, Selection, TemplateNames } from "./session-state";

interface Surroundings {
  client: EngineClient;
  announcer: Announcer;
  model: Signal<ModelState>;
  selection: ReadonlySignal<Selection>;
  /** Whether the engine does something. */
  isBusy: ReadonlySignal<boolean>;
  processor: () => Processor["kind"];
  simulation: () => Simulation;
}

export class LoadSession {
  readonly failure = signal<LoadFailure | null>(null);
  /** What this browser's storage did in the newest load. */
  readonly storageNews = signal<StorageNews | null>(null);
  readonly #surroundings: Surroundings;
  #bytesReceived = 0;
  #frameIsScheduled = false;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Loads the selection for a person. */
  async load(formats: Formats, order: Order): Promise<boolean> {
    const { isBusy, selection } = this.#surroundings;
    return !isBusy.value && this.loadNow(formats, order, selection.value);
  }

  /** Loads also while the page is busy with what needs the model. */
  async loadNow(formats: Formats, order: Order, selection: Selection): Promise<boolean> {
    const { client, announcer, model, processor, simulation } = this.#surroundings;
    const before = model.value;
    this.#begin();
    try {
      const { source, checked, load_anyway } = selection;
      const loaded = await client.call(
        {
          kind: "load-model",
          on: processor(),
          source,
          needed_bytes: checked?.check.needed_bytes ?? null,
          formats,
          order,
          load_anyway,
          simulation: simulation(),
        },
        (progress) => this.#progress(progress),
      );
      this.#bytesReceived = 0;
      model.value = { kind: "ready", loaded, selection, formats, order, is_configuring: false };
      announcer.event(messages.value.status.ready);
      return true;
    } catch (reason) {
      this.#failed(reason as EngineError, before);
      return false;
    }
  }

  async configure({ formats, order, template }: ComparisonInputs): Promise<void> {
    const { announcer, client, model } = this.#surroundings;
    const before = model.value;
    if (before.kind !== "ready") return;
    const isSame = before.formats === formats && before.order === order;
    if (isSame && before.loaded.model.template_name === template) return;
    model.value = { ...before, is_configuring: true };
    announcer.stage(messages.value.status.preparing);
    try {
      const options = { formats, order, template };
      const report = await client.call({ kind: "configure", options });
      const loaded = { ...before.loaded, model: report };
      model.value = { ...before, loaded, formats, order, is_configuring: false };
    } catch (reason) {
      model.value = { ...before, is_configuring: false };
      throw reason;
    }
  }

  /** What chats can be put into, besides the file's default template. */
  templateNames(): TemplateNames {
    const model = this.#surroundings.model.value;
    if (model.kind !== "ready") return { own: [], known: [] };
    const { template_names, known_template_names } = model.loaded.model;
    return { own: template_names, known: known_template_names };
  }

  dismissFailure(): void {
    this.failure.value = null;
  }

  /** The next load has nothing to go on from. */
  forgetBytes(): void {
    this.#bytesReceived = 0;
  }

  #begin(): void {
    const { announcer, model, selection } = this.#surroundings;
    this.failure.value = null;
    this.storageNews.value = null;
    const { source, checked } = selection.value;
    model.value = {
      kind: "loading",
      stage: "engine",
      part: null,
      bytes_received: this.#bytesReceived,
      bytes_total: source.kind === "built-in" ? source.len_bytes : (checked?.len_bytes ?? null),
      bytes_before: this.#bytesReceived,
      started_at: performance.now(),
      restarted: null,
      tries: 0,
    };
    announcer.event(messages.value.status.loading);
  }

  #progress(progress: Progress): void {
    const { announcer, model } = this.#surroundings;
    const loading = model.value;
    if (loading.kind !== "loading") return;
    if (progress.kind === "stage") {
      const started_at = performance.now();
      model.value = { ...loading, stage: progress.stage, started_at };
      if (progress.stage === "verify") announcer.event(messages.value.status.verifying);
    } else if (progress.kind === "part") {
      const { number, count } = progress;
      model.value = { ...loading, part: { number, count } };
    } else if (progress.kind === "download") {
      this.#downloadProgress(progress.bytes_received, progress.bytes_total);
    } else if (progress.kind === "restarted") {
      this.#bytesReceived = 0;
      model.value = { ...loading, bytes_received: 0, bytes_before: 0, restarted: progress.why };
      announcer.event(messages.value.status.fromFirstByte);
    } else if (progress.kind === "silent") {
      model.value = { ...loading, tries: progress.nth_try };
    } else if (progress.kind === "storage") {
      const { news } = progress;
      this.storageNews.value = news;
      // Bytes that did not come over the network are no part of its rate.
      if (news.kind === "continued")
        model.value = { ...loading, bytes_before: this.#bytesReceived, started_at: performance.now() };
    }
  }

  #downloadProgress(bytes_received: number, bytes_total: number | null): void {
    const { announcer, model } = this.#surroundings;
    this.#bytesReceived = bytes_received;
    const isTold = bytes_total !== null && bytes_total >= bytes_received && bytes_total > 0;
    const { status } = messages.value;
    const part = isTold
      ? status.percent(Math.floor((100 * bytes_received) / bytes_total))
      : megabytes(bytes_received);
    announcer.progress(status.download(part));
    this.#nextFrame(() => {
      if (model.value.kind !== "loading") return;
      const total = isTold ? bytes_total : null;
      model.value = {
        ...model.value,
        bytes_received: this.#bytesReceived,
        bytes_total: total,
        tries: 0,
      };
    });
  }

  #failed(error: EngineError, before: ModelState): void {
    const { client, announcer, model, selection } = this.#surroundings;
    const stage = model.value.kind === "loading" ? model.value.stage : "engine";
    if (!isResumable(error)) this.#bytesReceived = 0;
    this.failure.value = { stage, error };
    announcer.failure(failureWords(error, selection.value.source.kind).title);
    const isEngineGone = needsFreshEngine(error);
    model.value = before.kind === "ready" && !isEngineGone ? before : { kind: "absent" };
    if (isEngineGone) client.restart();
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
