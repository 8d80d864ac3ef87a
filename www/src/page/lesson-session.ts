// The lesson's questions to the engine: one at a time, on the GPU where there is one, else on its CPU twin. No model is needed.
import { effect, type ReadonlySignal, signal } from "@preact/signals";
import type { DotProduct, EngineError, LessonAnswer, LessonRequest } from "../shared/engine-records";
import type { Processor } from "../shared/protocol";
import type { EngineClient } from "./engine-client";
import type { AdapterState } from "./session-state";

/** The answer to a kind of question. */
export type AnswerOf<Request extends Pick<LessonRequest, "kind">> = Extract<
  LessonAnswer,
  { kind: Request["kind"] }
>;

interface Surroundings {
  client: Pick<EngineClient, "call">;
  adapter: ReadonlySignal<AdapterState>;
  /** Whether the engine does something else. */
  isBusy: ReadonlySignal<boolean>;
  onBrokenOff: (error: EngineError) => void;
}

export class LessonSession {
  readonly isAsking = signal(false);
  /** Whether the engine has answered in this visit. */
  readonly hasAnswered = signal(false);
  /** Why the twin answers although there was a GPU. */
  readonly gpuFailure = signal<EngineError | null>(null);
  readonly #surroundings: Surroundings;
  #last: Promise<unknown> = Promise.resolve();

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Rejects with an EngineError. Waits for whatever else the engine does. */
  ask<Request extends LessonRequest>(request: Request): Promise<AnswerOf<Request>> {
    // The engine answers a question with the answer of its kind.
    return this.#inTurn(() => this.#answer(request)) as Promise<AnswerOf<Request>>;
  }

  /** Of the loaded model, for the first token of a text. */
  dotProduct(text: string): Promise<DotProduct> {
    return this.#inTurn(() => this.#surroundings.client.call({ kind: "dot-product", text }));
  }

  #inTurn<T>(question: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(async () => {
      await this.#untilFree();
      this.isAsking.value = true;
      try {
        const answer = await question();
        this.hasAnswered.value = true;
        return answer;
      } finally {
        this.isAsking.value = false;
      }
    });
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #answer(request: LessonRequest): Promise<LessonAnswer> {
    const { client, adapter, onBrokenOff } = this.#surroundings;
    const ask = (on: Processor["kind"]) => client.call({ kind: "lesson", on, request });
    if (adapter.value.kind !== "found" || this.gpuFailure.value !== null) return ask("cpu-twin");
    try {
      return await ask("gpu");
    } catch (reason) {
      const error = reason as EngineError;
      if (error.code === "bad-request") throw error;
      this.gpuFailure.value = error;
      onBrokenOff(error);
      return ask("cpu-twin");
    }
  }

  async #untilFree(): Promise<void> {
    const { adapter, isBusy } = this.#surroundings;
    const isFree = () => !isBusy.value && adapter.value.kind !== "checking";
    while (!isFree()) await until(isFree);
  }
}

function until(condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (!condition()) return;
      resolve();
      queueMicrotask(() => stop());
    });
  });
}
