import { expect, test } from "vitest";
import { modelUrlFrom } from "../../src/shared/model-url";

const PAGE = "http://localhost:8080/index.html?x#y";

test.each([
  ["https://example.org/m.gguf", "https://example.org/m.gguf"],
  ["  https://example.org/m.gguf#part ", "https://example.org/m.gguf"],
  ["models/m.gguf", "http://localhost:8080/models/m.gguf"],
  ["http://localhost:8080/m.gguf", "http://localhost:8080/m.gguf"],
  ["http://example.org/m.gguf", null],
  ["http://localhost:8081/m.gguf", null],
  ["file:///etc/passwd", null],
  ["javascript:alert(1)", null],
  ["data:,x", null],
  ["https://", null],
  ["", null],
])("%s becomes %s", (typed, url) => expect(modelUrlFrom(typed, PAGE)).toBe(url));
