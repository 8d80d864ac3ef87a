import { expect, test } from "vitest";
import {
  badAddress,
  brokenOffStatus,
  choiceWords,
  failureWords,
  needsFreshEngine,
} from "../../src/page/failures";

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
