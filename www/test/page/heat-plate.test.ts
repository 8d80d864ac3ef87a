import { expect, test } from "vitest";
import { EDGE } from "../../src/page/figure-title";
import { boundsOf, levelsOf } from "../../src/page/heat-metric";
import { CELL, MARGIN, plateSvg, RAMP } from "../../src/page/heat-plate";
import { cellWords, rampWords } from "../../src/page/heat-words";
import type { KvMapSide } from "../../src/shared/engine-records";

const SIDE: KvMapSide = {
  format: "f32",
  largest_steps: [[0, 1, 2, 3, 15, 16, 63, 256]],
  share: [[0, 0.01, 0.05, 0.2, 0.25, 0.5, 0.74, 1]],
  // Zeros of both signs differ in a bit and not in value.
  relative_l2: [[0, 0, 1e-6, 1e-5, 2e-4, 3e-3, 4e-2, 0.5]],
};

const MAPS = { k: SIDE, v: SIDE };
const levels = (metric: "steps" | "share" | "relative_l2") => levelsOf(SIDE, metric, boundsOf(MAPS, metric));

test("equal bits have no colour, and every other cell has that of its number", () => {
  expect(levels("steps")).toEqual([[null, 0, 1, 1, 2, 3, 3, 5]]);
  expect(levels("share")).toEqual([[null, 0, 1, 2, 3, 4, 4, 5]]);
  expect(levels("relative_l2")).toEqual([[null, 0, 0, 0, 0, 0, 1, 5]]);
});

test("a cell is told in all three measures, and each colour says which numbers it stands for", () => {
  expect(cellWords(SIDE, { layer: 0, position: 0 }, "ulp")).toBe("every bit equal");
  expect(cellWords(SIDE, { layer: 0, position: 7 }, "ulp")).toBe(
    "256 ulp at most, 100 % of the numbers differ, relative L2 5.0e-1",
  );
  const words = (metric: "steps" | "share" | "relative_l2") =>
    RAMP.map((_, level) => rampWords(metric, boundsOf(MAPS, metric), level));
  expect(words("steps")).toEqual(["1", "2–3", "4–15", "16–63", "64–255", "256 or more"]);
  expect(words("share")).toEqual([
    "below 5 %",
    "5 %–10 %",
    "10 %–25 %",
    "25 %–50 %",
    "50 %–75 %",
    "75 % or more",
  ]);
  expect(words("relative_l2").slice(0, 2)).toEqual(["below 2.0e-2", "2.0e-2–5.0e-2"]);
});

test("the colours reach up to the largest difference of keys and values", () => {
  const far = { ...SIDE, relative_l2: [[0, 0.003, 0.0556]] };
  const words = (largest: number) => {
    const sides = { ...SIDE, largest_steps: [[1, 600, largest]] };
    const bounds = boundsOf({ k: SIDE, v: sides }, "steps");
    return RAMP.map((_, level) => rampWords("steps", bounds, level));
  };
  const small = ["1", "2–3", "4–15"];
  expect(words(601)).toEqual([...small, "16–127", "128–511", "512 or more"]);
  expect(words(22_794)).toEqual([...small, "16–511", "512–16,383", "16,384 or more"]);
  // Two small numbers of f32 on either side of zero.
  expect(words(2 ** 31)).toEqual([...small, "16–262,143", "262,144–2,147,483,647", "2,147,483,648 or more"]);
  expect(boundsOf({ k: far, v: far }, "relative_l2")).toEqual([0.002, 0.005, 0.01, 0.02, 0.05]);
  const none = { ...SIDE, largest_steps: [[0]], relative_l2: [[0]] };
  for (const metric of ["steps", "share", "relative_l2"] as const)
    expect(boundsOf({ k: none, v: none }, metric)).toHaveLength(5);
});

test("as a file, every cell is there, and what is behind the fork is hatched inside its columns", () => {
  const levels = [
    [null, 0, 5],
    [null, null, 2],
  ];
  const axes = { layer: "layer", position: "position", fork: "fork" };
  const keyWords = ["equal", "1", "2–3", "4–15", "16–63", "64–255", "256 or more"];
  const svg = plateSvg("Keys", { levels, n_behind: 2, fork: 3, axes }, keyWords);
  const [, width, height] = svg.match(/width="(\d+)" height="(\d+)"/)?.map(Number) ?? [];
  expect(width).toBe(MARGIN.left + 5 * CELL + 2 * EDGE);
  expect(svg).toContain("<title>Keys</title>");
  expect(height).toBeGreaterThan(MARGIN.top + 2 * CELL + MARGIN.bottom);
  for (const word of keyWords) expect(svg).toContain(`>${word}</text>`);
  for (const y of svg.matchAll(/<text x="\S+" y="(\S+?)"/g)) expect(Number(y[1])).toBeLessThan(height ?? 0);
  for (const word of Object.values(axes)) expect(svg).toContain(`>${word}</text>`);
  expect(svg).toContain(`<line x1="${3 * CELL - 0.5}"`);
  expect(svg.match(/<rect /g)?.length).toBe(1 + 6);
  const lines = [...svg.matchAll(/M(\S+) (\S+)L(\S+) (\S+?)(?=M|")/g)].map((line) =>
    line.slice(1).map(Number),
  );
  expect(lines.length).toBeGreaterThan(1);
  for (const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] of lines) {
    for (const x of [x1, x2]) expect(x).toBeGreaterThanOrEqual(3 * CELL);
    for (const x of [x1, x2]) expect(x).toBeLessThanOrEqual(5 * CELL);
    for (const y of [y1, y2]) expect(y >= 0 && y <= 2 * CELL).toBe(true);
  }
  const whole = plateSvg("Keys", { levels, n_behind: 0, fork: null, axes }, keyWords);
  expect(whole).toContain('<path d=""');
  expect(whole).not.toContain("<line ");
});
