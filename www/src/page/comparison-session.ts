// One comparison after the other: starts it, follows it event by event, and after a lost device runs the same steps once more.
import { signal } from "@preact/signals";
import type { CompareEvent, Comparison, EngineError } from "../shared/engine-records";
import type { Processor, Progress } from "../shared/protocol";
import type { Announcer } from "./announcer";
import type { EngineClient } from "./engine-client";
import { brokenOffStatus, deviceGone } from "./failures";
import { messages } from "./language";
import { ReplayCheck } from "./replay-check";
import { applyEvent, newRunLog, nTokens, type RunLog } from "./run-log";
import type { ComparisonInputs, ComparisonState, DoneComparison, Shown } from "./session-state";
import { splitOf } from "./streams";
import { hasEnded } from "./verdict";

interface Surroundings {
  client: EngineClient;
  announcer: Announcer;
  /** Makes the engine compute as the inputs say. */
  configure: (inputs: ComparisonInputs) => Promise<void>;
  /** A new device with the same model; null where there is none. */
  recover: (inputs: ComparisonInputs) => Promise<Processor | null>;
  onBrokenOff: (error: EngineError) => void;
}

/** A comparison that came to its own end, with what its runs wrote. */
export interface EndedComparison {
  done: DoneComparison;
  log: RunLog;
}

/** Faster than text is read; each drawing lays out all that is written so far. */
const DRAWN_EVERY_MS = 50;

export class ComparisonSession {
  readonly state = signal<ComparisonState>({ kind: "none" });
  /** The newest comparison before the one on show that came to its own end. */
  readonly former = signal<EndedComparison | null>(null);
  /** The runs of the comparison on show; the same object grows, `frame` says when to look again. */
  readonly log = signal<RunLog>(newRunLog(false));
  readonly frame = signal(0);
  /** The token that is looked at in both answers; null for the fork, or the first one. */
  readonly cursor = signal<number | null>(null);
  readonly #surroundings: Surroundings;
  #frameIsScheduled = false;
  #drawnAt = 0;
  #forkIsAnnounced = false;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  async run(shown: Shown): Promise<void> {
    const { announcer, onBrokenOff } = this.#surroundings;
    const before = this.state.value;
    if (before.kind === "done" && hasEnded(before.comparison)) {
      this.former.value = { done: before, log: this.log.value };
    }
    this.log.value = newLogFor(shown);
    this.cursor.value = null;
    this.#forkIsAnnounced = false;
    this.state.value = { ...shown, kind: "running", is_stopping: false, is_replay: false };
    try {
      const comparison = await this.#compare(shown, (event) => applyEvent(this.log.value, event));
      if (comparison === null) {
        this.state.value = { kind: "none" };
        this.#surroundings.announcer.event(messages.value.status.stopped);
      } else this.#finish({ ...shown, kind: "done", comparison, replay: null });
    } catch (reason) {
      const error = reason as EngineError;
      onBrokenOff(error);
      if (!(await this.#replay(shown, error))) {
        this.state.value = { ...shown, kind: "failed", error };
        announcer.failure(brokenOffStatus(error));
      }
    }
    this.frame.value += 1;
  }

  /** Shows that what runs will end soon. */
  noteStopping(): void {
    const state = this.state.value;
    if (state.kind !== "running") return;
    this.state.value = { ...state, is_stopping: true };
    this.#surroundings.announcer.stage(messages.value.status.stopping);
  }

