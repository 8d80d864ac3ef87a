import { expect, test } from "vitest";
import { CELL, cellColour, plateSvg, RAMP } from "../../src/page/heat-plate";

test("equal bits have no colour, and every other distance has one", () => {
  expect(cellColour(0)).toBeNull();
  const steps = [1, 2, 3, 4, 15, 16, 63, 64, 255, 256, 4e9];
  const found = steps.map((ulp) => RAMP.findIndex(([, colour]) => colour === cellColour(ulp)));
  expect(found).toEqual([0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
});

test("as a file, every cell is there, and what is behind the fork is hatched inside its columns", () => {
  const ulps = [
    [0, 1, 300],
    [0, 0, 7],
  ];
  const svg = plateSvg({ ulps, n_behind: 2 });
  expect(svg).toContain(`width="${5 * CELL}" height="${2 * CELL}"`);
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
  expect(plateSvg({ ulps, n_behind: 0 })).toContain('<path d=""');
});
