import { afterEach, expect, test } from "vitest";
import {
  asSentence,
  badAddress,
  brokenOffStatus,
  choiceWords,
  failureWords,
  needsFreshEngine,
  toldOf,
} from "../../src/page/failures";
import { messages } from "../../src/page/language";
import { english } from "../../src/page/messages/english";
import { korean } from "../../src/page/messages/korean";

afterEach(() => {
  messages.value = english;
});

const error = (code: string) => ({ code, message: "m", what_to_do: "w" });

test("a code without words of its own still has a next step", () => {
  const words = failureWords(error("something-new"));
  expect(words.still_works).not.toBe("");
  expect(words.next).toBe("restart-and-load");
});

test("a cut download is continued, a lost device needs a fresh engine", () => {
  expect(failureWords(error("download-cut")).next_label).toBe("Continue the download");
  expect(needsFreshEngine(error("download-cut"))).toBe(false);
  expect(needsFreshEngine(error("device-lost"))).toBe(true);
});

test("the status line says that the comparison broke off, and once only", () => {
  expect(brokenOffStatus(error("run-failed"))).toBe("The comparison broke off");
  expect(brokenOffStatus(error("context-full"))).toBe(
    "The comparison broke off. The prompt is too long for this model",
  );
});

test("a person's own file is chosen again, never downloaded again", () => {
  expect(failureWords(error("bad-file")).next_label).toBe("Download it again");
  expect(failureWords(error("bad-file"), "files").next).toBe("choose-another");
  expect(failureWords(error("download-cut"), "url").next_label).toBe("Continue the download");
});

test("while the header is read nothing is continued: it is tried again, or loaded anyway", () => {
  expect(choiceWords(error("download-network"), "url").next).toBe("check-again");
  expect(choiceWords(error("bad-file"), "files").next).toBe("choose-another");
  expect(choiceWords(error("unknown-pre-tokenizer"), "files")).toMatchObject({
    next: "load-anyway",
    next_label: "Load anyway",
  });
});

test("an address that cannot be used is quoted", () => {
  expect(badAddress(" ftp://x ").message).toContain("“ftp://x”");
});

test("a password in an address is not repeated, and a long address is shortened", () => {
  expect(badAddress("https://user:secret@host.example/a.gguf").message).not.toContain("secret");
  expect(badAddress(`http://host.example/${"a".repeat(9_000)}`).message.length).toBeLessThan(300);
});

test("an engine's message becomes a sentence, but for a name that it begins with", () => {
  expect(asSentence("the prompt has 40031 tokens")).toBe("The prompt has 40031 tokens.");
  expect(asSentence("blk.0.attn_q.weight has no data")).toBe("blk.0.attn_q.weight has no data.");
  expect(asSentence("You stopped the download.")).toBe("You stopped the download.");
});

test("in Korean the code is told in Korean and the engine's own words stay as a detail", () => {
  const long = { ...error("context-full"), message: "the prompt has 9 tokens" };
  expect(toldOf(long).happened).toMatchObject({ text: "The prompt has 9 tokens.", detail: null });
  messages.value = korean;
  const { happened, to_do } = toldOf(long);
  expect(happened).toMatchObject({
    text: korean.failures.inGeneral["context-full"]?.happened,
    detail: "The prompt has 9 tokens.",
  });
  expect(to_do.text).toBe(korean.failures.inGeneral["context-full"]?.to_do);
  expect(toldOf(error("something-new")).happened.text).toBe(korean.failures.inGeneral.unknown?.happened);
  const typed = badAddress("ftp://x");
  expect(toldOf(typed).happened.detail).toBe(null);
  messages.value = english;
  expect(toldOf(typed).happened.lang).toBe("ko");
});
