import { expect, test } from "vitest";
import { findingWords } from "../../src/page/ablation-panel";
import { blocksOf, hatchOf, stretchesOf } from "../../src/page/cache-stretches";
import { cacheSvg } from "../../src/page/cache-svg";
import { heightOf, stepped } from "../../src/page/margin-path";
import { judgementWords } from "../../src/page/noise-panel";
import { SITES } from "../../src/page/order-trials";
import { choiceWords, outcomeWords } from "../../src/page/order-words";
import { foundWords } from "../../src/page/shapes-panel";
import type { Ablation, ShapeCheck } from "../../src/shared/engine-records";

test("heights are symmetric around zero, keep their order, and stay inside", () => {
  const height = (value: number) => heightOf(value, 0.1, 20);
  const middle = height(0);
  for (const value of [0.01, 0.1, 1, 20]) {
    expect(middle - height(value)).toBeCloseTo(height(-value) - middle, 9);
  }
  const ascending = [-20, -1, -0.1, 0, 0.1, 1, 20].map(height);
  expect(ascending).toEqual([...ascending].sort((a, b) => b - a));
  expect(Math.min(...ascending)).toBeGreaterThan(0);
  expect([heightOf(0, 0, 0), heightOf(1, 0, 1)].every(Number.isFinite)).toBe(true);
});

test("a line that is told for each token steps at the edge of the tokens' columns", () => {
  expect(stepped([50, 20])).toBe("M0 50H34V20H68");
  expect(stepped([])).toBe("");
});

test("the prompt is cut at the seam and where steps begin; the last step that computed a position wrote it", () => {
  const range = (start: number, end: number) => ({ start, end });
  expect(stretchesOf([range(0, 32), range(32, 40), range(39, 40)], 39)).toEqual([
    { start: 0, end: 32, reused: true, chunk_rows: 32 },
    { start: 32, end: 39, reused: true, chunk_rows: 8 },
    { start: 39, end: 40, reused: false, chunk_rows: 1 },
  ]);
  expect(stretchesOf([], 0)).toEqual([]);
});

test("stretches that steps of other sizes wrote are hatched another way", () => {
  const range = (start: number, end: number) => ({ start, end });
  const stretches = stretchesOf([range(0, 32), range(32, 64), range(64, 70), range(70, 71)], 70);
  expect(stretches.map(({ chunk_rows }) => chunk_rows)).toEqual([32, 32, 6, 1]);
  expect(stretches.map((stretch) => hatchOf(stretch, stretches))).toEqual([0, 0, 1, 2]);
  const svg = cacheSvg("Cache", stretches, () => "");
  expect(svg.match(/fill="url\(#reused-\d\)"/g)).toEqual(
    [0, 0, 1].map((hatch) => `fill="url(#reused-${hatch})"`),
  );
});

test("a stretch is cut at the edges of the cache's blocks", () => {
  expect(blocksOf({ start: 10, end: 40 }, 16)).toEqual([
    { start: 10, end: 16 },
    { start: 16, end: 32 },
    { start: 32, end: 40 },
  ]);
  expect(blocksOf({ start: 32, end: 48 }, 16)).toEqual([{ start: 32, end: 48 }]);
});

test("a check of shapes says what it came to, and claims nothing that it did not see", () => {
  const shape = { chunk_rows: 32, reused_tokens: 0, n_neighbours: 1 };
  const check: ShapeCheck = {
    plain: { ...shape, n_neighbours: 0 },
    n_tokens: 8,
    shapes: [{ shape, first_difference: null }],
    n_differing: 0,
    claim: "L2",
    was_cancelled: false,
  };
  expect(foundWords(check, "invariant")).toMatch(/^Claim level L2 holds here: all 1 shapes/);
  expect(foundWords({ ...check, claim: null }, "by-shape")).toContain("not a rule: no claim");
  expect(foundWords({ ...check, claim: null }, "invariant")).toContain("not every kind of shape");
  expect(foundWords({ ...check, claim: null, was_cancelled: true }, "invariant")).toContain(
    "Stopped after 1",
  );
  expect(foundWords({ ...check, claim: null, n_differing: 1 }, "by-shape")).toContain(
    "1 of 1 shapes give other",
  );
});

test("what a pair of runs came to has a mark and numbers tokens from one", () => {
  expect(outcomeWords({ first_differing: null, fork: null, n_steps: 20 })).toBe("= equal bits, 20 tokens");
  expect(outcomeWords({ first_differing: 0, fork: null, n_steps: 20 })).toBe(
    "≠ other bits from token 1 on, no fork in 20",
  );
  expect(outcomeWords({ first_differing: 0, fork: 10, n_steps: 11 })).toBe("Y fork at token 11");
});

test("noise and corruption are told apart, with how many times the rounding and where", () => {
  expect(judgementWords(null)).toContain("Stopped");
  expect(judgementWords({ kind: "noise", times_rounding: 1.9123 })).toContain(
    "further than 1.9 times the rounding",
  );
  expect(
    judgementWords({ kind: "corrupt", layer: 3, tensor: "k", position: 17, times_rounding: 4600 }),
  ).toMatch(/^Corrupt: layer 3, K of position 17 is 4,600 times/);
});

test("an ablation's finding is the engine's, in words: the places that alone make the bits differ, and the least that makes them equal", () => {
  const equal = { first_differing: null, fork: null, n_steps: 8 };
  const ablation: Ablation = {
    sentence: "",
    by_shape: { first_differing: 0, fork: 4, n_steps: 5 },
    invariant: equal,
    // Contradicts what follows: the page concludes nothing by itself.
    cases: [{ group: "ffn_down", sites: ["ffn_down"], made_invariant: equal, made_by_shape: equal }],
    causes: ["attn_qkv", "output"],
    forks: ["attn_qkv"],
    removes: ["attention block", "all"],
    was_cancelled: false,
  };
  expect(findingWords(ablation)).toBe(
    "By shape, each alone makes the bits differ: QKV products, output head; of these a fork follows from: QKV products. " +
      "To make the bits equal again, invariant order is needed at: attention block.",
  );
  expect(findingWords({ ...ablation, causes: [], forks: [], removes: [] })).toBe(
    "By shape, each alone makes the bits differ: no single place; of these a fork follows from: no single place. " +
      "To make the bits equal again, invariant order is needed at: none of those tried.",
  );
  expect(findingWords({ ...ablation, was_cancelled: true })).toBe(
    "Stopped after 1 group of places: nothing can be concluded yet.",
  );
  expect(findingWords({ ...ablation, by_shape: equal })).toContain("nothing to take away");
});

test("a choice of orders is told by the places in one order, or by all", () => {
  expect(choiceWords([])).toBe("all by shape");
  expect(choiceWords(["attn_qkv", "ffn_down"])).toBe("one order at QKV products, down; the rest by shape");
  expect(choiceWords(SITES)).toBe("all one order");
});

test("the cache as a file has a bar and words for each stretch, and the seam where reuse ends", () => {
  const stretches = stretchesOf(
    [
      { start: 0, end: 32 },
      { start: 32, end: 40 },
    ],
    32,
  );
  const svg = cacheSvg("<cache>", stretches, ({ start }) => `from ${start}`);
  expect(svg.match(/<rect /g)?.length).toBe(1 + 2);
  expect(svg).toContain(">from 32</text>");
  expect(svg).toContain("<title>&lt;cache&gt;</title>");
  expect(svg.match(/stroke-dasharray/g)?.length).toBe(1);
});
