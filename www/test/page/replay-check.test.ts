import { expect, test } from "vitest";
import { ReplayCheck } from "../../src/page/replay-check";
import { applyEvent, newRunLog } from "../../src/page/run-log";
import type { CompareEvent, RunName } from "../../src/shared/engine-records";
import { step } from "./samples";

function token(run: RunName, index: number, id: number, logits_hash: string): CompareEvent {
  return { kind: "token", run, index, text: "", step: { ...step(id, 1), logits_hash } };
}

const BEFORE: CompareEvent[] = [
  { kind: "run-started", run: "cold-a", prompt_tokens: 4, reused_tokens: 0 },
  token("cold-a", 0, 5, "aa"),
  token("cold-a", 1, 6, "bb"),
  { kind: "run-started", run: "cold-b", prompt_tokens: 4, reused_tokens: 0 },
  token("cold-b", 0, 5, "aa"),
];

function check(events: CompareEvent[]) {
  const before = newRunLog(false);
  for (const event of BEFORE) applyEvent(before, event);
  const check = new ReplayCheck(before);
  for (const event of events) check.take(event);
  return check.outcome();
}

test("the same steps again have the same bits, and what goes on behind them is not compared", () => {
  const more = [token("cold-b", 1, 6, "bb"), token("warm", 0, 9, "zz")];
  expect(check([...BEFORE, ...more])).toEqual({ n_compared: 3, n_before: 3, first_difference: null });
});

test("other bits of the same token are a difference, and the first one is told", () => {
  const events = [token("cold-a", 0, 5, "aa"), token("cold-a", 1, 6, "cc"), token("cold-b", 0, 7, "dd")];
  expect(check(events)).toEqual({
    n_compared: 3,
    n_before: 3,
    first_difference: { run: "cold-a", index: 1 },
  });
});

test("a replay that breaks off has compared only so much", () => {
  expect(check([token("cold-a", 0, 5, "aa")])).toEqual({
    n_compared: 1,
    n_before: 3,
    first_difference: null,
  });
});
