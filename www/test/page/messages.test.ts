// The catalogue is whole: English and Korean have the same entries, everything on the page comes from it, and nothing in it is left over.
import { parseSync } from "vite";
import { expect, test } from "vitest";
import { RECORD_PATHS, recordedForkHtml } from "../../build/recorded-fork";
import { wordsOf } from "../../src/page/language";
import { korean } from "../../src/page/messages/korean";

type Entry = string | ((...filling: unknown[]) => string);

const HANGUL = /\p{Script=Hangul}/u;
const LETTER = /\p{Letter}/u;

/** Every entry by its path; what a person reads stands at the leaves. */
function entriesOf(catalogue: object, path = ""): Map<string, Entry> {
  const found = new Map<string, Entry>();
  for (const [name, value] of Object.entries(catalogue)) {
    const here = path === "" ? name : `${path}.${name}`;
    // The one is in index.html in English, the other the engine says itself.
    if (here === "fixed" || here === "failures.inGeneral") continue;
    if (typeof value === "object") for (const [at, entry] of entriesOf(value, here)) found.set(at, entry);
    else found.set(here, value);
  }
  return found;
}

/** The parts that every view needs, and those that come with theirs: each file has one of its own name. */
const parts = {
  english: import.meta.glob<Record<string, object>>("../../src/page/messages/english/*.ts", { eager: true }),
  korean: import.meta.glob<Record<string, object>>("../../src/page/messages/korean/*.ts", { eager: true }),
};

function catalogueOf(files: Record<string, Record<string, object>>): Record<string, object | undefined> {
  return Object.fromEntries(
    Object.entries(files).map(([path, module]) => {
      const name = /(\w+)\.ts$/.exec(path)?.[1] ?? "";
      return [name, module[name]];
    }),
  );
}

const inEnglish = entriesOf(catalogueOf(parts.english));
const inKorean = entriesOf(catalogueOf(parts.korean));

/** Names that are the same in Korean. */
const NAMES = new Set(["GPU", "int8", "float", "half", "f32", "shader-f16", "SHA-256", "Q", "K", "V", "FFN"]);

test("both have the same entries of the same kind, and none is empty", () => {
  const kinds = (entries: Map<string, Entry>) =>
    [...entries].map(
      ([path, entry]) =>
        `${path}: ${typeof entry} of ${entry.length > 0 && typeof entry === "function" ? entry.length : "words"}`,
    );
  expect(kinds(inKorean).sort()).toEqual(kinds(inEnglish).sort());
  for (const entries of [inEnglish, inKorean]) {
    for (const [path, entry] of entries) expect(entry, path).not.toBe("");
  }
});

test("what is Korean is written in Hangul and differs from the English, but for a few names", () => {
  for (const [path, entry] of inKorean) {
    if (typeof entry !== "string" || NAMES.has(entry)) continue;
    expect(entry, path).not.toBe(inEnglish.get(path));
    if (LETTER.test(entry)) expect(entry, path).toMatch(HANGUL);
  }
});

/** Tried on every entry that has no samples of its own: a text or a number for each argument, whichever it takes. */
function fillings(n_arguments: number): unknown[][] {
  return Array.from({ length: 2 ** n_arguments }, (_, choice) =>
    Array.from({ length: n_arguments }, (_, index) => ((choice >> index) & 1 ? 1001 + index : `‹${index}›`)),
  );
}

const FIT = {
  weights_bytes: 98_400_000,
  cache_bytes: 47_200_000,
  cache_positions: 2048,
  total_bytes: 145_600_000,
  budget_bytes: 2e9,
  largest_binding: "a.weight",
  largest_binding_bytes: 27_000_000,
  memory_fits: true,
  binding_fits: true,
};
const side = (value: number, kernel: string) => ({
  value,
  bits: `bits${value}`,
  writer: { kernel, chunk_rows: 61 },
  altered: false,
});
const ORIGIN = {
  layer: 3,
  tensor: "q",
  position: 17,
  index: 40,
  ulp: 5,
  cold: side(0.5, "a"),
  warm: side(0.25, "b"),
};

