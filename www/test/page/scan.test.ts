import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import { Form } from "../../src/page/form";
import { SHIPPED_PROMPTS } from "../../src/page/prompts";
import { Scan } from "../../src/page/scan";
import type { ComparisonInputs, ComparisonState } from "../../src/page/session-state";
import type { Comparison } from "../../src/shared/engine-records";
import { comparison, FORK } from "./samples";

type Outcome = Partial<Comparison> | "failed" | "not loaded";

/** A session whose runs end as told, one after the other. */
function sessionOf(outcomes: Outcome[]) {
  const shown = signal<ComparisonState>({ kind: "none" });
  const sent: ComparisonInputs[] = [];
  return {
    sent,
    comparison: shown,
    run: async (inputsNow: () => ComparisonInputs) => {
      const inputs = inputsNow();
      sent.push(inputs);
      const outcome = outcomes[sent.length - 1] ?? {};
      // What was on show stays there.
      if (outcome === "not loaded") return;
      const about = { inputs, ran_on: { kind: "cpu-twin" } as const, model_title: "", model_sha256: "" };
      shown.value =
        outcome === "failed"
          ? { ...about, kind: "failed", error: { code: "device-lost", message: "", what_to_do: "" } }
          : { ...about, kind: "done", comparison: comparison(outcome), replay: null };
    },
  };
}

test("the search ends at the first fork and tells what came before it", async () => {
  const session = sessionOf([{ verdict: "same-tokens" }, {}, { verdict: "forked", fork: FORK }]);
  const scan = new Scan(session, new Form());
  await scan.run();
  expect(scan.state.value).toMatchObject({ kind: "done", of: SHIPPED_PROMPTS.length });
  expect(scan.state.value.tried.map(({ verdict, fork }) => [verdict, fork])).toEqual([
    ["same-tokens", null],
    ["bit-identical", null],
    ["forked", FORK.index],
  ]);
  expect(session.sent.map(({ request }) => request.prompt)).toEqual(
    SHIPPED_PROMPTS.slice(0, 3).map(({ user }) => ({ kind: "chat", user })),
  );
});

test("without a fork every prompt is tried once, in the library's order", async () => {
  const session = sessionOf([]);
  const scan = new Scan(session, new Form());
  await scan.run();
  expect(scan.state.value.tried.map(({ prompt }) => prompt)).toEqual(SHIPPED_PROMPTS);
  expect(session.sent.map(({ request }) => request.scenario.kind)).toEqual(
    SHIPPED_PROMPTS.map(({ follow_up }) => (follow_up ? "second-turn" : "same-prompt")),
  );
});

test("what was tried goes with the comparison that ended the search", async () => {
  const session = sessionOf([{ verdict: "forked", fork: FORK }]);
  const form = new Form();
  const scan = new Scan(session, form);
  await scan.run();
  expect(scan.state.value.tried.length).toBe(1);
  await session.run(() => form.inputs());
  expect(scan.state.value).toEqual({ kind: "none", tried: [], of: SHIPPED_PROMPTS.length });
  await scan.run();
  expect(scan.state.value.kind).toBe("done");
});

test("a model without a chat template is asked for no second turns", async () => {
  const session = sessionOf([]);
  const form = new Form();
  form.suitTemplate(false);
  const scan = new Scan(session, form);
  await scan.run();
  expect(scan.state.value.tried.map(({ prompt }) => prompt)).toEqual(
    SHIPPED_PROMPTS.filter(({ follow_up }) => follow_up === undefined),
  );
  expect(session.sent.every(({ request }) => request.prompt.kind === "complete")).toBe(true);
});

test.each([{ verdict: "cancelled" } as const, "failed" as const])(
  "it ends at %j and does not count it",
  async (end) => {
    const session = sessionOf([{}, end, { verdict: "forked", fork: FORK }]);
    const scan = new Scan(session, new Form());
    await scan.run();
    expect(scan.state.value.tried.length).toBe(1);
    expect(session.sent.length).toBe(2);
  },
);

test("a model that could not be loaded ends it, and what was on show before counts for nothing", async () => {
  const session = sessionOf([{ verdict: "forked", fork: FORK }, "not loaded"]);
  const form = new Form();
  await session.run(() => form.inputs());
  const scan = new Scan(session, form);
  await scan.run();
  expect(scan.state.value.tried).toEqual([]);
  expect(session.sent.length).toBe(2);
});

test("what was written stands there again, unless there is a fork to look at", async () => {
  const form = new Form();
  form.text.value = "Mine.";
  await new Scan(sessionOf([]), form).run();
  expect([form.text.value, form.scenario.value]).toEqual(["Mine.", "same-prompt"]);
  await new Scan(sessionOf([{}, { verdict: "forked", fork: FORK }]), form).run();
  expect(form.text.value).toBe(SHIPPED_PROMPTS[1]?.user);
});
