import { expect, test } from "vitest";
import { excerptsOf } from "../../src/page/excerpts";
import { applyEvent, newRunLog } from "../../src/page/run-log";
import type { RunName } from "../../src/shared/engine-records";
import { comparison, FORK, step } from "./samples";

/** Runs that wrote these tokens. */
function logOf(answers: Partial<Record<RunName, readonly number[]>>) {
  const log = newRunLog(false);
  for (const [run, ids] of Object.entries(answers) as [RunName, readonly number[]][]) {
    applyEvent(log, { kind: "run-started", run, prompt_tokens: 9, reused_tokens: 0 });
    for (const [index, id] of ids.entries())
      applyEvent(log, { kind: "token", run, index, step: step(id), text: ` w${id}` });
  }
  return log;
}

const many = (from: number, n: number) => Array.from({ length: n }, (_, index) => from + index);

test("a fork is shown from both sides, around its own token", () => {
  const log = logOf({ "cold-a": [1, 2, 3, 4], warm: [1, 2, 8, 9] });
  const forked = comparison({ verdict: "forked", fork: { ...FORK, index: 2 } });
  const common = { before: " w1 w2 ", number: 3, isCut: { before: false, behind: false } };
  expect(excerptsOf(forked, log, 0)).toEqual([
    { whose: "cold", ...common, token: "w3", behind: " w4" },
    { whose: "warm", ...common, token: "w8", behind: " w9" },
  ]);
});

test("answers with the same tokens are shown once, around the token where the other comparison forked", () => {
  const log = logOf({ "cold-a": many(1, 60), warm: many(1, 60) });
  for (const verdict of ["bit-identical", "same-tokens"] as const) {
    const [excerpt, ...others] = excerptsOf(comparison({ verdict }), log, 20);
    expect(others).toEqual([]);
    expect(excerpt).toMatchObject({ whose: "both", token: "w21", number: 21 });
    expect(excerpt?.isCut).toEqual({ before: true, behind: true });
    expect(excerpt?.before.trim().split(" ")).toEqual(many(13, 8).map((id) => `w${id}`));
    expect(excerpt?.behind.trim().split(" ")).toEqual(many(22, 24).map((id) => `w${id}`));
  }
});

test("where nothing was compared, or an answer ended before, nothing is shown", () => {
  const log = logOf({ "cold-a": [1], warm: [1] });
  for (const verdict of ["control-failed", "vacuous", "cancelled", "error", "corrupt"] as const)
    expect(excerptsOf(comparison({ verdict }), log, 0), verdict).toEqual([]);
  expect(excerptsOf(comparison({ verdict: "bit-identical" }), log, 7)).toEqual([]);
});
