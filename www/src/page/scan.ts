// The search for a fork on this device: the shipped prompts, one after the other, as they stand, until one forks. It counts what it tried.
import { type Signal, signal } from "@preact/signals";
import type { Verdict } from "../shared/engine-records";
import type { Form } from "./form";
import { SHIPPED_PROMPTS, type ShippedPrompt } from "./prompts";
import type { Session } from "./session";

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
  readonly state: Signal<ScanState>;
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
    this.state = signal({ kind: "none", tried: [], of: prompts.length });
  }

  /** Ends at the first fork, at a stop, or at a failure; the comparison that ended it stays on show. */
  async run(): Promise<void> {
    const prompts = this.#prompts.filter(
      ({ follow_up }) => follow_up === undefined || this.#form.hasTemplate.value,
    );
    const of = prompts.length;
    const tried: Tried[] = [];
    this.state.value = { kind: "running", tried: [], of };
    for (const prompt of prompts) {
      this.#form.take(prompt);
      await this.#session.run(() => this.#form.inputs());
      const shown = this.#session.comparison.value;
      if (shown.kind !== "done" || shown.comparison.verdict === "cancelled") break;
      const { verdict, fork } = shown.comparison;
      tried.push({ prompt, verdict, fork: fork?.index ?? null });
      this.state.value = { kind: "running", tried: [...tried], of };
      if (fork !== null) break;
    }
    this.state.value = { kind: "done", tried, of };
  }
}
