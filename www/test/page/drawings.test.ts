import { expect, test } from "vitest";
import { layoutOf } from "../../src/page/lesson/tree-drawing";
import { fitted, textWidth } from "../../src/page/text-width";

test("a text is as wide as its letters, Korean ones wider, and is cut where it does not fit", () => {
  expect(textWidth("격차", 10)).toBe(20);
  expect(textWidth("gap", 10)).toBeLessThan(20);
  expect(fitted("never", 10, 100)).toBe("never");
  const cut = fitted("a lighthouse keeper", 10, 60);
  expect(cut).toMatch(/^a li.*…$/);
  expect(textWidth(cut, 10)).toBeLessThanOrEqual(60);
});

test("a tree has its parts beside each other under the line of their sum, inside its own size", () => {
  const { width, height, texts, lines } = layoutOf([[0, 1], 2], (tree) => `<${JSON.stringify(tree)}>`);
  expect(texts.map(({ text, isTotal }) => [text, isTotal])).toEqual([
    ["<[[0,1],2]>", true],
    ["<[0,1]>", true],
    ["<0>", false],
    ["<1>", false],
    ["<2>", false],
  ]);
  const [total, sum, first, second, third] = texts;
  expect(first?.x).toBeLessThan(second?.x ?? 0);
  expect(second?.x).toBeLessThan(third?.x ?? 0);
  expect(total?.y).toBeLessThan(sum?.y ?? 0);
  expect(sum?.y).toBe(third?.y);
  expect(sum?.y).toBeLessThan(first?.y ?? 0);
  expect(lines[0]).toMatchObject({ x: 0, width });
  for (const line of lines) expect(line.x + line.width).toBeLessThanOrEqual(width);
  for (const { x, y } of texts) expect(x > 0 && x < width && y > 0 && y < height).toBe(true);
});
