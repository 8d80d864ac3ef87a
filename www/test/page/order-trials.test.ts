import { expect, test } from "vitest";
import { Announcer } from "../../src/page/announcer";
import type { EngineClient } from "../../src/page/engine-client";
import { SITES } from "../../src/page/order-trials";
import { outcomeWords } from "../../src/page/order-words";
import { WhySession } from "../../src/page/why-session";
import type {
  Ablation,
  AblationOutcome,
  CompareRequest,
  EngineError,
  Site,
} from "../../src/shared/engine-records";
import type { Call } from "../../src/shared/protocol";

const COMPARISON: CompareRequest = {
  prompt: { kind: "chat", user: "One." },
  scenario: { kind: "same-prompt" },
  before: [],
  max_tokens: 4,
};
const LOST: EngineError = { code: "device-lost", message: "the device is gone", what_to_do: "Start again." };
const EQUAL: AblationOutcome = { first_differing: null, fork: null, n_steps: 4 };
const OTHER: AblationOutcome = { first_differing: 0, fork: null, n_steps: 4 };

/** A session whose engine answers each choice once the test lets it, or with null where it was cancelled. */
function session() {
  const asked: Site[][] = [];
  const said: string[] = [];
  const broken: EngineError[] = [];
  let now = 0;
  let settle: (outcome: AblationOutcome | null) => void = () => undefined;
  let fail: (error: EngineError) => void = () => undefined;
  const client = {
    call: (call: Extract<Call, { kind: "try-orders" }>) => {
      expect(call.request.comparison).toBe(COMPARISON);
      asked.push([...call.request.invariant]);
      return new Promise((resolve, reject) => {
        settle = resolve;
        fail = reject;
      });
    },
    cancel: () => settle(null),
  };
  const why = new WhySession({
    client: client as unknown as EngineClient,
    // Two seconds pass between any two looks at the clock.
    announcer: new Announcer(
      (message) => said.push(message),
      () => {
        now += 2000;
        return now;
      },
    ),
    prepare: async () => ({
      inputs: { request: COMPARISON, formats: "int8", order: "by-shape", template: null },
      selection: {
        source: { kind: "url", url: "https://models.test/a.gguf" },
        checked: null,
        load_anyway: false,
      },
    }),
    onBrokenOff: (error) => broken.push(error),
  });
  const answer = async (outcome: AblationOutcome | null) => {
    await turn();
    settle(outcome);
    await turn();
  };
  const breakOff = async (error: EngineError) => {
    await turn();
    fail(error);
    await turn();
  };
  const choose = (...invariant: Site[]) => why.chooseOrders(invariant, outcomeWords);
  return { why, asked, said, broken, answer, breakOff, choose };
}

/** Lets everything go on that waits for nothing but its turn. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

test("a choice is run once, and told again without the engine", async () => {
  const { why, asked, said, answer, choose } = session();
  for (const [invariant, outcome] of [[["attention"], OTHER] as const, [SITES, EQUAL] as const]) {
    const chosen = choose(...invariant);
    expect(why.trials.state.value.kind).toBe("running");
    await answer(outcome);
    await chosen;
    expect(why.trials.outcome()).toEqual(outcome);
  }
  await choose("attention");
  expect(why.trials.outcome()).toEqual(OTHER);
  // In another order they are the same places.
  await choose(...[...SITES].reverse());
  expect(why.trials.outcome()).toEqual(EQUAL);
  expect(asked).toEqual([["attention"], [...SITES]]);
  expect(why.trials.tried.value.map(({ outcome }) => outcome)).toEqual([OTHER, EQUAL]);
  expect(why.isRunning.value).toBe(false);
  const [beginning, equal, other] = [said[0], "= equal bits, 4 tokens", outcomeWords(OTHER)];
  expect(said).toEqual([beginning, other, beginning, equal, other, equal]);
});

test("the newest choice wins: what runs gives way, and its outcome is told", async () => {
  const { why, asked, answer, choose } = session();
  const first = choose("attention");
  await turn();
  await choose("attention", "output");
  await choose("output");
  await answer(OTHER);
  await first;
  expect(asked[0]).toEqual(["attention"]);
  expect(asked.at(-1)).toEqual(["output"]);
  expect(why.trials.tried.value).toEqual([{ invariant: ["output"], outcome: OTHER }]);
  expect([why.trials.state.value.kind, why.isRunning.value]).toEqual(["none", false]);
});

test("a stop leaves the choice unknown, and it can be run again", async () => {
  const { why, asked, answer, choose } = session();
  const stopped = choose("output");
  await turn();
  why.noteStopping();
  await answer(null);
  await stopped;
  expect([why.trials.state.value.kind, why.trials.outcome()]).toEqual(["none", null]);
  const again = choose("output");
  await answer(EQUAL);
  await again;
  expect([asked.length, why.trials.outcome()]).toEqual([2, EQUAL]);
});

test("a stop before the engine is set up asks it nothing", async () => {
  const { why, asked, choose } = session();
  const stopped = choose("output");
  why.noteStopping();
  await stopped;
  expect([asked, why.trials.state.value.kind]).toEqual([[], "none"]);
});

test("a failure is told as with every other question, and the engine is given up", async () => {
  const { why, broken, breakOff, choose } = session();
  const chosen = choose("output");
  await breakOff(LOST);
  await chosen;
  expect(why.trials.state.value).toEqual({ kind: "failed", error: LOST });
  expect([broken, why.trials.tried.value]).toEqual([[LOST], []]);
});

test("another comparison begins with its own order and nothing known", async () => {
  const { why, answer, choose } = session();
  const chosen = choose("output");
  await answer(OTHER);
  await chosen;
  why.clear("invariant");
  expect([why.trials.chosen.value, why.trials.outcome(), why.trials.tried.value]).toEqual([SITES, null, []]);
  why.clear("by-shape");
  expect(why.trials.chosen.value).toEqual([]);
});

test("what an ablation has run needs not be run again", async () => {
  const { why, asked, choose } = session();
  const ablation: Ablation = {
    sentence: "",
    by_shape: OTHER,
    invariant: EQUAL,
    cases: [
      {
        group: "output",
        sites: ["output"],
        made_invariant: OTHER,
        made_by_shape: EQUAL,
      },
    ],
    causes: [],
    forks: [],
    removes: [],
    was_cancelled: true,
  };
  why.trials.noteAll(ablation);
  // Of the 22, only what the switches say is listed.
  expect(why.trials.tried.value).toEqual([{ invariant: [], outcome: OTHER }]);
  await choose(...SITES.filter((site) => site !== "output"));
  expect(why.trials.outcome()).toEqual(EQUAL);
  await choose("output");
  expect(why.trials.outcome()).toEqual(OTHER);
  expect(asked).toEqual([]);
});
