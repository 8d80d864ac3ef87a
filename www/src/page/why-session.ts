// What can be asked about the comparison on show: its fork taken apart, the orders of addition changed site by site, the prompt in other
// shapes.
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { AblationOutcome, CompareRequest, EngineError, Order, Site } from "../shared/engine-records";
import type { Progress } from "../shared/protocol";
import type { Announcer } from "./announcer";
import type { EngineClient } from "./engine-client";
import { brokenOffStatus } from "./failures";
import { messages } from "./language";
import { OrderTrials } from "./order-trials";
import type {
  AblationState,
  ComparisonInputs,
  ComparisonState,
  DissectionState,
  DoneComparison,
  NoiseState,
  Selection,
  ShapesState,
  TrialState,
  TwinState,
} from "./session-state";

/** What the comparison on show was asked for, of which model. */
export interface Prepared {
  inputs: ComparisonInputs;
  selection: Selection;
}

interface Surroundings {
  client: EngineClient;
  announcer: Announcer;
  /** Sets the engine up as it was for the comparison; null where nothing can be asked. */
  prepare: () => Promise<Prepared | null>;
  onBrokenOff: (error: EngineError) => void;
}

/** The CPU twin has no taps; and where cold differs from cold, or nothing was reused, there is nothing to look for. */
export function canBeTakenApart(state: ComparisonState): state is DoneComparison {
  if (state.kind !== "done" || state.ran_on.kind !== "gpu") return false;
  return ["forked", "tie", "same-tokens", "bit-identical"].includes(state.comparison.verdict);
}

type AnyState =
  | Signal<DissectionState>
  | Signal<AblationState>
  | Signal<TrialState>
  | Signal<ShapesState>
  | Signal<TwinState>
  | Signal<NoiseState>;