  /**
   * After a lost device, once: the same schedule of steps on a new device, held against the tokens that were there, which stay on show until
   * they have been computed again. True where the state says what came of it.
   */
  async #replay(shown: Shown, error: EngineError): Promise<boolean> {
    const { announcer, recover, onBrokenOff } = this.#surroundings;
    if (error.code !== "device-lost" || nTokens(this.log.value) === 0 || this.#isStopping()) return false;
    this.state.value = { ...shown, kind: "running", is_stopping: false, is_replay: true };
    announcer.event(messages.value.status.replaying);
    try {
      const ran_on = await recover(shown.inputs);
      if (ran_on === null) return false;
      const check = new ReplayCheck(this.log.value);
      const { n_before } = check.outcome();
      const again = newLogFor(shown);
      const comparison = await this.#compare(shown, (event) => {
        check.take(event);
        applyEvent(again, event);
        if (this.log.value !== again && nTokens(again) >= n_before) this.log.value = again;
      });
      if (comparison === null) return false;
      this.#finish({ ...shown, ran_on, kind: "done", comparison, replay: check.outcome() });
    } catch (reason) {
      const second = reason as EngineError;
      onBrokenOff(second);
      const gone = second.code === "device-lost" ? deviceGone(second) : second;
      this.state.value = { ...shown, kind: "failed", error: gone };
      announcer.failure(brokenOffStatus(gone));
    }
    return true;
  }

  /** Null where it was stopped before it began. */
  async #compare(shown: Shown, take: (event: CompareEvent) => void): Promise<Comparison | null> {
    const { announcer, client, configure } = this.#surroundings;
    await configure(shown.inputs);
    if (this.#isStopping()) return null;
    announcer.event(messages.value.status.started);
    const { request } = shown.inputs;
    return client.call({ kind: "compare", request }, (progress: Progress) => {
      if (progress.kind !== "compare") return;
      take(progress.event);
      this.#announceProgress(progress.event);
      this.#nextFrame();
    });
  }

  #finish(done: DoneComparison): void {
    this.state.value = done;
    const { status } = messages.value;
    const isStopped = done.comparison.verdict === "cancelled";
    this.#surroundings.announcer.event(isStopped ? status.stopped : status.finished);
  }

  #isStopping(): boolean {
    return this.state.value.kind === "running" && this.state.value.is_stopping;
  }

  #announceProgress(event: CompareEvent): void {
    if (this.#isStopping()) return;
    if (event.kind === "token" && event.run === "warm") this.#announceAgreement();
    else this.#announceRun(event);
  }

  /** Which run is at work, and how far it is with the prompt or with its answer. */
  #announceRun({ kind, run }: CompareEvent): void {
    const record = this.log.value.get(run);
    if (record === undefined) return;
    const { announcer } = this.#surroundings;
    const { result, status } = messages.value;
    const told =
      record.state === "decoding"
        ? result.writingToken(record.tokens.length)
        : result.readingPrompt(record.prefill_done, record.prefill_total);
    const words = status.run(result.runs[run].title, told);
    // The first token ends the reading of the prompt.
    if (kind === "run-started" || (kind === "token" && record.tokens.length === 1)) announcer.stage(words);
    else if (kind === "prefill" || kind === "token") announcer.progress(words);
  }

  /** Of the warm answer with the cold one, up to the fork. */
  #announceAgreement(): void {
    if (this.#forkIsAnnounced) return;
    const { announcer } = this.#surroundings;
    const cold = this.log.value.get("cold-a")?.tokens ?? [];
    const warm = this.log.value.get("warm")?.tokens ?? [];
    const { fork } = splitOf(cold.slice(0, warm.length), warm);
    const { status } = messages.value;
    if (fork === null) announcer.progress(status.identicalSoFar(warm.length));
    else announcer.event(status.fork(fork + 1));
    this.#forkIsAnnounced = fork !== null;
  }

  /** Many events may arrive between two drawings. */
  #nextFrame(): void {
    if (this.#frameIsScheduled) return;
    this.#frameIsScheduled = true;
    const draw = () => {
      this.#frameIsScheduled = false;
      this.#drawnAt = performance.now();
      this.frame.value += 1;
    };
    const wait_ms = this.#drawnAt + DRAWN_EVERY_MS - performance.now();
    setTimeout(() => requestAnimationFrame(draw), Math.max(0, wait_ms));
  }
}

function newLogFor({ inputs }: Shown): RunLog {
  return newRunLog(inputs.request.scenario.kind === "second-turn");
}
