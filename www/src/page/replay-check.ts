// After the device was lost, the same steps are run once more: whether every token that was there has the same bits. Pure.
import type { CompareEvent, RunName } from "../shared/engine-records";
import type { RunLog } from "./run-log";

/** What came of holding the tokens from before the loss against the same steps run again. */
export interface ReplayOutcome {
  /** Tokens that were there before and have been computed again. */
  n_compared: number;
  n_before: number;
  /** The first token that came out otherwise, with its run. */
  first_difference: { run: RunName; index: number } | null;
}

export class ReplayCheck {
  readonly #before: RunLog;
  readonly #n_seen = new Map<RunName, number>();
  #first_difference: ReplayOutcome["first_difference"] = null;

  constructor(before: RunLog) {
    this.#before = before;
  }

  /** Holds one event of the new run against what was there. */
  take(event: CompareEvent): void {
    if (event.kind !== "token") return;
    const { run, index, step } = event;
    const before = this.#before.get(run)?.steps[index];
    if (!before) return;
    this.#n_seen.set(run, Math.max(this.#n_seen.get(run) ?? 0, index + 1));
    const isSame = before.id === step.id && before.logits_hash === step.logits_hash;
    if (!isSame) this.#first_difference ??= { run, index };
  }

  outcome(): ReplayOutcome {
    const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, n) => total + n, 0);
    return {
      n_compared: sum(this.#n_seen.values()),
      n_before: sum([...this.#before.values()].map(({ steps }) => steps.length)),
      first_difference: this.#first_difference,
    };
  }
}