export class WhySession {
  readonly dissection = signal<DissectionState>({ kind: "none" });
  /** Whether it goes on behind the fork. */
  readonly isBeyondFork = signal(false);
  readonly ablation = signal<AblationState>({ kind: "none" });
  readonly trials = new OrderTrials();
  readonly shapes = signal<ShapesState>({ kind: "none" });
  readonly twin = signal<TwinState>({ kind: "none" });
  readonly noise = signal<NoiseState>({ kind: "none" });
  readonly isRunning: ReadonlySignal<boolean> = computed(() =>
    this.#states.some((state) => state.value.kind === "running"),
  );
  readonly #states: readonly AnyState[] = [
    this.dissection,
    this.ablation,
    this.trials.state,
    this.shapes,
    this.twin,
    this.noise,
  ];
  readonly #surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Forgets the answers: there is another comparison, run in this order. */
  clear(order: Order): void {
    for (const state of this.#states) state.value = { kind: "none" };
    this.trials.begin(order);
  }

  /** Shows that what runs will end soon. */
  noteStopping(): void {
    for (const state of this.#states) {
      if (state.value.kind !== "running") continue;
      state.value = { ...state.value, is_stopping: true };
      this.#surroundings.announcer.stage(messages.value.status.stopping);
    }
  }

  /** Runs the prompt again, cold and warm side by side, and looks for the first bit that differs. */
  takeApart(beyond_fork = false): Promise<void> {
    this.isBeyondFork.value = beyond_fork;
    return this.#ask(
      this.dissection,
      messages.value.status.lookingForOrigin,
      async ({ inputs: { request } }) => {
        const dissection = await this.#surroundings.client.call(
          { kind: "dissect", request, beyond_fork },
          (progress) => {
            const state = this.dissection.value;
            if (progress.kind !== "dissect" || state.kind !== "running") return;
            this.dissection.value = { ...state, event: progress.event };
          },
        );
        this.dissection.value = { kind: "done", found: dissection };
        // What was found before a failure stays on show; the engine may be gone all the same.
        if (dissection.error) {
          this.#surroundings.onBrokenOff(dissection.error);
          return brokenOffStatus(dissection.error);
        }
        const { status } = messages.value;
        return dissection.was_cancelled ? status.stopped : status.takenApart;
      },
    );
  }

  /** Runs the prompt cold and warm under every choice of orders, one site or group of sites changed at a time. */
  ablate(): Promise<void> {
    return this.#ask(this.ablation, messages.value.status.changingOrders, async ({ inputs: { request } }) => {
      const found = await this.#surroundings.client.call({ kind: "ablate", request }, (progress) =>
        this.#noteCases(this.ablation, "ablate", progress, messages.value.status.ordersTried),
      );
      this.ablation.value = { kind: "done", found };
      if (found) this.trials.noteAll(found);
      return messages.value.status.allOrdersTried;
    });
  }

  /**
   * Sets these places to one order and the others to by shape, and runs the prompt cold and warm under that, unless what comes of it is
   * known. While another choice is run, that one gives way. `told` has the words for an outcome.
   */
  async chooseOrders(invariant: readonly Site[], told: (outcome: AblationOutcome) => string): Promise<void> {
    const { client, announcer } = this.#surroundings;
    const { trials } = this;
    trials.choose(invariant);
    const outcome = trials.outcome();
    const state = trials.state.value;
    if (state.kind === "running") {
      trials.state.value = { ...state, is_stopping: false };
      client.cancel();
    } else if (outcome) {
      announcer.event(told(outcome));
    } else {
      await this.#ask(trials.state, messages.value.status.tryingOrders, async ({ inputs: { request } }) => {
        const found = await this.#tryChosen(request);
        trials.state.value = { kind: "none" };
        return found ? told(found) : messages.value.status.stopped;
      });
    }
  }

  /** What comes of the choice that is set when the engine is through; null where it was stopped. */
  async #tryChosen(comparison: CompareRequest): Promise<AblationOutcome | null> {
    const { trials } = this;
    for (;;) {
      const state = trials.state.value;
      const known = trials.outcome();
      if (known || state.kind !== "running" || state.is_stopping) return known;
      const invariant = trials.chosen.value;
      const request = { comparison, invariant };
      const outcome = await this.#surroundings.client.call({ kind: "try-orders", request });
      if (outcome) trials.note({ invariant, outcome });
    }
  }

  /** Runs the prompt in other chunks, with other reuse and beside another sequence, each held against one plain cold run. */
  checkShapes(): Promise<void> {
    return this.#ask(this.shapes, messages.value.status.checkingShapes, async ({ inputs: { request } }) => {
      const found = await this.#surroundings.client.call({ kind: "check-shapes", request }, (progress) =>
        this.#noteCases(this.shapes, "check-shapes", progress, messages.value.status.shapesTried),
      );
      this.shapes.value = { kind: "done", found };
      return messages.value.status.allShapesTried;
    });
  }

  /** Runs the first tokens of the comparison here and on the CPU twin of the model, whose file is read once more. */
  checkTwin(): Promise<void> {
    return this.#ask(this.twin, messages.value.status.checkingTwin, async ({ inputs, selection }) => {
      const { request, formats, order, template } = inputs;
      const { source, checked, load_anyway } = selection;
      const needed_bytes = checked?.check.needed_bytes ?? null;
      const options = { formats, order, template };
      const found = await this.#surroundings.client.call(
        { kind: "check-twin", request, source, needed_bytes, options, load_anyway },
        (progress) => this.#noteToken(this.twin, "check-twin", progress),
      );
      this.twin.value = { kind: "done", found };
      return messages.value.status.twinChecked;
    });
  }

  /** Runs the first tokens of the comparison again and holds the warm run's cache against what rounding makes of a cold one. */
  judgeNoise(): Promise<void> {
    return this.#ask(this.noise, messages.value.status.judgingNoise, async ({ inputs: { request } }) => {
      const found = await this.#surroundings.client.call({ kind: "judge-noise", request }, (progress) =>
        this.#noteToken(this.noise, "judge-noise", progress),
      );
      this.noise.value = { kind: "done", found };
      return messages.value.status.noiseJudged;
    });
  }

  #noteToken(
    state: Signal<TwinState> | Signal<NoiseState>,
    kind: "check-twin" | "judge-noise",
    progress: Progress,
  ): void {
    if (progress.kind !== kind || progress.event.kind !== "token" || state.value.kind !== "running") return;
    state.value = { ...state.value, event: (state.value.event ?? 0) + 1 };
  }

  #noteCases(
    state: Signal<AblationState> | Signal<ShapesState>,
    kind: "ablate" | "check-shapes",
    progress: Progress,
    words: (done: number, of: number) => string,
  ): void {
    if (progress.kind !== kind || state.value.kind !== "running") return;
    state.value = { ...state.value, event: progress.event };
    if (state.value.is_stopping) return;
    this.#surroundings.announcer.progress(words(progress.event.done, progress.event.of));
  }

  async #ask(
    state: AnyState,
    beginning: string,
    question: (prepared: Prepared) => Promise<string>,
  ): Promise<void> {
    const { announcer, prepare, onBrokenOff } = this.#surroundings;
    if (this.isRunning.value) return;
    state.value = { kind: "running", event: null, is_stopping: false };
    announcer.event(beginning);
    try {
      const prepared = await prepare();
      if (prepared) announcer.event(await question(prepared));
      else state.value = { kind: "none" };
    } catch (reason) {
      const error = reason as EngineError;
      state.value = { kind: "failed", error };
      announcer.failure(brokenOffStatus(error));
      onBrokenOff(error);
    }
  }
}
