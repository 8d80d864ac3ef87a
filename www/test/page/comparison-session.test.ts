import { expect, test, vi } from "vitest";
import { Announcer } from "../../src/page/announcer";
import { ComparisonSession } from "../../src/page/comparison-session";
import type { EngineClient } from "../../src/page/engine-client";
import type { CompareEvent, Comparison, RunName } from "../../src/shared/engine-records";
import type { Progress } from "../../src/shared/protocol";
import { comparison, FORK, shown, step } from "./samples";

/** A session whose engine tells what the test lets it tell; two seconds pass between any two looks at the clock. */
function session() {
  const said: string[] = [];
  let now = 0;
  let settle: (found: Comparison) => void = () => undefined;
  let tell: (event: CompareEvent) => void = () => undefined;
  let configured: () => void = () => undefined;
  const client = {
    call: (_: unknown, onProgress: (progress: Progress) => void) => {
      tell = (event) => onProgress({ kind: "compare", event });
      return new Promise((resolve) => {
        settle = resolve;
      });
    },
  };
  const comparisons = new ComparisonSession({
    client: client as unknown as EngineClient,
    announcer: new Announcer(
      (message) => said.push(message),
      () => {
        now += 2000;
        return now;
      },
    ),
    configure: () =>
      new Promise((resolve) => {
        configured = resolve;
      }),
    recover: async () => null,
    onBrokenOff: () => undefined,
  });
  const begin = async (about = shown()) => {
    const ended = comparisons.run(about);
    configured();
    return ended;
  };
  return {
    comparisons,
    said,
    begin,
    configured: () => configured(),
    tell: (event: CompareEvent) => tell(event),
    settle: (found: Comparison) => settle(found),
  };
}

/** Lets everything go on that waits for nothing but its turn. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

// A drawing may still be waiting when a test has ended.
vi.stubGlobal("requestAnimationFrame", (draw: () => void) => setTimeout(draw, 0));

test("the comparison before stays known, but not one that was stopped", async () => {
  const { comparisons, begin, settle } = session();
  const one = async (order: "by-shape" | "invariant", found: Partial<Comparison>) => {
    const ended = begin(shown({ order }));
    await turn();
    settle(comparison({ order, ...found }));
    await ended;
    return comparisons.former.value?.done.comparison.verdict ?? null;
  };
  expect(await one("by-shape", { verdict: "forked", fork: FORK })).toBeNull();
  expect(await one("invariant", { verdict: "cancelled" })).toBe("forked");
  expect(await one("invariant", {})).toBe("forked");
  expect(await one("invariant", {})).toBe("bit-identical");
});

test("the line tells which run is at work and how far it is, and after a stop that it was stopped", async () => {
  const { comparisons, said, begin, tell, settle } = session();
  const ended = begin();
  await turn();
  tell({ kind: "run-started", run: "cold-a", prompt_tokens: 61, reused_tokens: 0 });
  for (const done of [16, 32, 48]) tell({ kind: "prefill", run: "cold-a", done, total: 61 });
  comparisons.noteStopping();
  for (const done of [50, 52, 54, 56, 58, 61]) tell({ kind: "prefill", run: "cold-a", done, total: 61 });
  settle(comparison({ verdict: "cancelled" }));
  await ended;
  expect(said[0]).toBe("Comparison started");
  expect(said[1]).toBe("Cold A: reading the prompt, 0 of 61");
  expect(said).not.toContain("Cold A: reading the prompt, 61 of 61");
  expect(said.slice(-2)).toEqual(["Stopping", "Stopped"]);
});

test("a long prompt is told of while it is read", async () => {
  const { said, begin, tell } = session();
  void begin();
  await turn();
  tell({ kind: "run-started", run: "warm", prompt_tokens: 99, reused_tokens: 0 });
  for (let done = 1; done < 99; done += 1) tell({ kind: "prefill", run: "warm", done, total: 99 });
  expect(
    said.filter((message) => /^Warm: reading the prompt, \d+ of 99$/.test(message)).length,
  ).toBeGreaterThan(5);
});

test("the first token of each run is told of, and then that the warm answer agrees or forks", async () => {
  const { said, begin, tell } = session();
  void begin();
  await turn();
  const token = (run: RunName, index: number, id: number) =>
    tell({ kind: "token", run, index, step: step(id), text: ` w${id}` });
  for (const run of ["cold-a", "cold-b", "warm"] as const) {
    tell({ kind: "run-started", run, prompt_tokens: 9, reused_tokens: 0 });
    token(run, 0, 1);
    token(run, 1, run === "warm" ? 3 : 2);
  }
  const ofRuns = said.filter((message) => message.includes("token"));
  expect(ofRuns).toEqual([
    "Cold A: writing token 1",
    "Cold B: writing token 1",
    "First divergence at token 2",
  ]);
});

test("what is stopped before it began says so, too", async () => {
  const { comparisons, said, configured } = session();
  const ended = comparisons.run(shown());
  comparisons.noteStopping();
  configured();
  await ended;
  expect([comparisons.state.value.kind, said]).toEqual(["none", ["Stopping", "Stopped"]]);
});
