import { expect, test } from "vitest";
import { applyEvent, currentRun, newRunLog, recordsNow } from "../../src/page/run-log";
import { step } from "./samples";

test("a second-turn comparison has the first turn in front", () => {
  expect([...newRunLog(true).keys()]).toEqual(["first-turn", "cold-a", "cold-b", "warm"]);
  expect([...newRunLog(false).keys()]).toEqual(["cold-a", "cold-b", "warm"]);
});

test("events fill the record of their run", () => {
  const log = newRunLog(false);
  expect(currentRun(log)).toBeNull();

  applyEvent(log, { kind: "run-started", run: "warm", prompt_tokens: 61, reused_tokens: 48 });
  expect(currentRun(log)).toMatchObject({
    run: "warm",
    state: "prefill",
    prefill_done: 0,
    prefill_total: 13,
  });

  applyEvent(log, { kind: "prefill", run: "warm", done: 13, total: 13 });
  applyEvent(log, { kind: "token", run: "warm", index: 0, text: "", step: step(7) });
  applyEvent(log, { kind: "token", run: "warm", index: 1, text: "é", step: step(8) });
  expect(currentRun(log)).toMatchObject({ state: "decoding", prefill_done: 13 });
  expect(log.get("warm")?.tokens).toEqual([
    { id: 7, piece: "", text: " w7" },
    { id: 8, piece: "é", text: " w8" },
  ]);

  applyEvent(log, { kind: "run-ended", run: "warm", stop: "end-of-turn" });
  expect(currentRun(log)).toBeNull();
  expect(log.get("warm")).toMatchObject({ state: "ended", stop: "end-of-turn" });
  expect(log.get("cold-a")).toMatchObject({ state: "waiting", tokens: [] });
});

test("a run that starts again begins with an empty record, in its old place", () => {
  const log = newRunLog(true);
  for (let turn = 0; turn < 2; turn += 1) {
    applyEvent(log, { kind: "run-started", run: "first-turn", prompt_tokens: 9, reused_tokens: 0 });
    applyEvent(log, { kind: "token", run: "first-turn", index: 0, text: "x", step: step(1) });
  }
  expect(log.get("first-turn")?.tokens).toHaveLength(1);
  expect([...log.keys()][0]).toBe("first-turn");
});

test("records are new objects whenever they are asked for, so that what shows them is drawn again", () => {
  const log = newRunLog(false);
  const [before] = recordsNow(log);
  const [after] = recordsNow(log);
  expect(after).toEqual(before);
  expect(after).not.toBe(before);
});
