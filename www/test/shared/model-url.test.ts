import { expect, test } from "vitest";
import { besides, fileNameIn, modelUrlFrom } from "../../src/shared/model-url";

const PAGE = "http://localhost:8080/index.html?x#y";

test.each([
  ["https://example.org/m.gguf", "https://example.org/m.gguf"],
  ["  https://example.org/m.gguf#part ", "https://example.org/m.gguf"],
  ["models/m.gguf", "http://localhost:8080/models/m.gguf"],
  ["http://localhost:8080/m.gguf", "http://localhost:8080/m.gguf"],
  ["http://example.org/m.gguf", null],
  ["http://localhost:8081/m.gguf", null],
  ["https://name:secret@example.org/m.gguf", null],
  ["http://name@localhost:8080/m.gguf", null],
  ["file:///etc/passwd", null],
  ["javascript:alert(1)", null],
  ["data:,x", null],
  ["https://", null],
  ["", null],
])("%s becomes %s", (typed, url) => expect(modelUrlFrom(typed, PAGE)).toBe(url));

test("a file beside another keeps folder and query; an address of a folder has no file name", () => {
  expect(besides("https://example.org/a/b-1.gguf?key=%2Fx", "b-2.gguf")).toBe(
    "https://example.org/a/b-2.gguf?key=%2Fx",
  );
  expect([fileNameIn("https://example.org/a/b.gguf?x/y"), fileNameIn("https://example.org/a/")]).toEqual([
    "b.gguf",
    "",
  ]);
});
