// The choices of orders that the switches have set for the comparison on show, and what is known of each: nothing is run twice.
import { signal } from "@preact/signals";
import type { Ablation, AblationOutcome, Order, Site } from "../shared/engine-records";
import type { TrialState } from "./session-state";

/** The places where sums are added, in the order of the forward pass. */
export const SITES = [
  "attn_qkv",
  "attention",
  "attn_output",
  "ffn_gate_up",
  "ffn_down",
  "output",
] as const satisfies readonly Site[];

/** A choice of orders, and what a cold and a warm run came to under it. */
export interface OrderTrial {
  /** The places in one order, whatever the shape; the others are by shape. */
  invariant: readonly Site[];
  outcome: AblationOutcome;
}

export class OrderTrials {
  readonly state = signal<TrialState>({ kind: "none" });
  /** The places that are set to one order. */
  readonly chosen = signal<readonly Site[]>([]);
  /** What was chosen so far and is known, in that order. */
  readonly tried = signal<readonly OrderTrial[]>([]);
  readonly #known = new Map<string, AblationOutcome>();

  /** Sets the switches as a comparison was run, of which nothing is known yet. */
  begin(order: Order): void {
    this.forget();
    this.chosen.value = order === "by-shape" ? [] : SITES;
  }

  /** Drops what is known: another model, or another device, has outcomes of its own. */
  forget(): void {
    this.#known.clear();
    this.tried.value = [];
  }

  choose(invariant: readonly Site[]): void {
    this.chosen.value = invariant;
    this.#list();
  }

  /** Of what the switches say; null where it was not run yet. */
  outcome(): AblationOutcome | null {
    return this.#known.get(keyOf(this.chosen.value)) ?? null;
  }

  note({ invariant, outcome }: OrderTrial): void {
    this.#known.set(keyOf(invariant), outcome);
    this.#list();
  }

  /** Every choice that an ablation has run. */
  noteAll({ by_shape, invariant, cases }: Ablation): void {
    this.note({ invariant: [], outcome: by_shape });
    this.note({ invariant: SITES, outcome: invariant });
    for (const { sites, made_invariant, made_by_shape } of cases) {
      this.note({ invariant: sites, outcome: made_invariant });
      this.note({ invariant: SITES.filter((site) => !sites.includes(site)), outcome: made_by_shape });
    }
  }

  #list(): void {
    const [invariant, outcome] = [this.chosen.value, this.outcome()];
    const isListed = this.tried.value.some((trial) => keyOf(trial.invariant) === keyOf(invariant));
    if (outcome !== null && !isListed) this.tried.value = [...this.tried.value, { invariant, outcome }];
  }
}

/** The same for the same places, in whatever order they are named. */
function keyOf(sites: readonly Site[]): string {
  return SITES.filter((site) => sites.includes(site)).join();
}
