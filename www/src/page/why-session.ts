// What can be asked about the comparison on show: its fork taken apart, and the orders of addition changed site by site.
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { CompareRequest, EngineError } from "../shared/engine-records";
import type { Announcer } from "./announcer";
import type { EngineClient } from "./engine-client";
import { brokenOffStatus } from "./failures";
import { messages } from "./language";
import type { AblationState, ComparisonState, DissectionState } from "./session-state";

interface Surroundings {
  client: EngineClient;
  announcer: Announcer;
  /** Gives the request, with the engine as it was for the comparison; null where nothing can be asked. */
  prepare: () => Promise<CompareRequest | null>;
  onBrokenOff: (error: EngineError) => void;
}

/** The CPU twin has no taps; and where cold differs from cold, or nothing was reused, there is nothing to look for. */
export function canBeTakenApart(state: ComparisonState): state is Extract<ComparisonState, { kind: "done" }> {
  if (state.kind !== "done" || state.ran_on !== "gpu") return false;
  return ["forked", "tie", "same-tokens", "bit-identical"].includes(state.comparison.verdict);
}

export class WhySession {
  readonly dissection = signal<DissectionState>({ kind: "none" });
  readonly ablation = signal<AblationState>({ kind: "none" });
  readonly isRunning: ReadonlySignal<boolean> = computed(
    () => this.dissection.value.kind === "running" || this.ablation.value.kind === "running",
  );
  readonly #surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Forgets the answers: there is another comparison. */
  clear(): void {
    this.dissection.value = { kind: "none" };
    this.ablation.value = { kind: "none" };
  }

  /** Shows that what runs will end soon. */
  noteStopping(): void {
    const dissection = this.dissection.value;
    const ablation = this.ablation.value;
    if (dissection.kind === "running") this.dissection.value = { ...dissection, is_stopping: true };
    if (ablation.kind === "running") this.ablation.value = { ...ablation, is_stopping: true };
  }

  /** Runs the prompt again, cold and warm side by side, and looks for the first bit that differs. */
  takeApart(): Promise<void> {
    return this.#ask(this.dissection, messages.value.status.lookingForOrigin, async (request) => {
      const dissection = await this.#surroundings.client.call({ kind: "dissect", request }, (progress) => {
        const state = this.dissection.value;
        if (progress.kind !== "dissect" || state.kind !== "running") return;
        this.dissection.value = { ...state, event: progress.event };
      });
      this.dissection.value = { kind: "done", dissection };
      // What was found before a failure stays on show; the engine may be gone all the same.
      if (dissection.error) {
        this.#surroundings.onBrokenOff(dissection.error);
        return brokenOffStatus(dissection.error);
      }
      const { status } = messages.value;
      return dissection.was_cancelled ? status.stopped : status.takenApart;
    });
  }

  /** Runs the prompt cold and warm under every choice of orders, one site or group of sites changed at a time. */
  ablate(): Promise<void> {
    return this.#ask(this.ablation, messages.value.status.changingOrders, async (request) => {
      const ablation = await this.#surroundings.client.call({ kind: "ablate", request }, (progress) => {
        const state = this.ablation.value;
        if (progress.kind !== "ablate" || state.kind !== "running") return;
        this.ablation.value = { ...state, event: progress.event };
        const { done, of } = progress.event;
        this.#surroundings.announcer.progress(messages.value.status.ordersTried(done, of));
      });
      this.ablation.value = { kind: "done", ablation };
      return messages.value.status.allOrdersTried;
    });
  }

  async #ask(
    state: Signal<DissectionState> | Signal<AblationState>,
    beginning: string,
    question: (request: CompareRequest) => Promise<string>,
  ): Promise<void> {
    const { announcer, prepare, onBrokenOff } = this.#surroundings;
    if (this.isRunning.value) return;
    state.value = { kind: "running", event: null, is_stopping: false };
    announcer.event(beginning);
    try {
      const request = await prepare();
      if (request) announcer.event(await question(request));
      else state.value = { kind: "none" };
    } catch (reason) {
      const error = reason as EngineError;
      state.value = { kind: "failed", error };
      announcer.failure(brokenOffStatus(error));
      onBrokenOff(error);
    }
  }
}
