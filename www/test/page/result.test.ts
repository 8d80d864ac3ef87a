import { expect, test } from "vitest";
import { canBeSwitchedOff } from "../../src/page/result";
import type { ComparisonState } from "../../src/page/session-state";

function shown(order: string, verdict: string): ComparisonState {
  return { kind: "done", comparison: { order, verdict } } as unknown as ComparisonState;
}

test("a fork by shape can be switched off; what is in one order already, or did not fork, has nothing to switch off", () => {
  expect(canBeSwitchedOff(shown("by-shape", "forked"))).toBe(true);
  expect(canBeSwitchedOff(shown("by-shape", "tie"))).toBe(true);
  expect(canBeSwitchedOff(shown("invariant", "forked"))).toBe(false);
  expect(canBeSwitchedOff(shown("by-shape", "same-tokens"))).toBe(false);
  expect(canBeSwitchedOff(shown("by-shape", "control-failed"))).toBe(false);
  expect(canBeSwitchedOff({ kind: "none" })).toBe(false);
});
