import { describe, expect, test } from "vitest";
import { english } from "../../src/page/messages/english";
import { say } from "../../src/page/messages/said";
import { controlCheck, exposureCheck, type VerdictSentence, verdictWords } from "../../src/page/verdict";
import type { Comparison, Verdict } from "../../src/shared/engine-records";
import { comparison, FORK, run, step } from "./samples";

const inEnglish = (sentence: VerdictSentence) => say(english.verdict, sentence);

function verdictInEnglish(of: Comparison) {
  const { title, meaning, mark } = verdictWords(of);
  return { title: inEnglish(title), meaning: meaning.map(inEnglish).join(" "), mark };
}

describe("verdict", () => {
  test("a fork names its place and both tokens", () => {
    const words = verdictInEnglish(comparison({ verdict: "forked", fork: FORK, order: "by-shape" }));
    expect(words.title).toBe("They split at token 3");
    expect(words.meaning).toContain("After 2 identical tokens, cold chose “the” and warm chose “a”.");
    expect(words.meaning).toContain("added in another order");
    expect(words.meaning).not.toContain("logits differ");
    expect(words.mark).toBe("fork");
  });

  test("a fork tells where the logits differed, up to itself", () => {
    const other = ["h1", "x", "x", "x"].map((hash, index) => step(index + 1, 1, hash));
    const same = [1, 2, 3, 4].map((id) => step(id));
    const runs = [run("cold-a", same), run("cold-b", same), run("warm", other)];
    const words = verdictInEnglish(comparison({ verdict: "forked", fork: FORK, order: "by-shape", runs }));
    expect(words.meaning).toContain("Their logits differ at tokens 2–3.");
  });

  test("a fork in the invariant order is called a defect", () => {
    const words = verdictInEnglish(comparison({ verdict: "forked", fork: FORK, order: "invariant" }));
    expect(words.meaning).toContain("defect");
    expect(words.meaning).not.toContain("added in another order");
  });

  test("a fork at once says so", () => {
    const words = verdictInEnglish(
      comparison({ verdict: "forked", fork: { ...FORK, index: 0 }, order: "by-shape" }),
    );
    expect(words.meaning).toContain("At the very first token");
  });

  test("a tie names the tie rule", () => {
    const words = verdictInEnglish(comparison({ verdict: "tie", fork: FORK }));
    expect(words.title).toBe("They split on an exact tie at token 3");
    expect(words.meaning).toContain("lowest id wins");
  });

  test("drift without a fork gives the closest call and promises nothing", () => {
    const [cold, other] = [comparison().runs, [step(1), step(2, 0.0125, "other"), step(3, 2, "other")]];
    const runs = [...cold.slice(0, 2), run("warm", other)];
    const words = verdictInEnglish(comparison({ verdict: "same-tokens", first_differing_logits: 1, runs }));
    expect(words.meaning).toContain("All 3 tokens agree. Their logits differ at tokens 2–3.");
    expect(words.meaning).toContain("the closest call was token 2, with a margin of 0.0125");
    expect(words.meaning).toContain("this one did not");
  });

  test("equal bits are a rule in one order and luck in the other", () => {
    expect(verdictInEnglish(comparison()).meaning).toContain("changes nothing");
    expect(verdictInEnglish(comparison({ order: "by-shape" })).meaning).toContain("does not promise");
  });

  test("every verdict has a title and a meaning", () => {
    const all: Verdict[] = [
      "bit-identical",
      "same-tokens",
      "forked",
      "tie",
      "vacuous",
      "control-failed",
      "corrupt",
      "cancelled",
      "error",
    ];
    for (const verdict of all) {
      const words = verdictInEnglish(comparison({ verdict, runs: [] }));
      expect(words.title, verdict).not.toBe("");
      expect(words.meaning.trim(), verdict).not.toBe("");
    }
  });
});

describe("control", () => {
  const noted = (changes: Parameters<typeof comparison>[0]) => {
    const { text, state } = controlCheck(comparison(changes));
    return { text: inEnglish(text), state };
  };
  test("passed", () => expect(noted({})).toEqual({ text: "control: cold = cold", state: "passed" }));
  test("failed in bits only", () =>
    expect(noted({ control: { same_tokens: true, same_bits: false } }).text).toContain(
      "same tokens, other bits",
    ));
  test("failed", () =>
    expect(noted({ control: { same_tokens: false, same_bits: false } }).state).toBe("failed"));
  test("open while one of the cold runs is missing", () =>
    expect(noted({ control: null }).state).toBe("open"));
});

describe("exposure", () => {
  test("is told as reused of prompt", () =>
    expect(exposureCheck(comparison())).toEqual({ text: ["exposure", 60, 61], state: "passed" }));
  test("in words", () =>
    expect(inEnglish(exposureCheck(comparison()).text)).toBe("warm reused 60 of 61 prompt tokens"));
  test("of zero fails", () =>
    expect(exposureCheck(comparison({ runs: [run("warm", [], { reused_tokens: 0 })] })).state).toBe(
      "failed",
    ));
  test("is open without a warm run", () =>
    expect(exposureCheck(comparison({ runs: [] })).state).toBe("open"));
});
