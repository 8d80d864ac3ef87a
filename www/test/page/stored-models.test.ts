import { afterEach, expect, test, vi } from "vitest";
import { bytesHere, bytesOf, isKept, StoredModels, together } from "../../src/page/models/stored-models";
import type { StoredModel } from "../../src/shared/model-records";

const file = (id: string, part: { of: string; number: number; count: number } | null): StoredModel => ({
  kind: "verified",
  id,
  record: {
    id,
    name: id,
    url: id,
    part,
    state: "verified",
    len_bytes: 10,
    sha256: "",
    etag: null,
    stored_at: "",
  },
});
const part = (id: string, of: string, number: number) => file(id, { of, number, count: 3 });

test("files of one model stand together, in order, where the first of them stood", () => {
  const unknown: StoredModel = { kind: "needs-check", id: "x", len_bytes: 5 };
  const models = [part("a3", "a", 3), file("whole", null), part("b1", "b", 1), part("a1", "a", 1), unknown];
  const ids = together(models).map((one) => ("parts" in one ? one.parts.map(({ id }) => id) : one.id));
  expect(ids).toEqual([["a1", "a3"], "whole", ["b1"], "x"]);
  expect(bytesOf(models)).toBe(45);
});

test("a source is kept where all of it was verified, under its own address", () => {
  const storage = (...models: StoredModel[]) =>
    ({ kind: "here", models, used_bytes: null, quota_bytes: null, is_persistent: false }) as const;
  const url = { kind: "url", url: "a" } as const;
  const builtIn = { ...url, kind: "built-in", title: "", file_name: "", len_bytes: 10, sha256: "" } as const;
  const whole = file("a", null);
  const gone = { ...whole, kind: "gone" } as StoredModel;
  for (const source of [url, builtIn]) {
    expect(isKept(storage(whole), source)).toBe(true);
    expect(isKept(storage(gone), source)).toBe(false);
    expect(isKept(storage(file("b", null)), source)).toBe(false);
    expect(isKept({ kind: "looking" }, source)).toBe(false);
  }
  const parts = [1, 2, 3].map((number) => part(`a${number}`, "a", number));
  expect(isKept(storage(...parts), url)).toBe(true);
  expect(isKept(storage(...parts.slice(1)), url)).toBe(false);
  expect(isKept(storage(whole), { kind: "files", files: [] })).toBe(false);
});

test("what is here of a download that did not end is counted, all parts together", () => {
  const storage = (...models: StoredModel[]) =>
    ({ kind: "here", models, used_bytes: null, quota_bytes: null, is_persistent: false }) as const;
  const url = { kind: "url", url: "a" } as const;
  const begun = (
    id: string,
    checked_bytes: number,
    part: { of: string; number: number; count: number } | null,
  ) => ({ kind: "incomplete", id, record: { url: id, part, checked_bytes } }) as unknown as StoredModel;
  expect(bytesHere(storage(begun("a", 4, null), begun("b", 3, null)), url)).toBe(4);
  const second = begun("a2", 4, { of: "a", number: 2, count: 3 });
  expect(bytesHere(storage(part("a1", "a", 1), second), url)).toBe(14);
  // All of it, nothing of it, and a person's own file.
  expect(bytesHere(storage(file("a", null)), url)).toBe(0);
  expect(bytesHere(storage(begun("b", 3, null)), url)).toBe(0);
  expect(bytesHere({ kind: "none" }, url)).toBe(0);
  expect(bytesHere(storage(begun("a", 4, null)), { kind: "files", files: [] })).toBe(0);
});

afterEach(() => vi.unstubAllGlobals());

test("of two looks that end in the other order, the later one's is shown", async () => {
  const names: string[] = [];
  const folder = {
    async *keys() {
      yield* names;
    },
    getFileHandle: () => Promise.reject(new DOMException("none", "NotFoundError")),
  };
  const estimates: (() => void)[] = [];
  const storage = {
    getDirectory: async () => ({ getDirectoryHandle: async () => folder }),
    estimate: () =>
      new Promise<StorageEstimate>((told) => estimates.push(() => told({ usage: 1, quota: 2 }))),
    persisted: async () => false,
  };
  vi.stubGlobal("navigator", { storage });
  const stored = new StoredModels();
  const first = stored.look("a");
  await vi.waitFor(() => expect(estimates.length).toBe(1));
  names.push("kept.gguf");
  const second = stored.look("a");
  await vi.waitFor(() => expect(estimates.length).toBe(2));
  estimates[1]?.();
  await second;
  estimates[0]?.();
  await first;
  expect(stored.storage.value).toMatchObject({ models: [{ id: "kept" }] });
});