/** Entries that take more than texts and counts: what they are called with, and what must be seen of it. */
const SAMPLES: Record<string, [filling: unknown[], seen: string[]]> = {
  "choice.binding": [
    [FIT, 134_000_000],
    ["a.weight", "27.0 MB", "134.0 MB"],
  ],
  "choice.memory": [[FIT], ["98.4 MB", "47.2 MB", "2048", "145.6 MB", "2.00 GB"]],
  "format.duration": [[65_000], ["1", "5"]],
  "format.parameters": [[134_515_008], ["1"]],
  "format.tokenNumbers": [[[0, 1, 2, 6]], ["1–3", "7"]],
  "load.details.selfTestOf": [[840], ["840 ms"]],
  "models.continued": [[20e6], ["20.0 MB"]],
  "models.notKept.full": [
    [20e6, 5e6],
    ["20.0 MB", "5.0 MB"],
  ],
  "verdict.closestCall": [
    [12, 0.0125],
    ["12", "0.0125"],
  ],
  "verdict.led": [
    [" a", " b", 0.01, -0.02],
    ["“a”", "“b”", "+0.0100", "\u22120.0200"],
  ],
  "verdict.logitsDiffer": [[[1, 2]], ["2–3"]],
  "why.heat.explained": [["k", "ulp"], ["ulp"]],
  "why.heat.number": [
    ["steps", 7, "ulp"],
    ["7", "ulp"],
  ],
  "why.noise.isCorrupt": [
    ["46", 3, "k", 17],
    ["46", "3", "K", "17"],
  ],
  "why.origin": [[ORIGIN], ["3", "Q", "17", "40", "5", "0.5", "bits0.5", "0.25", "bits0.25", "61"]],
};

test("what an entry is filled with is seen in both languages", () => {
  for (const [path, entry] of inEnglish) {
    if (typeof entry === "string") continue;
    const translated = inKorean.get(path) as typeof entry;
    const samples = SAMPLES[path];
    const tries = samples
      ? [samples]
      : fillings(entry.length).map((filling) => [filling, filling.map(String)] as const);
    const isSeen = tries.some(([filling, seen]) => {
      const texts = [said(entry, filling), said(translated, filling)];
      return texts.every((text) => seen.every((part) => text.includes(part)));
    });
    expect(isSeen, `${path}: ${tries.length} fillings tried`).toBe(true);
    const [filling, seen] = tries[0] ?? [[], []];
    const own = seen.reduce((text, part) => text.replaceAll(part, ""), said(translated, filling));
    if (LETTER.test(own)) expect(own, path).toMatch(HANGUL);
  }
});

/** What an entry says, without the separators of thousands; empty where it takes no such filling. */
function said(entry: (...filling: unknown[]) => string, filling: readonly unknown[]): string {
  try {
    return entry(...filling).replace(/(\d),(?=\d{3})/g, "$1");
  } catch {
    return "";
  }
}

const texts = import.meta.glob<string>(
  ["../../index.html", "../../public/recorded/*.json", "../../src/page/**/*.{ts,tsx}", "!**/messages/**"],
  { query: "?raw", import: "default", eager: true },
);
const workerTexts = import.meta.glob<string>("../../src/worker/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});
const textOf = (path: string) => texts[`../../${path}`] ?? "";
const INDEX = textOf("index.html");
const byShape = JSON.parse(textOf(`public/${RECORD_PATHS.byShape}`));
const invariant = JSON.parse(textOf(`public/${RECORD_PATHS.invariant}`));
const RECORDED = recordedForkHtml(byShape, invariant);

/** What is marked as an entry, with what it is filled with. */
function markedIn(html: string): { message: string; filling: unknown[] }[] {
  const marks = [...html.matchAll(/data-message="([^"]*)"(?: data-arguments="([^"]*)")?/g)];
  return marks.map(([, message = "", filling = "[]"]) => ({
    message,
    filling: JSON.parse(filling.replaceAll("&quot;", '"').replaceAll("&amp;", "&")),
  }));
}

test("the words of index.html have Korean ones, and none is left over", () => {
  const marked = markedIn(INDEX).map(({ message }) => message);
  expect(Object.keys(korean.fixed).sort()).toEqual([...new Set(marked)].sort());
  for (const [message, words] of Object.entries(korean.fixed)) expect(words, message).toMatch(HANGUL);
});

