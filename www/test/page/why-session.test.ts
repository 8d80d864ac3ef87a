import { expect, test } from "vitest";
import { Announcer } from "../../src/page/announcer";
import type { EngineClient } from "../../src/page/engine-client";
import { WhySession } from "../../src/page/why-session";
import type { CompareRequest, EngineError } from "../../src/shared/engine-records";

const REQUEST: CompareRequest = {
  prompt: { kind: "chat", user: "One." },
  scenario: { kind: "same-prompt" },
  before: [],
  max_tokens: 4,
};
const LOST: EngineError = { code: "device-lost", message: "the device is gone", what_to_do: "Start again." };

/** A session whose engine answers so. */
function session(answer: () => Promise<unknown>) {
  const said: string[] = [];
  const broken: EngineError[] = [];
  const why = new WhySession({
    client: { call: answer } as unknown as EngineClient,
    announcer: new Announcer((message) => said.push(message)),
    prepare: async () => REQUEST,
    onBrokenOff: (error) => broken.push(error),
  });
  return { why, said, broken };
}

test("a failure on the way keeps what was found, and the engine is given up all the same", async () => {
  const { why, broken } = session(async () => ({ steps: [{}], error: LOST, was_cancelled: false }));
  await why.takeApart();
  expect(why.dissection.value).toMatchObject({ kind: "done", dissection: { error: LOST } });
  expect(broken).toEqual([LOST]);
});

test("an answer without a failure gives nothing up", async () => {
  const { why, broken } = session(async () => ({ steps: [{}], error: null, was_cancelled: false }));
  await why.takeApart();
  expect([why.dissection.value.kind, broken.length, why.isRunning.value]).toEqual(["done", 0, false]);
  why.clear();
  expect(why.dissection.value.kind).toBe("none");
});

test("a rejected question is told, and the engine is given up", async () => {
  const { why, broken, said } = session(() => Promise.reject(LOST));
  await why.ablate();
  expect(why.ablation.value).toEqual({ kind: "failed", error: LOST });
  expect(broken).toEqual([LOST]);
  expect(said.at(-1)).not.toBe("Changing the order of addition site by site");
});
