import { expect, test } from "vitest";
import { Announcer } from "../../src/page/announcer";
import type { EngineClient } from "../../src/page/engine-client";
import { type Prepared, WhySession } from "../../src/page/why-session";
import type { CompareRequest, EngineError } from "../../src/shared/engine-records";

const REQUEST: CompareRequest = {
  prompt: { kind: "chat", user: "One." },
  scenario: { kind: "same-prompt" },
  before: [],
  max_tokens: 4,
};
const PREPARED: Prepared = {
  inputs: { request: REQUEST, formats: "int8", order: "invariant", template: null },
  selection: { source: { kind: "url", url: "https://models.test/a.gguf" }, checked: null, load_anyway: true },
};
const LOST: EngineError = { code: "device-lost", message: "the device is gone", what_to_do: "Start again." };

/** A session whose engine answers so. */
function session(answer: () => Promise<unknown>) {
  const said: string[] = [];
  const broken: EngineError[] = [];
  let now = 0;
  const why = new WhySession({
    client: { call: answer } as unknown as EngineClient,
    // Two seconds pass between any two looks at the clock.
    announcer: new Announcer(
      (message) => said.push(message),
      () => {
        now += 2000;
        return now;
      },
    ),
    prepare: async () => PREPARED,
    onBrokenOff: (error) => broken.push(error),
  });
  return { why, said, broken };
}

test("a failure on the way keeps what was found, and the engine is given up all the same", async () => {
  const { why, broken } = session(async () => ({ steps: [{}], error: LOST, was_cancelled: false }));
  await why.takeApart();
  expect(why.dissection.value).toMatchObject({ kind: "done", found: { error: LOST } });
  expect(broken).toEqual([LOST]);
});

test("an answer without a failure gives nothing up", async () => {
  const { why, broken } = session(async () => ({ steps: [{}], error: null, was_cancelled: false }));
  await why.takeApart();
  expect([why.dissection.value.kind, broken.length, why.isRunning.value]).toEqual(["done", 0, false]);
  why.clear("by-shape");
  expect(why.dissection.value.kind).toBe("none");
});

test("a rejected question is told, and the engine is given up", async () => {
  const { why, broken, said } = session(() => Promise.reject(LOST));
  await why.ablate();
  expect(why.ablation.value).toEqual({ kind: "failed", error: LOST });
  expect(broken).toEqual([LOST]);
  expect(said.at(-1)).not.toBe("Changing the order of addition site by site");
});

test("a stop is told at once, and its end behind it", async () => {
  let end: (found: unknown) => void = () => undefined;
  const { why, said } = session(
    () =>
      new Promise((resolve) => {
        end = resolve;
      }),
  );
  const asked = why.takeApart();
  await Promise.resolve();
  why.noteStopping();
  end({ steps: [], error: null, was_cancelled: true });
  await asked;
  expect(said).toEqual(["Looking for the first bit that differs", "Stopping", "Stopped"]);
});

test("the shapes of a prompt are asked for, counted, and forgotten with the comparison", async () => {
  const asked: string[] = [];
  const why = new WhySession({
    client: {
      call: async (call: { kind: string }, onProgress: (progress: unknown) => void) => {
        asked.push(call.kind);
        onProgress({ kind: "check-shapes", event: { done: 3, of: 9 } });
        expect(why.shapes.value).toEqual({ kind: "running", event: { done: 3, of: 9 }, is_stopping: false });
        why.noteStopping();
        expect(why.shapes.value).toMatchObject({ is_stopping: true });
        return null;
      },
    } as unknown as EngineClient,
    announcer: new Announcer(() => undefined),
    prepare: async () => PREPARED,
    onBrokenOff: () => undefined,
  });
  await why.checkShapes();
  expect([asked, why.shapes.value]).toEqual([["check-shapes"], { kind: "done", found: null }]);
  why.clear("by-shape");
  expect(why.shapes.value.kind).toBe("none");
});

test("the twin is asked for the model and the numerics of the comparison on show", async () => {
  const asked: unknown[] = [];
  const why = new WhySession({
    client: {
      call: async (call: unknown, onProgress: (progress: unknown) => void) => {
        asked.push(call);
        for (const kind of ["run-started", "token", "token"])
          onProgress({ kind: "check-twin", event: { kind } });
        expect(why.twin.value).toMatchObject({ kind: "running", event: 2 });
        return { n_steps: 12, first_difference: null, claim: "L4", reason: null };
      },
    } as unknown as EngineClient,
    announcer: new Announcer(() => undefined),
    prepare: async () => PREPARED,
    onBrokenOff: () => undefined,
  });
  await why.checkTwin();
  expect(asked).toEqual([
    {
      kind: "check-twin",
      request: REQUEST,
      source: PREPARED.selection.source,
      needed_bytes: null,
      options: { formats: "int8", order: "invariant", template: null },
      load_anyway: true,
    },
  ]);
  expect(why.twin.value).toMatchObject({ kind: "done", found: { claim: "L4" } });
});
