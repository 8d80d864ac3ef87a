// How close each decision of a comparison was, and how far its logits drifted. Pure.
import type { Comparison, Step } from "../../shared/engine-records";
import { runOf } from "../verdict";

export interface Decision {
  /** The token that cold chose. */
  text: string;
  /** Its lead over the second, in the cold run. */
  margin: number;
  /** The largest change of a logit, cold to warm, among the five best that both runs list. */
  drift: number;
  forked: boolean;
}

/** The decisions up to the fork; behind it the inputs differ. Steps without a common token tell of no drift. */
export function decisionsOf(comparison: Comparison): Decision[] {
  const cold = runOf(comparison, "cold-a")?.steps ?? [];
  const warm = runOf(comparison, "warm")?.steps ?? [];
  const end = (comparison.fork?.index ?? Number.POSITIVE_INFINITY) + 1;
  return cold.slice(0, end).flatMap((step, index) => {
    const other = warm[index];
    const drift = other ? driftOf(step, other) : null;
    if (drift === null) return [];
    return [{ text: step.text, margin: step.margin, drift, forked: comparison.fork?.index === index }];
  });
}

/** A fork needs a margin of at most twice the drift: one logit may rise by it while the other falls. */
export function isWithinReach(margin: number, drift: number): boolean {
  return drift > 0 && margin <= 2 * drift;
}

function driftOf(cold: Step, warm: Step): number | null {
  const logits = new Map(warm.top.map(({ id, logit }) => [id, logit]));
  const changes = cold.top.flatMap(({ id, logit }) => {
    const other = logits.get(id);
    return other === undefined ? [] : [Math.abs(logit - other)];
  });
  return changes.length > 0 ? Math.max(...changes) : null;
}
