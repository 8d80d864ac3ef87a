import { expect, test } from "vitest";
import { outcomeWords, pairOf } from "../../src/page/before-and-after";
import type { DoneComparison } from "../../src/page/session-state";
import { comparison, done, FORK, gpu, shown } from "./samples";

const FORKED = done(shown(), { verdict: "forked", fork: FORK });
const AFTER = done(shown({ order: "invariant" }));

test("a fork by shape and the same in one order stand together, and the other way round", () => {
  expect(pairOf(FORKED, AFTER)).toEqual({ before: FORKED.comparison, after: AFTER.comparison });
  expect(pairOf(AFTER, FORKED)).toEqual({ before: AFTER.comparison, after: FORKED.comparison });
});

test("nothing stands together that differs in more than the order, or in nothing", () => {
  const { request } = FORKED.inputs;
  const other = (changes: Partial<DoneComparison["inputs"]>) =>
    done(shown({ order: "invariant", ...changes }));
  const inOneOrder = shown({ order: "invariant" });
  const others: [string, DoneComparison][] = [
    ["nothing", done(shown())],
    ["prompt", other({ request: { ...request, prompt: { kind: "chat", user: "Two." } } })],
    ["kind of prompt", other({ request: { ...request, prompt: { kind: "complete", text: "One." } } })],
    [
      "turns",
      other({ request: { ...request, scenario: { kind: "second-turn", follow_up: "", reply_tokens: 1 } } }),
    ],
    ["length", other({ request: { ...request, max_tokens: 4 } })],
    ["what ran before", other({ request: { ...request, before: ["Zero."] } })],
    ["formats", other({ formats: "half" })],
    ["template", other({ template: "rag" })],
    ["model", done({ ...inOneOrder, model_sha256: "b" })],
    ["device", done(shown({ order: "invariant" }, gpu("Another adapter")))],
    ["arithmetic", done(shown({ order: "invariant" }, gpu("An adapter", "beef")))],
    ["processor", done(shown({ order: "invariant" }, { kind: "cpu-twin" }))],
  ];
  for (const [what, after] of others) expect(pairOf(FORKED, after), what).toBeNull();
});

test("what has not ended stands beside nothing", () => {
  for (const verdict of ["cancelled", "error"] as const) {
    expect(pairOf(FORKED, done(shown({ order: "invariant" }), { verdict }))).toBeNull();
    expect(pairOf(done(shown(), { verdict }), AFTER)).toBeNull();
  }
  expect(pairOf(null, AFTER)).toBeNull();
  expect(pairOf(FORKED, { kind: "none" })).toBeNull();
  const running = {
    ...shown({ order: "invariant" }),
    kind: "running",
    is_stopping: false,
    is_replay: false,
  } as const;
  expect(pairOf(FORKED, running)).toBeNull();
});

test("each is told by its verdict, with its fork or its length", () => {
  const told = (changes: Parameters<typeof comparison>[0]) => outcomeWords(comparison(changes));
  expect(told({ verdict: "forked", fork: FORK })).toBe("forked at token 3");
  expect(told({ verdict: "bit-identical" })).toBe("bit-identical, 3 of 3 tokens");
  expect(told({ verdict: "same-tokens" })).toBe("same tokens, other bits, 3 of 3 tokens");
  expect(told({ verdict: "control-failed", fork: FORK })).toBe("control failed");
});
