import { beforeEach, expect, test, vi } from "vitest";
import { Form } from "../../src/page/form";
import { keepForm } from "../../src/page/kept-form";

/** A page of its own, as after a load. */
async function loaded(type: string) {
  vi.resetModules();
  vi.stubGlobal("performance", { getEntriesByType: () => [{ type }] });
  return (await import("../../src/page/kept-form")).isTaken;
}

const kept = new Map<string, string>();

beforeEach(() => {
  kept.clear();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
  return () => vi.unstubAllGlobals();
});

/** The form as it is after the page was loaded. */
function reloaded(): Form {
  const form = new Form();
  keepForm(form);
  return form;
}

test("what was typed and chosen is there after a reload", () => {
  const form = reloaded();
  form.text.value = "Why is the sky blue?";
  form.chooseScenario("second-turn");
  form.followUp.value = "And at dusk?";
  form.before.value = "One.";
  form.formats.value = "half";
  form.order.value = "invariant";
  form.template.value = "rag";
  form.chooseMaxTokens(7);
  expect(reloaded().inputs()).toEqual(form.inputs());
});

test("a length that nobody chose stays the processor's", () => {
  reloaded().suit("cpu_twin");
  const form = reloaded();
  form.suit("gpu");
  expect(form.maxTokens.value).toBe(64);
  form.chooseMaxTokens(64);
  const again = reloaded();
  again.suit("cpu_twin");
  expect(again.maxTokens.value).toBe(64);
});

test("a link wins over what was kept", () => {
  const before = reloaded();
  before.text.value = "Kept.";
  before.order.value = "invariant";
  const form = reloaded();
  form.fill({ text: "Linked." });
  expect([form.text.value, form.order.value]).toEqual(["Linked.", "invariant"]);
  expect(reloaded().text.value).toBe("Linked.");
});

test("what is no input of the form changes nothing, and a tab that keeps nothing works", () => {
  const usual = new Form().inputs();
  for (const text of ["{", "3", '"a"', "[]", '{"order":"tiled","max_tokens":1e9,"text":5,"other":1}']) {
    kept.set("lastbit.form", text);
    expect(reloaded().inputs(), text).toEqual(usual);
  }
  vi.stubGlobal("sessionStorage", {
    getItem: () => {
      throw new Error("refused");
    },
    setItem: () => {
      throw new Error("refused");
    },
  });
  expect(reloaded().inputs()).toEqual(usual);
});

test("a reload does not fill in its link again, but every other way to a link does", async () => {
  const first = await loaded("navigate");
  expect(first("setup=a")).toBe(true);
  const second = await loaded("reload");
  expect(second("setup=a")).toBe(false);
  expect(second("setup=b")).toBe(true);
  expect(second("setup=b")).toBe(true);
  expect((await loaded("reload"))("setup=a")).toBe(true);
  expect((await loaded("navigate"))("setup=a")).toBe(true);
});