test("every failure is told in Korean, those of the worker too", () => {
  const codes = [...Object.values(workerTexts), ...Object.values(texts)].flatMap((source) =>
    [...source.matchAll(/\bcode: "([a-z-]+)"/g)].map(([, code = ""]) => code),
  );
  const { ofAny, ofOwn, inGeneral } = korean.failures;
  const known = [...Object.keys(ofAny), ...Object.keys(ofOwn), ...codes];
  expect(codes.length).toBeGreaterThan(15);
  expect(known.filter((code) => inGeneral[code] === undefined)).toEqual([]);
  for (const words of Object.values(inGeneral)) {
    expect(words?.happened).toMatch(HANGUL);
    expect(words?.to_do).toMatch(HANGUL);
  }
});

test("the recorded fork can be said in Korean", () => {
  const marked = markedIn(RECORDED);
  expect(marked.length).toBeGreaterThan(20);
  for (const { message, filling } of marked)
    expect(wordsOf(korean, message, filling), message).toMatch(HANGUL);
  const cold = byShape.comparison.fork.cold.text.trim();
  expect(marked.map(({ message, filling }) => wordsOf(korean, message, filling)).join(" ")).toContain(
    `“${cold}”`,
  );
});

test("no word of the page's HTML stands outside the catalogue, but names and data", () => {
  const outside = [
    /<!--.*?-->/gs,
    /<head>.*?<\/head>/gs,
    /<noscript>.*?<\/noscript>/gs,
    /<p class="wordmark">.*?<\/p>/gs,
    // Data of the record: the prompt and the tokens, in the language of the model.
    /<(\w+)[^>]* lang="en"[^>]*>.*?<\/\1>/gs,
    /<(\w+)[^>]* data-message=[^>]*>.*?<\/\1>/gs,
    /<[^>]*>/g,
    /&\w+;/g,
  ];
  for (const html of [INDEX, RECORDED]) {
    const left = outside.reduce((text, pattern) => text.replace(pattern, " "), html);
    expect(left.match(/\p{Letter}+/gu) ?? []).toEqual([]);
  }
});

interface Node {
  type?: string;
  [field: string]: unknown;
}

/** Two in a row, or one with a capital letter; not in markup or a selector. */
const WORDS = /^(?![<.]).*[a-z]{2,} [a-z]{2,}|^[A-Z][a-z]+$/s;

/** Attributes that a person never reads. */
const SILENT = new Set(["class", "d", "aria-labelledby", "transform", "viewBox"]);

/** Texts of elements, and literals that look like words. */
function wordsIn(tree: unknown, found: string[] = []): string[] {
  if (typeof tree !== "object" || tree === null) return found;
  const node = tree as Node;
  if (node.type === "ImportDeclaration") return found;
  if (node.type === "JSXAttribute" && SILENT.has((node.name as { name: string }).name)) return found;
  if (node.type === "JSXText" && LETTER.test(node.value as string)) found.push((node.value as string).trim());
  const literal = node.type === "TemplateElement" ? (node.value as { cooked: string }).cooked : node.value;
  if (node.type !== "JSXText" && typeof literal === "string" && WORDS.test(literal)) found.push(literal);
  for (const child of Object.values(node)) wordsIn(child, found);
  return found;
}

/** A kind of drag, a language in its own words, keys, two classes, a font, and an error that no person sees. */
const NO_WORDS = new Set([
  "Files",
  "English",
  "Esc",
  "Enter",
  "token fork-token",
  "more than ",
  "px sans-serif",
]);

/** The prompts are data, and an engine that does not answer is told in the engine's own language. */
const WITH_ENGLISH = ["prompts.ts", "engine-client.ts"];

test("no component has words of its own", () => {
  const found = Object.entries(texts).flatMap(([path, source]) => {
    const name = path.split("/").at(-1) ?? "";
    if (!/\.tsx?$/.test(name) || WITH_ENGLISH.includes(name)) return [];
    const { program, errors } = parseSync(name, source);
    expect(errors, name).toEqual([]);
    const words = wordsIn(program).filter((text) => !NO_WORDS.has(text));
    return words.map((text) => `${name}: ${text}`);
  });
  expect(found).toEqual([]);
  // Sixty files are parsed: a busy machine takes its time.
}, 30_000);
