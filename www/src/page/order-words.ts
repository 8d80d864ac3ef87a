// What the places are called, what is chosen for them, and what that came to.
import type { AblationOutcome, Site } from "../shared/engine-records";
import { SITES } from "./order-trials";
import { whyWords } from "./why-words";

/** What a cold and a warm run came to, with a mark that needs no colour. */
export function outcomeWords({ first_differing, fork, n_steps }: AblationOutcome): string {
  const { outcomes } = whyWords.value.orders;
  if (first_differing === null) return outcomes.equalBits(n_steps);
  return fork === null ? outcomes.otherBits(first_differing + 1, n_steps) : outcomes.fork(fork + 1);
}

/** Places, or groups of them, by their names; a group that is not known by the engine's name. */
export function placesWords(groups: readonly string[]): string {
  const { places } = whyWords.value.orders;
  const names: Record<string, string> = { ...places, ...whyWords.value.ablation.groups };
  return groups.map((group) => (Object.hasOwn(names, group) ? names[group] : group)).join(", ");
}

/** What is set where. */
export function choiceWords(invariant: readonly Site[]): string {
  const { orders } = whyWords.value;
  if (invariant.length === 0) return orders.allByShape;
  return invariant.length === SITES.length ? orders.allInvariant : orders.invariantAt(placesWords(invariant));
}
