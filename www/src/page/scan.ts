// The search for a fork on this device: the shipped prompts, one after the other, as they stand, until one forks. It counts what it tried.
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Verdict } from "../shared/engine-records";
import type { Form } from "./form";
import { SHIPPED_PROMPTS, type ShippedPrompt } from "./prompts";
import type { Session } from "./session";
import type { ComparisonState } from "./session-state";

export interface Tried {
  prompt: ShippedPrompt;
  verdict: Verdict;
  /** Index of the first different token. */
  fork: number | null;
}

export interface ScanState {
  kind: "none" | "running" | "done";
  tried: readonly Tried[];
  of: number;
}

export class Scan {
  /** What the search tried, as long as the comparison that ended it is on show: it says nothing of any other. */
  readonly state: ReadonlySignal<ScanState>;
  readonly #newest = signal<{ state: ScanState; ended_with: ComparisonState | null } | null>(null);
  readonly #session: Pick<Session, "run" | "comparison">;
  readonly #form: Form;
  readonly #prompts: readonly ShippedPrompt[];

  constructor(
    session: Pick<Session, "run" | "comparison">,
    form: Form,
    prompts: readonly ShippedPrompt[] = SHIPPED_PROMPTS,
  ) {
    this.#session = session;
    this.#form = form;
    this.#prompts = prompts;
    const none: ScanState = { kind: "none", tried: [], of: prompts.length };
    this.state = computed(() => {
      const newest = this.#newest.value;
      if (newest === null) return none;
      const { state, ended_with } = newest;
      return state.kind === "running" || ended_with === session.comparison.value ? state : none;
    });
  }

  /** Ends at the first fork, at a stop, or at a failure; the comparison that ended it stays on show. */
  async run(): Promise<void> {
    const prompts = this.#prompts.filter(
      ({ follow_up }) => follow_up === undefined || this.#form.hasTemplate.value,
    );
    const of = prompts.length;
    const tried: Tried[] = [];
    this.#tell({ kind: "running", tried: [], of });
    const form = this.#form;
    const [text, followUp, scenario] = [form.text.value, form.followUp.value, form.scenario.value];
    for (const prompt of prompts) {
      form.take(prompt);
      const before = this.#session.comparison.value;
      await this.#session.run(() => form.inputs());
      const shown = this.#session.comparison.value;
      // Where the model could not be loaded, what was on show still is.
      if (shown === before || shown.kind !== "done" || shown.comparison.verdict === "cancelled") break;
      const { verdict, fork } = shown.comparison;
      tried.push({ prompt, verdict, fork: fork?.index ?? null });
      this.#tell({ kind: "running", tried: [...tried], of });
      if (fork !== null) break;
    }
    // What was written stands there again, unless there is a fork to look at.
    if (tried.at(-1)?.fork == null) {
      form.text.value = text;
      form.followUp.value = followUp;
      form.chooseScenario(scenario);
    }
    this.#tell({ kind: "done", tried, of }, this.#session.comparison.value);
  }

  #tell(state: ScanState, ended_with: ComparisonState | null = null): void {
    this.#newest.value = { state, ended_with };
  }
}
