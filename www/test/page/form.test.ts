import { expect, test } from "vitest";
import { Form } from "../../src/page/form";
import { SHIPPED_PROMPTS } from "../../src/page/prompts";

test("open prompts and second turns are shipped, each once", () => {
  const scenarios = SHIPPED_PROMPTS.map((prompt) => (prompt.follow_up === undefined ? "S1" : "S2"));
  expect(new Set(scenarios)).toEqual(new Set(["S1", "S2"]));
  expect(new Set(SHIPPED_PROMPTS.map(({ user }) => user)).size).toBe(SHIPPED_PROMPTS.length);
});

test("the form opens on a shipped chat prompt, int8, by shape", () => {
  const { request, formats, order } = new Form().inputs();
  expect(request).toMatchObject({ prompt: { kind: "chat" }, scenario: { kind: "same-prompt" }, before: [] });
  expect([formats, order]).toEqual(["int8", "by-shape"]);
});

test("a second-turn script sets its scenario, and is sent as a chat", () => {
  const form = new Form();
  form.sentAs.value = "complete";
  for (const prompt of SHIPPED_PROMPTS) form.take(prompt);
  expect(form.inputs().request).toMatchObject({
    prompt: { kind: "chat" },
    scenario: { kind: "second-turn", reply_tokens: 32 },
  });
});

test("empty lines before the warm run are no prompts", () => {
  const form = new Form();
  form.before.value = "one\n\n  \ntwo";
  expect(form.inputs().request.before).toEqual(["one", "two"]);
});

test("the length is kept in its bounds, and a chosen one is not shortened", () => {
  const form = new Form();
  for (const [processor, usual] of [
    ["cpu_twin", 16],
    ["software_gpu", 32],
    ["gpu", 64],
  ] as const) {
    form.suit(processor);
    expect(form.maxTokens.value).toBe(usual);
  }
  const lengths = [0, -3, 2.6, 9999, Number.NaN].map((length) => {
    form.chooseMaxTokens(length);
    return form.maxTokens.value;
  });
  expect(lengths).toEqual([1, 1, 3, 512, 512]);
  form.suit("cpu_twin");
  expect(form.maxTokens.value).toBe(512);
});

test("a form without a message cannot be run", () => {
  const form = new Form();
  expect(form.isComplete.value).toBe(true);
  form.text.value = "  ";
  expect(form.isComplete.value).toBe(false);
});

test("a chosen template stays as long as the loaded file has it", () => {
  const form = new Form();
  form.template.value = "shout";
  form.offerTemplates(["rag", "shout"]);
  expect(form.inputs().template).toBe("shout");
  form.offerTemplates(["rag"]);
  expect(form.inputs().template).toBeNull();
});

test("a file without a chat template continues a text, and one with it chats again", () => {
  const form = new Form();
  form.chooseScenario("second-turn");
  form.suitTemplate(false);
  expect(form.inputs().request.prompt.kind).toBe("complete");
  expect(form.inputs().request.scenario.kind).toBe("same-prompt");
  form.suitTemplate(true);
  expect(form.inputs().request.prompt.kind).toBe("chat");
});

test("a file without a template continues texts, until a known layout is chosen", () => {
  const form = new Form();
  form.suitTemplate(false);
  expect(form.inputs().request.prompt.kind).toBe("complete");
  form.chooseTemplate("known: ChatML");
  expect(form.hasTemplate.value).toBe(true);
  expect(form.inputs()).toMatchObject({ template: "known: ChatML", request: { prompt: { kind: "chat" } } });
  form.offerTemplates([]);
  expect(form.inputs()).toMatchObject({ template: null, request: { prompt: { kind: "complete" } } });
});
