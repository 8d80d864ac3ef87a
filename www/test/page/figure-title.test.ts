import { expect, test } from "vitest";
import { EDGE, escaped, framed, sourceOf, titled } from "../../src/page/figure-title";
import { apart } from "../../src/page/margin-path";
import { textWidth } from "../../src/page/text-width";
import { done, shown } from "./samples";

const frame = { title: "", width: 300, height: 100, plate: "#fff", ink: "#000" };

/** Every number of an attribute. */
const numbersOf = (svg: string, name: string) =>
  [...svg.matchAll(new RegExp(` ${name}="([\\d.]+)"`, "g"))].map(([, value]) => Number(value));

test("a saved figure says model, device, formats and order beside what it shows", () => {
  const source = sourceOf(done(shown()));
  expect(source).toBe("Tiny · An adapter · int8, order by shape");
  expect(sourceOf(done(shown({ order: "invariant" }, { kind: "cpu-twin" })))).toContain("CPU twin");
  expect(titled("“the” over “a”, token 3", source)).toBe(`“the” over “a”, token 3 · ${source}`);
  expect(titled("All orders.", "CPU twin")).toBe("All orders. CPU twin");
  expect(titled("All orders.", "")).toBe("All orders.");
});

test("the title stands in the file, for readers and above the drawing, in lines that fit", () => {
  const title = titled(
    "“the” over “a”, token 3",
    "A model of a long name · An adapter of a long name · int8, by shape",
  );
  const svg = framed({ ...frame, title }, '<path d="M0 0"/>');
  expect(svg).toContain(`<title>${title}</title>`);
  const [width = 0, height = 0] = [numbersOf(svg, "width")[0], numbersOf(svg, "height")[0]];
  expect(svg).toContain(`viewBox="0 0 ${width} ${height}"`);
  const lines = [...svg.matchAll(/<tspan x="(\d+)" y="(\d+)">([^<]*)</g)];
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.map(([, , , words]) => words).join(" ")).toBe(title);
  const [, left, head] = /<g transform="translate\((\d+) (\d+)\)">/.exec(svg) ?? [];
  for (const [, x, y, words = ""] of lines) {
    expect(Number(x) + textWidth(words, 13)).toBeLessThanOrEqual(width);
    expect(Number(y)).toBeLessThan(Number(head));
  }
  expect(height).toBe(frame.height + Number(head) + EDGE);
  expect(Number(left)).toBe(EDGE);
});

test("a short title widens nothing, a wide drawing stays as wide, and nothing touches the edge", () => {
  expect(numbersOf(framed({ ...frame, title: "Short" }, ""), "width")[0]).toBe(300 + 2 * EDGE);
  const wide = framed({ ...frame, title: "a ".repeat(200), width: 800 }, "");
  expect(numbersOf(wide, "width")[0]).toBe(800 + 2 * EDGE);
});

test("what a token or a driver is called cannot break the file", () => {
  expect(escaped('<a href="&">\u0007')).toBe("&lt;a href=&quot;&amp;&quot;&gt;\ufffd");
  const svg = framed({ ...frame, title: "“</title><script>” over “a”" }, "");
  expect(svg).not.toContain("<script>");
});

test("the two numbers at the fork do not touch, and stay in their order", () => {
  expect(apart(20, 90)).toEqual([20, 90]);
  expect(apart(50, 54)).toEqual([44, 60]);
  expect(apart(54, 50)).toEqual([60, 44]);
});
