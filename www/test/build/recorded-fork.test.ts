import { expect, test } from "vitest";
import { recordedForkHtml } from "../../build/recorded-fork";
import { comparison, FORK, run, step } from "../page/samples";

function record(changes: Parameters<typeof comparison>[0]) {
  return {
    comparison: comparison(changes),
    device: { driver: "a driver" },
    model: { sha256: "00" },
    request: {
      prompt: { kind: "chat" as const, user: 'Is 1 < 2 & "so"?' },
      scenario: { kind: "same-prompt" as const },
      before: [],
      max_tokens: 4,
    },
  };
}

const shared = [step(1), step(2)];
const forked = record({
  verdict: "forked",
  order: "by-shape",
  fork: FORK,
  runs: [
    run("cold-a", [...shared, step(3), step(5)]),
    run("cold-b", [...shared, step(3), step(5)]),
    run("warm", [...shared, step(4), step(6)]),
  ],
});
const html = recordedForkHtml(forked, record({}));
const [before = "", byShape = "", invariant = ""] = html.split(
  /<div class="take streams" data-order="[a-z-]+">/,
);

/** What a person reads of a piece of it. */
function read(markup: string): string {
  const text = markup.replace(/<[^>]*>/g, "").replace(/\s+/g, " ");
  return text.replaceAll("&lt;", "<").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

function between(markup: string, from: string, to: string): string {
  const start = markup.indexOf(from);
  expect(start, from).toBeGreaterThan(-1);
  return read(markup.slice(start, markup.indexOf(to, start)));
}

test("the fork is told by the words of a live one, with its control, exposure and margins", () => {
  const text = read(byShape);
  for (const words of [
    "They split at token 3",
    "cold = cold",
    "60 of 61 prompt tokens",
    "led “a” by +0.0100 in the cold run and by −0.0200 in the warm one",
    "tokens 1–2",
  ]) {
    expect(text).toContain(words);
  }
});

test("each arm begins with its boxed token, and nothing of it stands in the trunk", () => {
  const trunk = byShape.slice(0, byShape.indexOf('class="arms"'));
  expect(between(trunk, '<p class="text" lang="en">', "</p>")).toBe(" w1 w2");
  const [, cold = "", warm = ""] = byShape.split('class="arm"');
  expect(between(cold, '<p class="text" lang="en">', "</p>")).toBe("⟨3⟩ w3 w5 …");
  expect(between(warm, '<p class="text" lang="en">', "</p>")).toBe("⟨3⟩ w4 w6 …");
});

test("the invariant take has no arms", () => {
  expect(read(invariant)).toContain("Identical to the last bit");
  expect(invariant).not.toContain('class="arm"');
});

test("text of a record cannot become markup", () => {
  expect(before).toContain("Is 1 &lt; 2 &amp; &quot;so&quot;?");
});

test("a record without a warm run is refused, not shown half", () => {
  const broken = record({ runs: [run("cold-a", shared)] });
  expect(() => recordedForkHtml(broken, broken)).toThrow("no cold or no warm run");
});
