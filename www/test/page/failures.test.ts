import { expect, test } from "vitest";
import { failureWords, needsFreshEngine } from "../../src/page/failures";

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
