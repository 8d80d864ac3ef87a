import { expect, test } from "vitest";
import { modelRows } from "../../src/page/loaded-details";
import type { Selection } from "../../src/page/session-state";
import { fileWords, sizeWords, titleOf } from "../../src/page/sources";
import type { ModelReport } from "../../src/shared/engine-records";
import type { CheckedSource } from "../../src/shared/protocol";

const BUILT_IN: Selection = {
  source: {
    kind: "built-in",
    title: "Tiny",
    file_name: "t.gguf",
    url: "u",
    len_bytes: 98_362_432,
    sha256: "",
  },
  checked: null,
  load_anyway: false,
};

function own(url: string, name: string, len_bytes: number | null): Selection {
  const check = { name, needed_bytes: 5_000_000 };
  const checked = { check, len_bytes } as CheckedSource;
  return { source: { kind: "url", url }, checked, load_anyway: false };
}

test("a model is called by its own name, or by that of its file", () => {
  expect(titleOf(BUILT_IN)).toBe("Tiny");
  expect(titleOf(own("https://example.org/a/m.gguf?x", "A Model", 1))).toBe("A Model");
  expect(titleOf(own("https://example.org/a/m.gguf?x", " ", 1))).toBe("m.gguf");
  const files = [new File(["a"], "m-00001-of-00002.gguf"), new File(["b"], "m-00002-of-00002.gguf")];
  const parts: Selection = { source: { kind: "files", files }, checked: null, load_anyway: false };
  expect(titleOf(parts)).toBe("m-00001-of-00002.gguf");
  expect(fileWords(parts.source)).toBe("m-00001-of-00002.gguf, m-00002-of-00002.gguf");
});

test("a size is that of the file, or of the model's data where the file's is not told", () => {
  expect(sizeWords(BUILT_IN)).toBe("98.4 MB");
  expect(sizeWords(own("https://x.org/m", "", 6_000_000))).toBe("6.0 MB");
  expect(sizeWords(own("https://x.org/m", "", null))).toBe("5.0 MB");
});

test("the details of what is loaded call it as the rest of the page does", () => {
  const report = {
    name: "Tiny 8k Mix1 Ep2",
    tensor_types: {},
    template_names: [],
    tokenizer: { model: "gpt2", rule: null },
  } as unknown as ModelReport;
  expect(modelRows(report, BUILT_IN)[0]).toEqual(["Name", "Tiny"]);
  expect(JSON.stringify(modelRows(report, BUILT_IN))).not.toContain("Mix1");
});
